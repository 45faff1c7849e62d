/** The live search of the position on the board. */
import { computed, effect, signal } from "@preact/signals";
import { api, type PositionRequest, type Solution } from "../api";
import { analyst, judge } from "./evaluations";
import { info, keyOf, request, settled } from "./game";
import { begin, connections, current, tell } from "./link";
import type { Answer, Update } from "./messages";
import { complain } from "./notices";
import { analysisSims, exact, settings } from "./prefs";
import { screen } from "./route";

const SAPLING = 60; // simulations: a tree that is watched growing begins small
const SETTLING = 120; // a slider that is dragged starts one search, not thirty

export const enabled = signal(true);
let halted = false; // a search that was ended before its end
export const searching = signal(false);
const latest = signal<{ key: string; update: Update } | null>(null);

/** What the search says about the position on the board. */
export const update = computed(() => {
  const here = request.value;
  return here && latest.value?.key === keyOf(here) ? latest.value.update : null;
});

export interface Session {
  id: string;
  key: string;
  connection: number;
  signature: string;
}

/** The search whose tree can be looked at, whether it runs or not. */
export const session = signal<Session | null>(null);
type Watcher = (answer: Answer) => void;
const watchers = new Set<Watcher>();

/** Hears everything that the search says; returns how to stop that. */
export function watch(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const alive = (wanted: Session | null): wanted is Session =>
  wanted !== null && wanted.connection === connections.value && wanted.id === current();

const onAnalysis = computed(() => screen.value === "analyse" || screen.value === "tree");

export function search(position: PositionRequest, sims: number): void {
  const here = settled.peek();
  if (!here || here.terminal) return;
  const key = keyOf(position);
  const player = analyst.peek();
  const options = { ...settings.peek(), sims, seconds: 0 };
  const signature = JSON.stringify([key, player, options]);
  const listener = {
    answer: (answer: Answer) => {
      if (answer.type === "update") {
        searching.value = !answer.done;
        latest.value = { key, update: answer };
        if (answer.visits > 0) judge(key, player, here.to_move, answer, answer.visits);
      }
      for (const watcher of watchers) watcher(answer);
    },
    error: (error: unknown) => {
      searching.value = false;
      complain(error);
    },
  };
  halted = false;
  const id = begin({ type: "search", position, player, settings: options, live: true }, listener);
  session.value = id === null ? null : { id, key, connection: connections.peek(), signature };
  searching.value = id !== null;
}

let waiting: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  const here = settled.value;
  const wanted = request.value;
  connections.value;
  clearTimeout(waiting);
  if (!onAnalysis.value) {
    halt();
    session.value = null;
    return;
  }
  if (!enabled.value || !here || here.terminal || !wanted) {
    halt();
    return;
  }
  const options = { ...settings.value, sims: analysisSims.value, seconds: 0 };
  const signature = JSON.stringify([keyOf(wanted), analyst.value, options]);
  const now = session.peek();
  if (alive(now) && screen.value === "tree" && now.key === keyOf(wanted)) return;
  if (alive(now) && now.signature === signature) {
    if (halted) more(Math.max(1, analysisSims.peek() - (update.peek()?.visits ?? 0)));
    return;
  }
  const sims = screen.value === "tree" ? SAPLING : analysisSims.peek();
  waiting = setTimeout(() => search(wanted, sims), SETTLING);
});

/** Ends the search and keeps its tree. */
export function halt(): void {
  const now = session.peek();
  if (alive(now) && searching.peek()) halted = tell({ type: "stop", id: now.id });
  searching.value = false;
}

/** Goes on with the tree that is there, or begins one. */
export function more(sims: number): void {
  const wanted = request.peek();
  if (!wanted) return;
  const now = session.peek();
  if (alive(now) && now.key === keyOf(wanted)) {
    halted = false;
    searching.value = tell({ type: "more", id: now.id, sims });
  } else search(wanted, sims);
}

/** The exact solver's scores for the position on the board, where the game has a solver. */
const solved = signal<{ key: string; solution: Solution } | null>(null);
export const solution = computed(() => {
  const here = request.value;
  return exact.value && here && solved.value?.key === keyOf(here) ? solved.value.solution : null;
});

let solving = new AbortController();

effect(() => {
  const here = settled.value;
  const wanted = request.value;
  solving.abort();
  if (screen.value !== "analyse" || !exact.value || !info.value?.solvable || !here || here.terminal || !wanted) return;
  solving = new AbortController();
  api
    .solve(wanted, solving.signal)
    .then((found) => {
      solved.value = { key: keyOf(wanted), solution: found };
    })
    .catch(complain);
});
