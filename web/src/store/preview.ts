/** A line of moves shown on the board while something is pointed at; the game itself stays where it is. */
import { computed, effect, signal } from "@preact/signals";
import { api, type Frames, type PositionRequest } from "../api";
import { keyOf, request } from "./game";

const STEP = 220;
const REMEMBERED = 60;

/** The moves to show after the position on the board. */
export const previewed = signal<readonly string[] | null>(null);
const found = signal<{ key: string; frames: Frames } | null>(null);
const step = signal(0);
const cache = new Map<string, Frames>();
const still = matchMedia("(prefers-reduced-motion: reduce)");

export const preview = computed(() => {
  const line = previewed.value;
  const here = request.value;
  if (!line || !here || found.value?.key !== keyOf({ ...here, moves: [...here.moves, ...line] })) return null;
  const { frames, glyphs, texts, lasts } = found.value.frames;
  const from = here.moves.length;
  const shown = Math.min(step.value, line.length);
  const numbers = new Map<number, number>();
  for (let n = 1; n <= shown; n++) {
    const cell = lasts[from + n];
    if (cell !== null && cell !== undefined && !numbers.has(cell)) numbers.set(cell, n);
  }
  const at = from + shown;
  return { stones: frames[at] ?? [], glyphs: glyphs[at] ?? null, text: texts?.[at] ?? null, numbers };
});

async function framesOf(wanted: PositionRequest, key: string): Promise<Frames> {
  const kept = cache.get(key);
  if (kept) return kept;
  const frames = await api.frames(wanted);
  cache.set(key, frames);
  if (cache.size > REMEMBERED) cache.delete(cache.keys().next().value!);
  return frames;
}

let shown = "";
let ticking: ReturnType<typeof setInterval> | undefined;

effect(() => {
  const line = previewed.value;
  const here = request.value;
  if (!line?.length || !here) {
    clearInterval(ticking);
    shown = "";
    step.value = 0;
    return;
  }
  const wanted = { ...here, moves: [...here.moves, ...line] };
  const key = keyOf(wanted);
  if (key === shown) return;
  // A line that only grew or changed further on is not played from its beginning again.
  const first = keyOf({ ...wanted, moves: wanted.moves.slice(0, here.moves.length + 1) });
  const again = shown.startsWith(first);
  shown = key;
  framesOf(wanted, key)
    .then((frames) => {
      if (shown !== key) return;
      found.value = { key, frames };
      if (still.matches) step.value = line.length;
      else playOn(again ? Math.max(1, step.value) : 1);
    })
    .catch(() => {}); // a preview that does not come is only not shown
});

function playOn(from: number): void {
  clearInterval(ticking);
  step.value = from;
  ticking = setInterval(() => {
    if (step.value >= (previewed.peek()?.length ?? 0)) clearInterval(ticking);
    else step.value++;
  }, STEP);
}
