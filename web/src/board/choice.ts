/** Which moves a click on a cell stands for. A move has one cell, or two: the one it comes from and the one it goes to. */
import type { Layout, LegalMove } from "../api";

export interface Choices {
  alone: ReadonlyMap<number, readonly LegalMove[]>; // moves of one cell
  pairs: ReadonlyMap<number, ReadonlyMap<number, readonly LegalMove[]>>; // the others, from one cell to another
}

/** A click either names moves, of which one is played, or changes what is selected. */
export type Click = { moves: readonly LegalMove[] } | { select: number | null };

/** On boards with gravity the whole column drops a disc. */
export function choicesOf(layout: Layout, legal: readonly LegalMove[], falls: boolean): Choices {
  const alone = new Map<number, LegalMove[]>();
  const pairs = new Map<number, Map<number, LegalMove[]>>();
  for (const move of legal) {
    const { from, cell } = move;
    const only = cell ?? from;
    if (only === null) continue;
    if (from !== null && cell !== null && from !== cell) {
      if (!pairs.has(from)) pairs.set(from, new Map());
      put(pairs.get(from)!, cell, move);
    } else if (!falls) put(alone, only, move);
    else for (let row = 0; row < layout.rows; row++) put(alone, row * layout.cols + (only % layout.cols), move);
  }
  return { alone, pairs };
}

function put(into: Map<number, LegalMove[]>, cell: number, move: LegalMove): void {
  into.set(cell, [...(into.get(cell) ?? []), move]);
}

export function clicked(choices: Choices, selected: number | null, cell: number): Click {
  const moves = movesAt(choices, selected, cell);
  if (moves.length) return { moves };
  return { select: choices.pairs.has(cell) && cell !== selected ? cell : null };
}

/** The moves that a click on a cell would play. A cell where moves begin is selected first. */
export function movesAt({ alone, pairs }: Choices, selected: number | null, cell: number): readonly LegalMove[] {
  const targets = selected === null ? undefined : pairs.get(selected);
  const begins = pairs.has(cell) && cell !== selected;
  return targets?.get(cell) ?? (begins ? [] : (alone.get(cell) ?? []));
}

/** Where the moves of the selected cell go. */
export const targetsOf = ({ pairs }: Choices, selected: number | null): number[] =>
  selected === null ? [] : [...(pairs.get(selected)?.keys() ?? [])];

/** Every cell where a click does something. */
export const openCells = (choices: Choices, selected: number | null): ReadonlySet<number> =>
  new Set([...choices.alone.keys(), ...choices.pairs.keys(), ...targetsOf(choices, selected)]);

/** Moves without a place on the board. */
export const withoutPlace = (legal: readonly LegalMove[]): LegalMove[] =>
  legal.filter(({ from, cell }) => from === null && cell === null);
