/** A board of any layout, for the mouse, the finger, the keyboard and the screen reader. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Layout, LegalMove, Side, Stone } from "../api";
import { choicesOf, clicked, movesAt, openCells, targetsOf } from "./choice";
import { type Geometry, geometryOf } from "./geometry";
import { Marks, Selection, Trace } from "./Overlay";
import { Picker } from "./Picker";
import { Man, Piece } from "./Piece";
import { Stones } from "./Stones";
import { Surface } from "./Surface";
import { Targets } from "./Targets";
import { TextBoard } from "./TextBoard";

export interface BoardProps {
  layout: Layout;
  stones: readonly Stone[];
  glyphs?: readonly string[] | null; // by cell; null: plain stones
  text?: string | null; // what is shown where no board is drawn
  last?: number | null;
  lastFrom?: number | null; // where the last move came from
  line?: readonly number[];
  toMove: Side;
  legal: readonly LegalMove[]; // what may be played here; empty: nothing
  label: string;
  coordinates: boolean;
  quiet?: boolean; // no hover preview: something else is shown
  free?: boolean; // every cell is its own target, even where discs fall
  onPlay: (move: string) => void;
  onPoint?: ((move: LegalMove | null) => void) | undefined;
  children?: (geometry: Geometry) => ComponentChildren;
}

export function Board(props: BoardProps) {
  if (props.layout.kind !== "text") return <DrawnBoard {...props} />;
  return <TextBoard text={props.text ?? ""} label={props.label} legal={props.legal} onPlay={props.onPlay} />;
}

function DrawnBoard(props: BoardProps) {
  const { layout, stones, glyphs = null, last = null, lastFrom = null, legal, coordinates } = props;
  const geometry = useMemo(() => geometryOf(layout, coordinates), [layout, coordinates]);
  const falls = layout.kind === "gravity" && !props.free;
  const choices = useMemo(() => choicesOf(layout, legal, falls), [layout, legal, falls]);
  const pointed = useSignal<number | null>(null);
  // Both belong to the moves that were legal then: in another position nothing is selected.
  const selection = useSignal<{ legal: readonly LegalMove[]; cell: number } | null>(null);
  const asked = useSignal<{ legal: readonly LegalMove[]; moves: readonly LegalMove[]; at: Element } | null>(null);
  const selected = selection.value?.legal === legal ? selection.value.cell : null;
  const aim = pointed.value === null ? undefined : movesAt(choices, selected, pointed.value)[0];
  const targets = targetsOf(choices, selected);
  const point = (cell: number | null) => {
    pointed.value = cell;
    props.onPoint?.(cell === null ? null : (movesAt(choices, selected, cell)[0] ?? null));
  };
  const select = (cell: number | null) => {
    selection.value = cell === null ? null : { legal, cell };
  };
  const play = (move: LegalMove) => {
    select(null);
    props.onPlay(move.text);
  };
  const click = (cell: number, at: Element) => {
    const found = clicked(choices, selected, cell);
    if ("select" in found) select(found.select);
    else if (found.moves.length === 1) play(found.moves[0]!);
    else asked.value = { legal, moves: found.moves, at };
  };
  return (
    <>
      <svg
        class={`board board-${layout.kind}${glyphs ? " board-glyphs" : ""}`}
        viewBox={`0 0 ${Math.round(geometry.width)} ${Math.round(geometry.height)}`}
        style={{ "--across": layout.cols }}
        role="grid"
        aria-label={props.label}
        aria-rowcount={layout.rows}
        aria-colcount={layout.cols}
        data-testid="board"
        onPointerLeave={() => point(null)}
      >
        <Surface layout={layout} geometry={geometry} pieces={glyphs !== null} />
        <Trace layout={layout} geometry={geometry} from={lastFrom} to={glyphs && last} />
        <Selection layout={layout} geometry={geometry} selected={selected} targets={targets} stones={stones} />
        <Stones layout={layout} stones={stones} glyphs={glyphs} last={last} lastFrom={lastFrom} geometry={geometry} />
        {layout.kind === "discs" && !props.free && <Possible legal={legal} geometry={geometry} />}
        {aim && !props.quiet && aim.cell !== null && (
          <Ghost {...props} glyphs={glyphs} geometry={geometry} cell={aim.cell} from={selected} />
        )}
        <Marks last={glyphs ? null : last} line={props.line ?? []} stones={stones} geometry={geometry} />
        {props.children?.(geometry)}
        <Targets
          layout={layout}
          stones={stones}
          glyphs={glyphs}
          geometry={geometry}
          last={last}
          selected={selected}
          targets={targets}
          open={openCells(choices, selected)}
          onClick={click}
          onEscape={() => select(null)}
          onPoint={point}
        />
      </svg>
      {asked.value?.legal === legal && (
        <Picker
          moves={asked.value.moves}
          at={asked.value.at}
          onPick={play}
          onClose={() => {
            asked.value = null;
          }}
        />
      )}
    </>
  );
}

/** Where a disc may go, on boards where most empty cells are closed. */
const Possible = ({ legal, geometry }: { legal: readonly LegalMove[]; geometry: Geometry }) => (
  <g aria-hidden="true">
    {legal.map(({ action, from, cell }) => {
      const at = cell === null || from !== null ? null : geometry.cells[cell]!;
      return at && <circle key={action} class="possible" cx={at.x} cy={at.y} r="9" />;
    })}
  </g>
);

interface GhostProps {
  layout: Layout;
  stones: readonly Stone[];
  glyphs: readonly string[] | null;
  toMove: Side;
  geometry: Geometry;
  cell: number;
  from: number | null; // the piece that would move; null: a new one, of which glyphs do not tell the look
}

/** The move that a click would make. */
function Ghost({ layout, stones, glyphs, toMove, geometry, cell, from }: GhostProps) {
  const at = geometry.cells[cell]!;
  if (glyphs && from === null) return null;
  return (
    <g aria-hidden="true">
      {layout.kind === "gravity" && (
        <g class="hovering">
          <Piece
            kind={layout.kind}
            side={toMove}
            at={{ x: at.x, y: geometry.frame.y - 48 }}
            radius={geometry.radius * 0.9}
          />
        </g>
      )}
      <g class="ghost" data-testid="ghost">
        {from === null ? (
          <Piece kind={layout.kind} side={toMove} at={at} radius={geometry.radius} />
        ) : (
          <Man kind={layout.kind} stone={stones[from] ?? 0} glyph={glyphs?.[from]} at={at} radius={geometry.radius} />
        )}
      </g>
    </g>
  );
}
