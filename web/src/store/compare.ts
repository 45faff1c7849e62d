/** Runs drawn together: which, by what, over what; read again while one of them is being trained. */
import { computed, effect, signal } from "@preact/signals";
import { api } from "../api";
import type { Axis, WorkedPoint } from "./curves";
import { connections } from "./link";
import { complain } from "./notices";
import { repeat, runs } from "./training";

export interface Comparison {
  curve: string | null;
  curves: string[];
  runs: { name: string; points: WorkedPoint[] }[];
}

export const MOST = 8; // as the server says
const PACE = 10_000; // the server reads all that the runs have told

const chosen = signal<readonly string[]>([]);
export const axis = signal<Axis>("minutes");
export const curve = signal(""); // empty: as the server thinks best
export const comparison = signal<Comparison | null>(null);

/** Those chosen that are still there, a line each: a text, so that it only changes when they do. */
const present = computed(() => chosen.value.filter((name) => runs.value?.some((run) => run.name === name)).join("\n"));
export const compared = computed(() => (present.value ? present.value.split("\n") : []));

export const choose = (name: string, on: boolean): void => {
  const others = chosen.value.filter((each) => each !== name);
  chosen.value = on ? [...others, name] : others;
};

const training = computed(
  () => runs.value?.some((run) => run.state === "training" && compared.value.includes(run.name)) ?? false,
);

/** Reads what is chosen, for as long as it is shown. */
export function beginComparing(): () => void {
  return effect(() => {
    connections.value;
    const names = compared.value;
    const wanted = curve.value;
    if (!names.length) {
      comparison.value = null;
      return;
    }
    const query = names.map((name) => `run=${encodeURIComponent(name)}`).join("&");
    const path = `compare?${query}${wanted ? `&curve=${encodeURIComponent(wanted)}` : ""}`;
    const read = async () => {
      const told = await api.get<Comparison>(path);
      if (compared.peek() === names && curve.peek() === wanted) comparison.value = told;
    };
    if (training.value) return repeat(PACE, read);
    void read().catch((error) => {
      if (wanted)
        curve.value = ""; // of a run that is no longer among them
      else complain(error);
    });
  });
}
