/** Hints in three steps: where to look, how the line goes on, the move itself. */
import { computed, signal } from "@preact/signals";
import { api } from "../api";
import { analyst } from "./evaluations";
import { info, keyOf, request, settled } from "./game";
import { begin } from "./link";
import type { Answer, Update } from "./messages";
import { complain } from "./notices";
import { analysisSims, settings } from "./prefs";

const MOST_SIMS = 1600;

export interface Hint {
  key: string;
  step: 0 | 1 | 2 | 3; // 0: being thought of
  move: string;
  cells: (number | null)[]; // of the moves of the line, the first being the hint
  from: number | null; // where the hint's piece stands
  unsure: boolean; // the search cannot tell: nothing is shown
}

const given = signal<Hint | null>(null);

export const hint = computed(() => (request.value && given.value?.key === keyOf(request.value) ? given.value : null));

export function forgetHint(): void {
  given.value = null;
}

/** One step further; `line` is known where the game was reviewed, else it is searched for. */
export async function nextHint(line?: readonly string[]): Promise<void> {
  const now = hint.value;
  const wanted = request.peek();
  if (!wanted || !settled.value || settled.value.terminal) return;
  if (now) {
    if (now.step > 0 && now.step < 3) given.value = { ...now, step: (now.step + 1) as Hint["step"] };
    return;
  }
  const key = keyOf(wanted);
  given.value = { key, step: 0, move: "", cells: [], from: null, unsure: false };
  try {
    const pv = (line ?? (await search())).slice(0, 3);
    if (!pv.length) {
      given.value = { key, step: 3, move: "", cells: [], from: null, unsure: true };
      return;
    }
    const { lasts, froms } = await api.frames({ ...wanted, moves: [...wanted.moves, ...pv] });
    if (given.peek()?.key !== key) return;
    const ply = wanted.moves.length + 1;
    const cells = lasts.slice(ply);
    const step = info.peek()?.layout.kind === "text" ? 3 : 1; // there is no place to look at
    given.value = { key, step, move: pv[0]!, cells, from: froms[ply] ?? null, unsure: false };
  } catch (error) {
    given.value = null;
    complain(error);
  }
}

/** The line of the best move; empty where the search cannot tell which that is. */
function search(): Promise<readonly string[]> {
  const position = request.peek()!;
  const options = { ...settings.peek(), sims: Math.min(MOST_SIMS, analysisSims.peek()), seconds: 0 };
  return new Promise((resolve, reject) => {
    const answer = (said: Answer) => {
      if (said.type !== "update" || !said.done) return;
      const found: Update = said;
      const best = found.moves.find((each) => each.move === found.best);
      resolve(found.certain === false ? [] : (best?.pv ?? [found.best]));
    };
    const player = analyst.peek();
    if (!begin({ type: "search", position, player, settings: options, live: false }, { answer, error: reject })) {
      given.value = null;
    }
  });
}
