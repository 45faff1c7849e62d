/** How a search's opinion of the moves is coloured on the board. */
import { percent, signed } from "../i18n/numbers";
import type { MoveRow } from "../store/messages";
import type { Heat } from "../store/prefs";

export interface Warmth {
  cell: number;
  from: number | null; // where the piece comes from
  strength: number; // 0 … 1: how strongly it is coloured
  tone: number | null; // −1 … 1 from bad to good; null: there is only more and less
  label: string;
  best: boolean;
}

const FAINTEST = 0.12; // of the strongest: below it a move is not worth a colour

/** A power below one makes small shares visible without making all of them look alike. */
export const strengthOf = (share: number, largest: number): number => (largest > 0 ? (share / largest) ** 0.7 : 0);

/** Moves come best first: where several end on one cell, the first of them speaks for all. */
export function warmths(moves: readonly MoveRow[], mode: Heat): Warmth[] {
  if (mode === "off") return [];
  const seen = new Set<number>();
  const placed = moves.filter(({ cell }) => cell !== null && !seen.has(cell) && seen.add(cell));
  const best = moves[0]?.move;
  if (mode === "value") {
    const most = Math.max(1, ...placed.map((move) => move.visits));
    return placed
      .filter((move) => move.visits > 0 || move.proven)
      .map((move) => ({
        cell: move.cell!,
        from: move.from,
        strength: 0.35 + 0.65 * strengthOf(move.visits, most),
        tone: move.q,
        label: signed(move.q, 2).replace("0.", "."),
        best: move.move === best,
      }));
  }
  const share = (move: MoveRow): number => (mode === "prior" ? move.prior : move.share);
  const largest = Math.max(0, ...placed.map(share));
  return placed
    .filter((move) => share(move) > 0 && strengthOf(share(move), largest) >= FAINTEST)
    .map((move) => ({
      cell: move.cell!,
      from: move.from,
      strength: strengthOf(share(move), largest),
      tone: null,
      label: share(move) >= 0.01 ? percent(share(move)).replace("%", "") : "",
      best: move.move === best,
    }));
}
