/** Whose every cell will be at the end, as the network that analyses foresees it; for the position on the board. */
import { computed, effect, signal } from "@preact/signals";
import { api } from "../api";
import { analyst } from "./evaluations";
import { keyOf, position, request, settled } from "./game";
import { complain } from "./notices";
import { territory } from "./prefs";
import { screen } from "./route";

/** Is the game on the board decided by a count? */
export const counted = computed(() => Boolean(position.value?.score));

export const toggleTerritory = (): void => {
  if (counted.value) territory.value = !territory.value;
};

interface Known {
  name: string;
  owners: readonly number[] | null; // null: this player foresees nothing
}

const known = signal<Known | null>(null);
const wanted = computed(() => {
  const here = settled.value;
  const shown = screen.value === "analyse" || screen.value === "review";
  return shown && territory.value && counted.value && here && !here.terminal && analyst.value ? request.value : null;
});
const nameOf = (): string => (wanted.value ? `${analyst.value}|${keyOf(wanted.value)}` : "");

/** From 1, the first player's, to −1, by cell; null where nobody foresees it, undefined where nobody was asked. */
export const owners = computed(() => (known.value?.name === nameOf() ? known.value.owners : undefined));

let asking = new AbortController();

effect(() => {
  const asked = wanted.value;
  const name = nameOf();
  asking.abort();
  if (!asked || known.peek()?.name === name) return;
  const sign = settled.peek()?.to_move === 1 ? -1 : 1;
  asking = new AbortController();
  api
    .evaluate(asked, [analyst.value], asking.signal, true)
    .then(({ answers: [answer] }) => {
      known.value = { name, owners: answer?.owners?.map((each) => sign * each) ?? null };
    })
    .catch(complain);
});
