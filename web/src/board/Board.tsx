/** A board of any layout, for the mouse, the finger, the keyboard and the screen reader. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Layout, LegalMove, Side, Stone } from "../api";
import { t } from "../i18n/i18n";
import { centreOf, type Geometry, geometryOf, hexagon, pathOf, UNIT } from "./geometry";
import { Marks } from "./Overlay";
import { Piece } from "./Piece";
import { Surface } from "./Surface";

export interface BoardProps {
  layout: Layout;
  stones: readonly Stone[];
  last?: number | null;
  line?: readonly number[];
  toMove: Side;
  legal: readonly LegalMove[]; // what may be played here; empty: nothing
  label: string;
  coordinates: boolean;
  quiet?: boolean; // no hover preview: something else is shown
  free?: boolean; // every cell is its own target, even where discs fall
  onPlay: (move: string) => void;
  onPoint?: (move: LegalMove | null) => void;
  children?: (geometry: Geometry) => ComponentChildren;
}

export function Board(props: BoardProps) {
  const { layout, stones, legal, coordinates } = props;
  const geometry = useMemo(() => geometryOf(layout, coordinates), [layout, coordinates]);
  const falls = layout.kind === "gravity" && !props.free;
  const targets = useMemo(() => targetsOf(layout, legal, falls), [layout, legal, falls]);
  const pointed = useSignal<number | null>(null);
  const aim = pointed.value === null ? undefined : targets.get(pointed.value);
  const point = (cell: number | null) => {
    pointed.value = cell;
    props.onPoint?.(cell === null ? null : (targets.get(cell) ?? null));
  };
  return (
    <svg
      class={`board board-${layout.kind}`}
      viewBox={`0 0 ${Math.round(geometry.width)} ${Math.round(geometry.height)}`}
      style={{ "--across": layout.cols }}
      role="grid"
      aria-label={props.label}
      aria-rowcount={layout.rows}
      aria-colcount={layout.cols}
      data-testid="board"
      onPointerLeave={() => point(null)}
    >
      <Surface layout={layout} geometry={geometry} />
      <Stones layout={layout} stones={stones} last={props.last ?? null} geometry={geometry} />
      {layout.kind === "discs" && !props.free && <Possible legal={legal} geometry={geometry} />}
      {aim && !props.quiet && aim.cell !== null && (
        <Ghost layout={layout} geometry={geometry} cell={aim.cell} side={props.toMove} />
      )}
      <Marks last={props.last ?? null} line={props.line ?? []} stones={stones} geometry={geometry} />
      {props.children?.(geometry)}
      <Targets {...props} geometry={geometry} targets={targets} onTarget={point} />
    </svg>
  );
}

type TargetMap = ReadonlyMap<number, LegalMove>;

/** Which move a cell stands for: on boards with gravity the whole column drops a disc. */
export function targetsOf(layout: Layout, legal: readonly LegalMove[], falls: boolean): TargetMap {
  const found = new Map<number, LegalMove>();
  for (const move of legal) {
    if (move.cell === null) continue;
    if (!falls) found.set(move.cell, move);
    else for (let row = 0; row < layout.rows; row++) found.set(row * layout.cols + (move.cell % layout.cols), move);
  }
  return found;
}

function Stones({
  layout,
  stones,
  last,
  geometry,
}: {
  layout: Layout;
  stones: readonly Stone[];
  last: number | null;
  geometry: Geometry;
}) {
  const before = useRef<readonly Stone[]>(stones);
  // Decided once per change of the stones: drawing again meanwhile must not cut a motion short.
  const motions = useMemo(() => {
    const old = before.current;
    before.current = stones;
    return stones.map((stone, cell) => motionOf(old[cell] ?? 0, stone, old !== stones && cell === last, layout.kind));
  }, [stones]);
  return (
    <g aria-hidden="true" data-testid="stones">
      {stones.map((stone, cell) => {
        if (stone === 0) return null;
        const at = geometry.cells[cell]!;
        const drop = { "--drop": `${geometry.frame.y - at.y - UNIT / 2}px`, "--x": `${at.x}px`, "--y": `${at.y}px` };
        return (
          <g key={`${cell}-${stone}`} class={motions[cell]} style={drop} data-cell={cell} data-stone={stone}>
            <Piece kind={layout.kind} side={stone === 1 ? 0 : 1} at={at} radius={geometry.radius} />
          </g>
        );
      })}
    </g>
  );
}

/** Where a disc may go, on boards where most empty cells are closed. */
const Possible = ({ legal, geometry }: { legal: readonly LegalMove[]; geometry: Geometry }) => (
  <g aria-hidden="true">
    {legal.map(({ cell }) => {
      const at = cell === null ? null : geometry.cells[cell]!;
      return at && <circle key={cell} class="possible" cx={at.x} cy={at.y} r="9" />;
    })}
  </g>
);

function motionOf(was: Stone, is: Stone, last: boolean, kind: Layout["kind"]): string | undefined {
  if (was !== 0 && is !== 0 && was !== is) return "flips";
  return was === 0 && is !== 0 && last ? (kind === "gravity" ? "falls" : "lands") : undefined;
}

function Ghost({ layout, geometry, cell, side }: { layout: Layout; geometry: Geometry; cell: number; side: Side }) {
  const at = geometry.cells[cell]!;
  return (
    <g aria-hidden="true">
      {layout.kind === "gravity" && (
        <g class="hovering">
          <Piece
            kind={layout.kind}
            side={side}
            at={{ x: at.x, y: geometry.frame.y - 48 }}
            radius={geometry.radius * 0.9}
          />
        </g>
      )}
      <g class="ghost" data-testid="ghost">
        <Piece kind={layout.kind} side={side} at={at} radius={geometry.radius} />
      </g>
    </g>
  );
}

interface TargetProps extends BoardProps {
  geometry: Geometry;
  targets: TargetMap;
  onTarget: (cell: number | null) => void;
}

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** The cells as a grid of which one can be focused at a time. */
function Targets({ layout, stones, geometry, targets, last, onPlay, onTarget }: TargetProps) {
  const roving = useSignal(centreOf(layout));
  const group = useRef<SVGGElement>(null);
  const at = Math.min(roving.value, stones.length - 1);
  const keyDown = (event: KeyboardEvent) => {
    const next = nextCell(event.key, at, layout);
    if (next !== null) {
      roving.value = next;
      onTarget(next);
      group.current?.querySelector<SVGElement>(`[data-cell="${next}"]`)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      const move = targets.get(at);
      if (move) onPlay(move.text);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const click = (cell: number) => {
    roving.value = cell;
    const move = targets.get(cell);
    if (move) onPlay(move.text);
  };
  return (
    <g ref={group} role="rowgroup">
      {Array.from({ length: layout.rows }, (_, row) => (
        <g role="row" key={row}>
          {Array.from({ length: layout.cols }, (_, col) => {
            const cell = row * layout.cols + col;
            return (
              <g
                key={cell}
                role="gridcell"
                class={targets.has(cell) ? "target open" : "target"}
                data-cell={cell}
                data-name={layout.cell_names[cell]}
                tabindex={cell === at ? 0 : -1}
                aria-label={describe(layout.cell_names[cell]!, stones[cell] ?? 0, cell === last)}
                onClick={() => click(cell)}
                onKeyDown={keyDown}
                onPointerEnter={(event) => event.pointerType !== "touch" && onTarget(cell)}
                onFocus={() => {
                  roving.value = cell;
                }}
              >
                <path d={shapeOf(layout, geometry, cell)} />
              </g>
            );
          })}
        </g>
      ))}
    </g>
  );
}

function nextCell(key: string, at: number, { rows, cols }: Layout): number | null {
  const row = Math.floor(at / cols);
  const col = at % cols;
  if (key === "Home") return row * cols;
  if (key === "End") return row * cols + cols - 1;
  const step = STEPS[key];
  if (!step) return null;
  const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
  return clamp(row + step[0], rows) * cols + clamp(col + step[1], cols);
}

function shapeOf({ kind, cols }: Layout, geometry: Geometry, cell: number): string {
  const at = geometry.cells[cell]!;
  if (kind === "hexes") return pathOf(hexagon(at));
  const half = UNIT / 2;
  const up = kind === "gravity" && cell < cols ? UNIT + half : half; // the place above the board belongs to its column
  return `M${at.x - half} ${at.y - up}h${UNIT}V${at.y + half}h${-UNIT}z`;
}

function describe(name: string, stone: Stone, last: boolean): string {
  const what = stone === 0 ? t("cell.empty") : t(stone === 1 ? "side.first" : "side.second");
  return `${name}, ${what}${last ? `, ${t("cell.last")}` : ""}`;
}
