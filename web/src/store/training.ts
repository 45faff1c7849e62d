/** Training runs: read again and again while they are looked at. */
import { computed, effect, signal } from "@preact/signals";
import { ApiError, api, type Drawn, type Layout, type Side } from "../api";
import { joined, type Points } from "./curves";
import { connections } from "./link";
import { complain } from "./notices";
import { place, screen } from "./route";

export interface Verdict {
  key: string;
  texts: { en: string; zh: string };
}

export interface RunSummary {
  name: string;
  game: string;
  size: string;
  state: "training" | "paused" | "finished";
  minutes: number;
  planned_minutes: number;
  progress: number;
  plan: { unit: "minutes" | "steps"; done: number; planned: number; over: number }; // over: after the plan was done
  verdict: Verdict;
  tags: string[];
}

export interface HealthRow {
  name: string;
  now: number;
  low: number | null;
  high: number | null;
  ok: boolean;
}

export interface RunDetails extends RunSummary {
  curves: Record<string, Points>;
  elo: Record<"elo" | "elo_alone", EloPoint[]>; // with a search, and without: whole, not only what is new
  last_event: number;
  health: { verdict: Verdict; notes: { en: string[]; zh: string[] }; rows: HealthRow[] };
  ladder: {
    players: { name: string; step: number | null; elo: number; error: number }[];
    pairings: { a: string; b: string; points: number; games: number }[];
    best?: string | null;
  };
  networks: { id: string; step: number; minutes: number | null }[];
  workers: Worker[];
  resignations: { checked: number; wrong: number } | null; // of games that were played on; null: nobody may resign
}

export interface EloPoint {
  minutes: number;
  step: number;
  elo: number; // of the curve, smoothed as far as the ladder cannot tell networks apart
  error: number;
  measured: number;
}

/** Somebody elsewhere who plays for the run. */
export interface Worker {
  name: string;
  players: number;
  simulations_per_second: number;
  games: number;
  refused: number;
  checked: number;
  barred: string | null;
  held: string | null;
  unseen: number;
}

export interface LiveGame extends Drawn {
  number: number;
  moves: string[];
  text: string | null;
  to_move: Side;
  value: number | null;
}

const LIST_PACE = 4000;
const RUN_PACE = 2000;
const LIVE_PACE = 1200;
/** A run that is being started is not known until training is loaded: that long it is waited for without complaint. */
const BEGINNING = 60_000;

export const runs = signal<RunSummary[] | null>(null);
export const runName = computed(() => (screen.value === "training" ? place.value.name : ""));
export const run = signal<RunDetails | null>(null);
export const beginning = signal(false); // the run is not known yet
export const live = signal<{ game: string; games: LiveGame[] } | null>(null);
export const layout = signal<Layout | null>(null); // of the run's game

/** Asks now and then again at a pace, while the page can be seen. Returns how to end it. */
export function repeat(pace: number, ask: () => Promise<void>): () => void {
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = async () => {
    if (!document.hidden) await ask().catch(complain);
    if (!ended) timer = setTimeout(next, pace);
  };
  void next();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Reads what the training screen shows, for as long as it is shown. */
export function begin(): () => void {
  const list = effect(() => {
    connections.value;
    return repeat(LIST_PACE, async () => {
      runs.value = await api.get<RunSummary[]>("runs");
    });
  });
  const one = effect(() => {
    connections.value;
    const name = runName.value;
    run.value = null;
    live.value = null;
    if (!name) return;
    const path = `runs/${encodeURIComponent(name)}`;
    const patience = Date.now() + BEGINNING;
    const ends = [
      repeat(RUN_PACE, () =>
        readRun(path).catch((error) => {
          beginning.value = !run.peek() && Date.now() < patience && isUnknown(error);
          if (!beginning.value) throw error;
        }),
      ),
      repeat(LIVE_PACE, async () => {
        if (!run.peek()) return;
        if (run.peek()?.state === "training" || !live.peek()) live.value = await api.get(`${path}/live`);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
  return () => {
    list();
    one();
  };
}

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.code === "unknown_run";

async function readRun(path: string): Promise<void> {
  const old = run.peek();
  const fresh = await api.get<RunDetails>(old ? `${path}?since=${old.last_event}` : path);
  if (runName.peek() !== fresh.name) return;
  if (!old || old.game !== fresh.game) layout.value = (await api.game(fresh.game)).layout;
  if (old && fresh.last_event === old.last_event) run.value = { ...fresh, curves: old.curves };
  else run.value = old ? { ...fresh, curves: joined(old.curves, fresh.curves) } : fresh;
}

export interface NewRun {
  game: string;
  minutes: number;
  size?: string;
  name?: string;
}

export async function startRun(wanted: NewRun): Promise<string | null> {
  try {
    return (await api.post<{ name: string }>("runs", wanted)).name;
  } catch (error) {
    complain(error);
    return null;
  }
}

/** Renames, tags or deletes a run; false if the server would not. */
export async function manage(name: string, what: "rename" | "tags" | "delete", body: object): Promise<boolean> {
  try {
    await api.post(`runs/${encodeURIComponent(name)}/${what}`, body);
    runs.value = await api.get<RunSummary[]>("runs");
    const summary = runs.value.find((each) => each.name === name);
    if (summary && run.value?.name === name) run.value = { ...run.value, ...summary };
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

export async function change(name: string, what: "pause" | "resume", minutes?: number): Promise<void> {
  try {
    const summary = await api.post<RunSummary>(`runs/${encodeURIComponent(name)}/${what}`, minutes ? { minutes } : {});
    runs.value = (runs.value ?? []).map((each) => (each.name === name ? summary : each));
    if (run.value?.name === name) run.value = { ...run.value, ...summary };
  } catch (error) {
    complain(error);
  }
}
