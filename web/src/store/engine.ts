/** Programs at the board: asks for a move whenever it is a program's turn on the play screen. */
import { computed, effect, signal } from "@preact/signals";
import { keyOf, play, request, settled } from "./game";
import { begin, connections, end } from "./link";
import type { Answer, Update } from "./messages";
import { screen } from "./route";
import { giveUp, humans, isHuman, orderOf, result, running, seats } from "./seats";

/** Two programs are watched: a move must be seen before the next. */
const WATCHING_PACE = 650;

export const thinking = signal(false);
/** What the program last thought, about the position it moved in. */
export const lastThought = signal<{ key: string; update: Update } | null>(null);

const failed = signal<{ key: string; player: string; error: unknown } | null>(null);
/** Why the program at the board has no move. It is not asked again until somebody wants that, or the position or the
 *  program is another. */
export const failure = computed(() => {
  const here = settled.value;
  const last = failed.value;
  if (!last || !here || result.value || !request.value || last.key !== keyOf(request.value)) return null;
  return last.player === seats.value[here.to_move].player ? last.error : null;
});

export function tryAgain(): void {
  failed.value = null;
  running.value = true;
}

let current: { id: string | null; key: string } | null = null;

function stop(): void {
  if (current) end(current.id);
  current = null;
  thinking.value = false;
}

effect(() => {
  const here = settled.value;
  const wanted = request.value;
  connections.value; // an answer that was lost is asked for again
  const turn =
    here && !result.value && !isHuman(here.to_move) && running.value && !failure.value && screen.value === "play";
  stop();
  if (!here || !wanted || !turn) return;
  const { player, settings } = orderOf(seats.value[here.to_move]);
  if (!player) return;
  const key = keyOf(wanted);
  const since = performance.now();
  const listener = {
    answer: (answer: Answer) => {
      if (answer.type === "update" && answer.done) void move(answer, key, since);
      if (answer.type === "resigned") giveUp(here.to_move);
    },
    error: (error: unknown) => {
      failed.value = { key, player: seats.peek()[here.to_move].player, error };
    },
  };
  current = { id: begin({ type: "search", position: wanted, player, settings, live: false }, listener), key };
  thinking.value = true;
});

async function move(update: Update, key: string, since: number): Promise<void> {
  const pause = humans.value === 0 ? WATCHING_PACE - (performance.now() - since) : 0;
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  if (current?.key !== key || !request.value || keyOf(request.value) !== key) return;
  lastThought.value = { key, update };
  await play(update.best);
}
