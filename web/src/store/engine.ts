/** Programs at the board: asks for a move whenever it is a program's turn on the play screen. */
import { effect, signal } from "@preact/signals";
import { keyOf, play, request, settled } from "./game";
import { begin, connections, end } from "./link";
import type { Update } from "./messages";
import { complain } from "./notices";
import { screen } from "./route";
import { humans, isHuman, orderOf, result, running, seats } from "./seats";

/** Two programs are watched: a move must be seen before the next. */
const WATCHING_PACE = 650;

export const thinking = signal(false);
/** What the program last thought, about the position it moved in. */
export const lastThought = signal<{ key: string; update: Update } | null>(null);

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
  const turn = here && !result.value && !isHuman(here.to_move) && running.value && screen.value === "play";
  stop();
  if (!here || !wanted || !turn) return;
  const { player, settings } = orderOf(seats.value[here.to_move]);
  if (!player) return;
  const key = keyOf(wanted);
  const since = performance.now();
  const listener = {
    answer: (answer: { type: string }) => {
      if (answer.type === "update" && (answer as Update).done) void move(answer as Update, key, since);
    },
    error: (error: unknown) => {
      running.value = false;
      complain(error);
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
