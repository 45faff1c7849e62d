/** Games being played right now, on a wall of small boards. */
import { MiniBoard } from "../board/MiniBoard";
import { t } from "../i18n/i18n";
import { open } from "../store/game";
import { go } from "../store/route";
import { running } from "../store/seats";
import { type LiveGame, layout, live } from "../store/training";
import { Card } from "./controls";

async function analyse(game: string, { moves }: LiveGame): Promise<void> {
  if (!(await open({ game, start: null, at: moves }))) return;
  running.value = false;
  go("analyse");
}

export function LiveWall() {
  const now = live.value;
  const shape = layout.value;
  return (
    <Card title={t("train.live")}>
      {now?.games.length && shape ? (
        <div class="wall" data-kind={shape.kind} data-testid="live-wall">
          {now.games.map((game, place) => (
            <button key={place} type="button" class="wall-game" onClick={() => void analyse(now.game, game)}>
              <span class="unseen">{t("train.live.open", { number: game.number })}</span>
              <MiniBoard layout={shape} stones={game.stones} glyphs={game.glyphs} text={game.text} />
              {game.value !== null && (
                <span class="wall-value">
                  <span style={{ width: `${50 + 50 * game.value}%` }} />
                </span>
              )}
            </button>
          ))}
        </div>
      ) : (
        <p class="muted">{t("train.live.none")}</p>
      )}
    </Card>
  );
}
