/** One side of the game: who plays it, and how hard it thinks. */
import type { Players, Side } from "../api";
import { Token } from "../board/Piece";
import { levelName, playerName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { short } from "../i18n/numbers";
import { thinking } from "../store/engine";
import { info, players, position } from "../store/game";
import { BUDGETS, changeSeat, choosePlayer, HUMAN, isHuman, isOtherProgram, result, seats } from "../store/seats";
import { type Group, Select } from "./controls";

export function playerGroups(available: Players | null): Group[] {
  if (!available) return [];
  const name = (id: string) => ({ value: id, label: playerName(id, available) });
  const levels = available.levels.map((level) => ({ value: `level:${level.id}`, label: levelName(level) }));
  const ids = available.others.map((each) => each.id);
  return [
    { label: t("players.levels"), choices: levels },
    { label: t("players.networks"), choices: available.networks.map((each) => name(each.id)) },
    { label: t("players.others"), choices: ids.filter((id) => !isOtherProgram(id)).map(name) },
    { label: t("players.programs"), choices: ids.filter(isOtherProgram).map(name) },
  ].filter((group) => group.choices.length);
}

/** Players that think as long as they are told to. */
export const thinks = (player: string): boolean =>
  !["", HUMAN].includes(player) &&
  !player.startsWith("level:") &&
  players.value?.others.find((each) => each.id === player)?.searches !== false;

export function SeatCard({ side }: { side: Side }) {
  const seat = seats.value[side];
  const here = position.value;
  const turn = !result.value && here?.to_move === side;
  const name = t(side === 0 ? "side.first" : "side.second");
  const groups: Group[] = [{ choices: [{ value: HUMAN, label: t("player.human") }] }, ...playerGroups(players.value)];
  return (
    <div class={turn ? "seat turn" : "seat"} data-testid={`seat-${side}`}>
      {info.value && <Token kind={info.value.layout.kind} side={side} plain={Boolean(here?.glyphs)} />}
      <Select label={name} value={seat.player} groups={groups} onChange={(player) => choosePlayer(side, player)} />
      {thinks(seat.player) && <Budget side={side} />}
      <span class="seat-state">
        {turn &&
          (!isHuman(side) && thinking.value ? <span class="pulse" title={t("thinking")} /> : <span class="dot" />)}
      </span>
    </div>
  );
}

function Budget({ side }: { side: Side }) {
  const { by, sims, seconds } = seats.value[side];
  const groups: Group[] = [
    {
      label: t("budget.sims"),
      choices: BUDGETS.sims.map((n) => ({ value: `sims:${n}`, label: t("sims", { n: short(n) }) })),
    },
    {
      label: t("budget.seconds"),
      choices: BUDGETS.seconds.map((n) => ({ value: `seconds:${n}`, label: t("seconds", { n }) })),
    },
  ];
  const change = (chosen: string) => {
    const [kind, amount] = chosen.split(":");
    changeSeat(
      side,
      kind === "sims" ? { by: "sims", sims: Number(amount) } : { by: "seconds", seconds: Number(amount) },
    );
  };
  return (
    <Select
      label={t("budget")}
      value={by === "sims" ? `sims:${sims}` : `seconds:${seconds}`}
      groups={groups}
      onChange={change}
      testid={`budget-${side}`}
    />
  );
}
