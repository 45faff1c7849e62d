/** What is drawn over the stones: heat, marks, numbers, hints. */
import type { Layout, Side, Stone } from "../api";
import { type Geometry, type Point, pathOf, shapeOf } from "./geometry";
import type { Warmth } from "./heat";

export function HeatLayer({ warmths, geometry }: { warmths: readonly Warmth[]; geometry: Geometry }) {
  const radius = Math.min(geometry.radius, 41);
  return (
    <g aria-hidden="true" class="heat" data-testid="heat">
      {warmths.map(
        ({ cell, from, best }) =>
          best && from !== null && <Arrow key="arrow" from={geometry.cells[from]!} to={geometry.cells[cell]!} />,
      )}
      {warmths.map(({ cell, strength, tone, label, best }) => {
        const { x, y } = geometry.cells[cell]!;
        const hue = tone === null ? "heat-more" : tone >= 0 ? "heat-good" : "heat-bad";
        const depth = tone === null ? 0.16 + 0.84 * strength : 0.3 + 0.7 * Math.abs(tone) * strength;
        return (
          <g key={cell} data-cell={cell}>
            <circle class={hue} cx={x} cy={y} r={radius * (0.62 + 0.38 * strength)} fill-opacity={depth.toFixed(2)} />
            {best && <circle class="heat-best" cx={x} cy={y} r={radius} />}
            {label && (
              <text
                class={depth > 0.55 ? "heat-text strong" : "heat-text"}
                x={x}
                y={y}
                text-anchor="middle"
                dominant-baseline="central"
              >
                {label}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

export function Numbers({
  numbers,
  stones,
  geometry,
}: {
  numbers: ReadonlyMap<number, number>;
  stones: readonly Stone[];
  geometry: Geometry;
}) {
  return (
    <g aria-hidden="true">
      {[...numbers].map(([cell, number]) => {
        const { x, y } = geometry.cells[cell]!;
        return (
          <text
            key={cell}
            class={`number on-${stones[cell] ?? 0}`}
            x={x}
            y={y}
            text-anchor="middle"
            dominant-baseline="central"
          >
            {number}
          </text>
        );
      })}
    </g>
  );
}

/** From where to where a piece is to go; it ends where the circle of its target begins. */
export function Arrow({ from, to }: { from: Point; to: Point }) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const at = (along: number, aside: number): Point => ({
    x: from.x + (dx * along - dy * aside) / length,
    y: from.y + (dy * along + dx * aside) / length,
  });
  const end = length - 26;
  const shaft = [at(18, -5), at(18, 5), at(end - 24, 5)];
  return (
    <path class="arrow" d={pathOf([...shaft, at(end - 24, 17), at(end, 0), at(end - 24, -17), at(end - 24, -5)])} />
  );
}

interface PlaceProps {
  layout: Layout;
  geometry: Geometry;
}

/** The cells of a move of a piece: below what stands on them. */
export function Trace({ layout, geometry, from, to }: PlaceProps & { from: number | null; to: number | null }) {
  const cells = [from, to].filter((cell) => cell !== null);
  return (
    <g aria-hidden="true" data-testid="trace">
      {cells.map((cell) => (
        <path key={cell} class="trace" data-cell={cell} d={shapeOf(layout, geometry, cell)} />
      ))}
    </g>
  );
}

/** The piece that is to move, and where it may go. */
export function Selection(
  props: PlaceProps & { selected: number | null; targets: readonly number[]; stones: readonly Stone[] },
) {
  const { layout, geometry, selected, targets, stones } = props;
  if (selected === null) return null;
  return (
    <g aria-hidden="true" data-testid="selection">
      <path class="selected" d={shapeOf(layout, geometry, selected)} />
      {targets.map((cell) =>
        stones[cell] === 0 ? (
          <circle key={cell} class="aim" cx={geometry.cells[cell]!.x} cy={geometry.cells[cell]!.y} r="15" />
        ) : (
          <path key={cell} class="aim-taken" d={shapeOf(layout, geometry, cell)} />
        ),
      )}
    </g>
  );
}

/** The last move, and the cells that won. */
export function Marks({
  last,
  line,
  stones,
  geometry,
}: {
  last: number | null;
  line: readonly number[];
  stones: readonly Stone[];
  geometry: Geometry;
}) {
  const ends = line.length > 1 ? [geometry.cells[line[0]!]!, geometry.cells[line[line.length - 1]!]!] : [];
  const straight = ends.length === 2 && isStraight(line, geometry);
  return (
    <g aria-hidden="true">
      {last !== null && stones[last] !== 0 && (
        <circle
          class={`last on-${stones[last]}`}
          cx={geometry.cells[last]!.x}
          cy={geometry.cells[last]!.y}
          r={geometry.radius * 0.26}
        />
      )}
      {line.map((cell) => (
        <circle
          key={cell}
          class="won"
          data-testid="won"
          cx={geometry.cells[cell]!.x}
          cy={geometry.cells[cell]!.y}
          r={geometry.radius * 0.98}
        />
      ))}
      {straight && <line class="won-line" x1={ends[0]!.x} y1={ends[0]!.y} x2={ends[1]!.x} y2={ends[1]!.y} />}
    </g>
  );
}

function isStraight(line: readonly number[], { cells }: Geometry): boolean {
  const [first, last] = [cells[line[0]!]!, cells[line[line.length - 1]!]!];
  return line.every((cell) => {
    const at = cells[cell]!;
    return Math.abs((last.x - first.x) * (at.y - first.y) - (last.y - first.y) * (at.x - first.x)) < 1;
  });
}

export interface Label {
  cell: number;
  text: string;
  tone: number; // −1, 0, 1
}

/** Exact scores: on the cell, or above the column where discs fall. */
export function Labels({ labels, geometry, above }: { labels: readonly Label[]; geometry: Geometry; above: boolean }) {
  return (
    <g aria-hidden="true" data-testid="exact">
      {labels.map(({ cell, text, tone }) => {
        const { x } = geometry.cells[cell]!;
        const y = above ? geometry.frame.y - 44 : geometry.cells[cell]!.y;
        return (
          <g key={cell}>
            <rect class={`exact tone-${tone}`} x={x - 38} y={y - 26} width="76" height="52" rx="26" />
            <text class="exact-text" x={x} y={y} text-anchor="middle" dominant-baseline="central">
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Where to look, without saying exactly where. */
export function Region({ cells, geometry }: { cells: readonly number[]; geometry: Geometry }) {
  return (
    <g aria-hidden="true" class="region" data-testid="region">
      {cells.map((cell) => (
        <circle key={cell} cx={geometry.cells[cell]!.x} cy={geometry.cells[cell]!.y} r="60" />
      ))}
    </g>
  );
}

const LEAST_SURE = 0.2; // below, a cell is anybody's

export const isOwned = (owner: number): boolean => Math.abs(owner) >= LEAST_SURE;

/** Who owns each cell as a number from 1, the first player, to −1. */
export const certainOwners = (owners: readonly Stone[]): number[] => owners.map((owner) => [0, 1, -1][owner]!);

/** For whom each cell counts at the end, where that is not the stone on it; what is only foreseen lies below the rest,
 * the larger and darker the surer. */
export function Territory(props: {
  owners: readonly number[];
  stones: readonly Stone[];
  geometry: Geometry;
  foreseen?: boolean;
}) {
  const { owners, stones, geometry, foreseen = false } = props;
  return (
    <g aria-hidden="true" class={foreseen ? "foreseen" : undefined} data-testid={foreseen ? "foreseen" : "territory"}>
      {owners.map((owner, cell) => {
        const at = geometry.cells[cell];
        const side = owner > 0 ? 1 : 2;
        if (!at || !isOwned(owner) || side === stones[cell]) return null;
        const sure = Math.abs(owner);
        const half = geometry.radius * (foreseen ? 0.3 + 0.6 * sure : 0.3);
        return (
          <rect
            key={cell}
            class={`territory side-${side}`}
            opacity={foreseen ? (0.3 + 0.4 * sure).toFixed(2) : undefined}
            data-cell={cell}
            x={at.x - half}
            y={at.y - half}
            width={2 * half}
            height={2 * half}
          />
        );
      })}
    </g>
  );
}

export const stoneOf = (side: Side): Stone => (side === 0 ? 1 : 2);
