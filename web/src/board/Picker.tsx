/** Asks which move is meant, where several begin and end on the same cells. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LegalMove } from "../api";
import { t } from "../i18n/i18n";
import { MoveButtons } from "./MoveList";

interface Props {
  moves: readonly LegalMove[];
  at: Element; // the cell it opens beside
  onPick: (move: LegalMove) => void;
  onClose: () => void;
}

const GAP = 8;

/** The browser keeps the focus inside, closes it on Escape, and gives the focus back to the cell. */
export function Picker({ moves, at, onPick, onClose }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    const cell = at.getBoundingClientRect();
    const { width, height } = dialog.getBoundingClientRect();
    const left = cell.left + cell.width / 2 - width / 2;
    const below = cell.bottom + GAP;
    const top = below + height < innerHeight ? below : cell.top - GAP - height;
    dialog.style.left = `${Math.max(GAP, Math.min(innerWidth - width - GAP, left))}px`;
    dialog.style.top = `${Math.max(GAP, top)}px`;
  }, []);
  const pick = (text: string) => {
    element.current?.close();
    onPick(moves.find((move) => move.text === text)!);
  };
  return (
    <dialog
      ref={element}
      class="picker"
      aria-label={t("pick")}
      onClose={onClose}
      onClick={(event) => event.target === element.current && element.current?.close()}
      onKeyDown={(event) => event.stopPropagation()}
      data-testid="picker"
    >
      <MoveButtons moves={moves} label={t("pick")} onPlay={pick} />
    </dialog>
  );
}
