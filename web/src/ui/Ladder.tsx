/** The players of a run by strength, and who met whom. */
import { playerName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { percent, whole } from "../i18n/numbers";
import { measureName } from "../i18n/training";
import type { RunDetails } from "../store/training";
import { Card } from "./controls";

type Rated = RunDetails["ladder"]["players"][number];

/** "mcts:1000" and "00012345" as people read them. */
function rungName(name: string): string {
  const [, step, alone] = /^(\d+)(@0)?$/.exec(name) ?? [];
  if (step) {
    const network = t("player.step", { step: whole(Number(step)) });
    return alone ? `${network} · ${measureName("elo_alone")}` : network;
  }
  const [player = "", sims] = name.split(/[:@]/);
  return sims ? `${playerName(player, null)} · ${t("sims", { n: sims })}` : playerName(player, null);
}

export function Ladder({ run }: { run: RunDetails }) {
  const { players, pairings, best } = run.ladder;
  if (!players.length) return <p class="muted">{t("ladder.none")}</p>;
  const sorted = players.toSorted((a, b) => b.elo - a.elo);
  const highest = Math.max(...players.map((each) => each.elo + each.error));
  const lowest = Math.min(...players.map((each) => each.elo - each.error));
  return (
    <div class="ladder">
      <Card title={t("ladder")}>
        <table data-testid="ladder">
          <thead>
            <tr>
              <th scope="col">{t("ladder.player")}</th>
              <th scope="col">{t("ladder.elo")}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {sorted.map((each) => (
              <tr key={each.name} class={each.name === best ? "best" : undefined}>
                <th scope="row">{rungName(each.name)}</th>
                <td>
                  {whole(each.elo)} ± {whole(each.error)}
                </td>
                <td class="rung">
                  <Interval each={each} low={lowest} high={highest} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      <Card title={t("ladder.pairings")}>
        <div class="table-scroll tall" tabIndex={0} role="region" aria-label={t("ladder.pairings")}>
          <table>
            <thead>
              <tr>
                <th scope="col" colSpan={2}>
                  {t("ladder.player")}
                </th>
                <th scope="col">{t("ladder.score")}</th>
                <th scope="col">{t("ladder.games")}</th>
              </tr>
            </thead>
            <tbody>
              {pairings.toReversed().map(({ a, b, points, games }) => (
                <tr key={`${a} ${b}`}>
                  <th scope="row">{rungName(a)}</th>
                  <td>{rungName(b)}</td>
                  <td>{percent(points / Math.max(1, games), 1)}</td>
                  <td>{games}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Card>
    </div>
  );
}

function Interval({ each, low, high }: { each: Rated; low: number; high: number }) {
  const at = (elo: number): number => (100 * (elo - low)) / Math.max(1, high - low);
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <path class="rung-line" d="M0 5H100" />
      <path class="rung-error" d={`M${at(each.elo - each.error)} 5H${at(each.elo + each.error)}`} />
      <path class="rung-elo" d={`M${at(each.elo)} 1V9`} />
    </svg>
  );
}
