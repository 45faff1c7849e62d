/** The search's options as sliders: derived from the table that the server sends. */
import type { Field, GameEntry, GameOption, Settings, Value } from "../api";

/** What an expert may turn, in this order: how a search thinks and chooses. What only training needs, sizes of memory
 *  and how work is batched are nobody's business here; simulations and time are set elsewhere on the page. */
export const EXPERT_FIELDS = [
  "c_init",
  "prior_temperature",
  "fpu_mode",
  "fpu_reduction",
  "lookahead",
  "solver",
  "mlh_slope",
  "mlh_cap",
  "mlh_mode",
  "lead_slope",
  "discount",
  "temperature",
  "temperature_plies",
  "temperature_end",
  "tree_reuse",
  "rule",
] as const;
export type ExpertField = (typeof EXPERT_FIELDS)[number];

export const expertFields = (fields: readonly Field[]): Field[] =>
  EXPERT_FIELDS.flatMap((name) => fields.filter((field) => field.name === name));

/** Settings without those that the table does not have: an older page may have saved what is gone by now. */
export const known = (settings: Settings, fields: readonly Field[]): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => fields.some((field) => field.name === name)));

export interface Scale {
  steps: number;
  toValue: (place: number) => number;
  toPlace: (value: number) => number;
}

const FINE = 200;
const LARGEST = 1e6;

/** A slider's places 0 … steps, spread so that the useful values are easy to reach. */
export function scaleOf({ kind, low, high, default: usual }: Field): Scale {
  if (kind === "integer" && high - low <= 64) {
    return { steps: high - low, toValue: (place) => low + place, toPlace: (value) => clamp(value, low, high) - low };
  }
  if (high > 1000) return logarithmic(low, Math.min(high, LARGEST), kind === "integer");
  const top = high <= 2 ? high : Math.min(high, Math.max(4, 4 * Number(usual)));
  return {
    steps: FINE,
    toValue: (place) => tidy(low + ((top - low) * place) / FINE),
    toPlace: (value) => Math.round((FINE * (clamp(value, low, top) - low)) / (top - low)),
  };
}

function logarithmic(low: number, high: number, whole: boolean): Scale {
  const from = Math.max(1, low);
  const zero = low <= 0 ? 1 : 0; // the first place is zero where that is allowed
  const span = Math.log(high / from);
  return {
    steps: FINE + zero,
    toValue: (place) => {
      if (place < zero) return low;
      const value = Number((from * Math.exp((span * (place - zero)) / FINE)).toPrecision(2));
      return clamp(whole ? Math.round(value) : value, low, high);
    },
    toPlace: (value) =>
      value < from ? 0 : zero + Math.round((FINE * Math.log(clamp(value, from, high) / from)) / span),
  };
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
const tidy = (value: number): number => Number(value.toPrecision(4));

export const within = (field: Field, value: number): Value =>
  clamp(field.kind === "integer" ? Math.round(value) : value, field.low, field.high);

/** A game's id, with what is usual left out. */
export function gameId(name: string, size: number, usualSize: number, options: Record<string, Value>): string {
  const head = size && size !== usualSize ? [`${name}:${size}`] : [name];
  const rest = Object.entries(options).map(([key, value]) => `${key}=${value}`);
  if (!rest.length) return head[0]!;
  return size ? `${name}:${size},${rest.join(",")}` : `${name}:${rest.join(",")}`;
}

/** The size in a game's id, 0 where it says none, and its options that differ from the usual. */
export function readId(id: string, options: readonly GameOption[]): { size: number; options: Record<string, Value> } {
  const parts = (id.split(":", 2)[1] ?? "").split(",").filter(Boolean);
  const given = parts.flatMap((part) => {
    const [name, value] = part.split("=", 2);
    const option = options.find((each) => each.name === name);
    return option && value !== undefined ? [[option.name, option.choices.length ? value : Number(value)] as const] : [];
  });
  return { size: Number.parseInt(parts[0] ?? "", 10) || 0, options: Object.fromEntries(given) };
}

export interface Board {
  size: number; // 0: the game has but one
  options: Record<string, Value>;
  network: boolean;
}

/** The boards that a game offers by these rules: those with a network first, the largest of them at the top, and their
 *  rules with them where these differ; then the others by size. */
export function boardsOf(entry: GameEntry, options: Record<string, Value>): Board[] {
  const name = (board: Omit<Board, "network">): string =>
    JSON.stringify([board.size, Object.entries(board.options).sort()]);
  const known = entry.networks.map((id) => readId(id, entry.options));
  for (const board of known) board.size ||= entry.default_size;
  const names = new Set(known.map(name));
  const sizes = entry.sizes.length ? entry.sizes : [0];
  const offered = sizes.map((size) => ({ size, options, network: names.has(name({ size, options })) }));
  const more = known.filter((board) => !offered.some((each) => name(each) === name(board)));
  const network = [...offered.filter((each) => each.network), ...more.map((each) => ({ ...each, network: true }))];
  return [...network.sort((a, b) => b.size - a.size), ...offered.filter((each) => !each.network)];
}
