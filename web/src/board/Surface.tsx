/** The empty board of each kind of layout. */
import type { Layout } from "../api";
import { type Geometry, hexagon, type Point, pathOf, shapeOf, starPoints, UNIT } from "./geometry";

interface Props {
  layout: Layout;
  geometry: Geometry;
  pieces?: boolean; // not only stones: squares in two shades show where a piece can go
}

export function Surface(props: Props) {
  const { geometry, layout, pieces = false } = props;
  const size = Math.round(Math.max(22, 0.023 * geometry.width)); // about the same on the screen for every board
  return (
    <g aria-hidden="true">
      {layout.kind === "hexes" ? <HexField {...props} /> : <Plate {...props} />}
      {layout.kind === "lines" && <Lines {...props} />}
      {layout.kind === "cells" && pieces && <Checks {...props} />}
      {(layout.kind === "discs" || (layout.kind === "cells" && !pieces)) && <Squares {...props} />}
      {layout.kind === "gravity" &&
        geometry.cells.map((at) => <Hole key={at.x + at.y * 1e4} at={at} geometry={geometry} />)}
      {[...geometry.columns, ...geometry.rows].map(({ x, y, text }) => (
        <text
          key={`${x} ${y}`}
          class="coordinate"
          font-size={size}
          x={x}
          y={y}
          text-anchor="middle"
          dominant-baseline="central"
        >
          {text}
        </text>
      ))}
    </g>
  );
}

function Plate({ geometry: { frame }, layout: { kind } }: Props) {
  const round = kind === "gravity" ? 44 : kind === "lines" ? 14 : 10;
  return <rect class={`plate plate-${kind}`} {...frame} rx={round} />;
}

const Hole = ({ at, geometry }: { at: Point; geometry: Geometry }) => (
  <circle class="hole" cx={at.x} cy={at.y} r={geometry.radius} />
);

function Lines({ geometry: { cells }, layout }: Props) {
  const { rows, cols } = layout;
  const at = (row: number, col: number): Point => cells[row * cols + col]!;
  const across = Array.from({ length: rows }, (_, row) => pathOf([at(row, 0), at(row, cols - 1)], false));
  const down = Array.from({ length: cols }, (_, col) => pathOf([at(0, col), at(rows - 1, col)], false));
  return (
    <>
      <path class="grid-lines" d={[...across, ...down].join("")} />
      <path class="grid-rim" d={pathOf([at(0, 0), at(0, cols - 1), at(rows - 1, cols - 1), at(rows - 1, 0)])} />
      {starPoints(layout).map((cell) => (
        <circle key={cell} class="star" cx={cells[cell]!.x} cy={cells[cell]!.y} r={rows > 13 ? 8 : 7} />
      ))}
    </>
  );
}

function Squares({ geometry: { frame }, layout: { rows, cols, kind } }: Props) {
  const down = Array.from({ length: cols - 1 }, (_, i) => `M${frame.x + (i + 1) * UNIT} ${frame.y}v${frame.height}`);
  const across = Array.from({ length: rows - 1 }, (_, i) => `M${frame.x} ${frame.y + (i + 1) * UNIT}h${frame.width}`);
  return <path class={kind === "cells" ? "grid-strokes" : "grid-felt"} d={[...down, ...across].join("")} />;
}

function Checks({ geometry, layout }: Props) {
  const { rows, cols } = layout;
  const { x, y, width, height } = geometry.frame;
  const dark = geometry.cells.flatMap((_, cell) =>
    (Math.floor(cell / cols) + (cell % cols) + rows) % 2 ? [shapeOf(layout, geometry, cell)] : [],
  );
  return (
    <>
      <rect class="checks" x={x - 2} y={y - 2} width={width + 4} height={height + 4} rx="4" />
      <path class="checks-dark" d={dark.join("")} />
    </>
  );
}

/** The first player's edges are top and bottom, the second's left and right. */
function HexField({ geometry: { cells }, layout: { rows, cols } }: Props) {
  const corners = (row: number, col: number): Point[] => hexagon(cells[row * cols + col]!);
  const top: Point[] = [];
  const bottom: Point[] = [];
  const left: Point[] = [];
  const right: Point[] = [];
  for (let col = 0; col < cols; col++) {
    top.push(...pick(corners(0, col), 5, 0, 1));
    bottom.push(...pick(corners(rows - 1, col), 4, 3, 2));
  }
  for (let row = 0; row < rows; row++) {
    left.push(...pick(corners(row, 0), 5, 4, 3));
    right.push(...pick(corners(row, cols - 1), 0, 1, 2));
  }
  return (
    <>
      <path class="edge edge-1" d={pathOf(top, false) + pathOf(bottom, false)} />
      <path class="edge edge-2" d={pathOf(left.slice(0, -1), false) + pathOf(right.slice(1), false)} />
      {cells.map((at) => (
        <path key={`${at.x} ${at.y}`} class="hex" d={pathOf(hexagon(at))} />
      ))}
    </>
  );
}

const pick = (corners: Point[], ...which: number[]): Point[] => which.map((i) => corners[i]!);
