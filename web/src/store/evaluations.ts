/** What is known about the positions of the game, for its graph: from searches, and from the bare network at first. */
import { computed, effect, signal } from "@preact/signals";
import { api, type PositionRequest, type Side, type Wdl } from "../api";
import { info, keyOf, lineMoves, players, position, start } from "./game";
import { analysts } from "./prefs";
import { screen } from "./route";

export interface Judgement {
  wdl: Wdl; // for the first player
  plies: number; // left, as estimated
  lead: number | null; // points, for the first player; null: nobody counts
  visits: number; // 0: the network alone
  certain: boolean; // false: the search could not tell
}

export const judgements = signal<ReadonlyMap<string, Judgement>>(new Map());

/** Who analyses: the player that was chosen for the game if it is there, else whom the server thinks best. */
export const analyst = computed(() => {
  const available = players.value;
  if (!available) return "";
  const ids = [...available.networks, ...available.others].map((each) => each.id);
  const wanted = analysts.value[info.value?.id ?? ""];
  return wanted && ids.includes(wanted) ? wanted : available.usual;
});

export function chooseAnalyst(player: string): void {
  if (info.value) analysts.value = { ...analysts.value, [info.value.id]: player };
}

/** Why a graph has nothing to draw: nobody has judged, the search could not tell, or only searched positions count. */
export function whyEmpty(): "unsure" | "plain" | "empty" {
  if (history.value.some((each) => each && !each.certain)) return "unsure";
  return isNetwork(analyst.value) ? "empty" : "plain";
}

const isNetwork = (id: string): boolean => id === "shipped" || id.startsWith("run:");
const turned = ([win, draw, loss]: Wdl, side: Side): Wdl => (side === 0 ? [win, draw, loss] : [loss, draw, win]);

const place = (key: string, player: string): string => `${player}|${key}`;

type Said = { wdl: Wdl; plies: number; lead?: number | null; certain?: boolean };

/** For the first player. */
export const turnedLead = (lead: number | null | undefined, side: Side): number | null =>
  lead === null || lead === undefined ? null : side === 0 ? lead : -lead;

/** Keeps a judgement made for the side to move; a smaller search does not replace a larger one. */
export function judge(key: string, player: string, side: Side, said: Said, visits: number): void {
  const name = place(key, player);
  if ((judgements.peek().get(name)?.visits ?? -1) > visits) return;
  const { wdl, plies, certain = true } = said;
  const lead = turnedLead(said.lead, side);
  judgements.value = new Map(judgements.peek()).set(name, { wdl: turned(wdl, side), plies, lead, visits, certain });
}

/** Sides alternate in every game: a pass is a move. */
export function sideAt(ply: number): Side {
  const here = position.value;
  return here && (here.to_move + here.moves.length + ply) % 2 ? 1 : 0;
}

export const requestAt = (ply: number): PositionRequest => ({
  game: info.value?.id ?? "",
  start: start.value,
  moves: lineMoves.value.slice(0, ply),
});

/** One entry per position of the line on the board, where it is known. */
export const history = computed<(Judgement | undefined)[]>(() =>
  Array.from({ length: lineMoves.value.length + 1 }, (_, ply) =>
    judgements.value.get(place(keyOf(requestAt(ply)), analyst.value)),
  ),
);

let filling = new AbortController();

effect(() => {
  lineMoves.value;
  filling.abort();
  if ((screen.value === "analyse" || screen.value === "review") && info.value && isNetwork(analyst.value)) {
    filling = new AbortController();
    void fill(analyst.value, filling.signal);
  }
});

async function fill(player: string, signal: AbortSignal): Promise<void> {
  const plies = lineMoves.value.length;
  for (let ply = 0; ply <= plies && !signal.aborted; ply++) {
    const asked = requestAt(ply);
    const key = keyOf(asked);
    if (judgements.peek().has(place(key, player))) continue;
    try {
      if (ply === plies && (await judgeEnd(asked, player, signal))) return;
      const [answer] = (await api.evaluate(asked, [player], signal)).answers;
      if (answer) judge(key, player, sideAt(ply), answer, 0);
    } catch {
      return; // the server is away: the graph does without
    }
  }
}

/** The end of a finished game needs no opinion. */
async function judgeEnd(asked: PositionRequest, player: string, signal: AbortSignal): Promise<boolean> {
  const { terminal, winner, score } = await api.position(asked, signal);
  if (!terminal) return false;
  const wdl: Wdl = winner === 0 ? [1, 0, 0] : winner === 1 ? [0, 0, 1] : [0, 1, 0];
  const lead = score ? score.points[0] - score.points[1] : null;
  judge(keyOf(asked), player, 0, { wdl, plies: 0, lead }, Number.POSITIVE_INFINITY);
  return true;
}
