/** A game that draws no board: its own text, and the moves to choose from. */
import type { LegalMove } from "../api";
import { MoveList } from "./MoveList";

interface Props {
  text: string;
  label: string;
  legal: readonly LegalMove[];
  onPlay: (move: string) => void;
}

export const TextBoard = ({ text, label, legal, onPlay }: Props) => (
  <div class="text-board">
    <div class="board-text" tabIndex={0} role="region" aria-label={label} data-testid="board-text">
      <pre>{text}</pre>
    </div>
    <MoveList moves={legal} onPlay={onPlay} />
  </div>
);
