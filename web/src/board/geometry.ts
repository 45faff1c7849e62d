/** Where things are on a board, from its layout alone. One cell is 100 units wide; row 0 is at the top. */
import type { Layout } from "../api";

export interface Point {
  x: number;
  y: number;
}

export interface Geometry {
  width: number;
  height: number;
  cells: Point[]; // centres
  radius: number; // of a stone
  frame: { x: number; y: number; width: number; height: number }; // the board itself, without coordinates
  columns: (Point & { text: string })[]; // coordinates
  rows: (Point & { text: string })[];
}

export const UNIT = 100;
const HALF = UNIT / 2;
const MARGIN = 56; // room for coordinates
const HEX_WIDTH = UNIT;
export const HEX_SIDE = HEX_WIDTH / Math.sqrt(3);

const RADIUS: Record<Layout["kind"], number> = { cells: 30, gravity: 41, lines: 47, hexes: 50, discs: 40, text: 0 };
/** How far the board reaches beyond the centres of its outer cells. */
const RIM: Record<Layout["kind"], number> = { cells: 50, gravity: 62, lines: 62, hexes: 62, discs: 50, text: 0 };

export function geometryOf(layout: Layout, coordinates = true): Geometry {
  const { kind, rows, cols, cell_names } = layout;
  const hexes = kind === "hexes";
  const rim = RIM[kind];
  const edge = rim + (coordinates ? MARGIN : hexes ? 14 : 10);
  const top = edge + (kind === "gravity" ? UNIT : 0); // above a board with gravity hangs the next disc
  const stepY = hexes ? 1.5 * HEX_SIDE : UNIT;
  const cells = Array.from({ length: rows * cols }, (_, cell) => {
    const row = Math.floor(cell / cols);
    return { x: edge + (cell % cols) * UNIT + (hexes ? row * HALF : 0), y: top + row * stepY };
  });
  const last = cells[cells.length - 1]!;
  const label = rim + 30;
  return {
    width: last.x + edge,
    height: last.y + (coordinates || hexes ? edge : rim + 10),
    cells,
    radius: RADIUS[kind],
    frame: { x: edge - rim, y: top - rim, width: last.x - edge + 2 * rim, height: last.y - top + 2 * rim },
    columns: coordinates
      ? Array.from({ length: cols }, (_, col) => {
          const at = hexes ? cells[col]! : cells[(rows - 1) * cols + col]!;
          const text = kind === "gravity" ? String(col + 1) : letters(cell_names[col]!);
          return { x: at.x - (hexes ? 24 : 0), y: hexes ? at.y - label + 8 : at.y + label, text };
        })
      : [],
    rows:
      coordinates && kind !== "gravity"
        ? Array.from({ length: rows }, (_, row) => {
            const at = cells[row * cols]!;
            return { x: at.x - label, y: at.y + (hexes ? 4 : 0), text: digits(cell_names[row * cols]!) };
          })
        : [],
  };
}

const letters = (name: string): string => name.replace(/\d+$/, "");
const digits = (name: string): string => name.replace(/^\D+/, "");

/** The corners of a hexagon standing on its point, clockwise from the top. */
export function hexagon({ x, y }: Point, scale = 1): Point[] {
  const half = (HEX_WIDTH / 2) * scale;
  const side = HEX_SIDE * scale;
  return [
    { x, y: y - side },
    { x: x + half, y: y - side / 2 },
    { x: x + half, y: y + side / 2 },
    { x, y: y + side },
    { x: x - half, y: y + side / 2 },
    { x: x - half, y: y - side / 2 },
  ];
}

export const pathOf = (points: readonly Point[], closed = true): string =>
  `M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}${closed ? "Z" : ""}`;

/** The outline of a cell; the place above a board where discs fall belongs to its column, where that is wanted. */
export function shapeOf({ kind, cols }: Layout, { cells }: Geometry, cell: number, reach = false): string {
  const at = cells[cell]!;
  if (kind === "hexes") return pathOf(hexagon(at));
  const up = reach && kind === "gravity" && cell < cols ? UNIT + HALF : HALF;
  return `M${at.x - HALF} ${at.y - up}h${UNIT}V${at.y + HALF}h${-UNIT}z`;
}

export const round = (n: number): number => Math.round(n * 10) / 10;

/** The points of a board of lines that are marked: the centre, and the corners' on boards with room for them. */
export function starPoints({ rows, cols }: Layout): number[] {
  if (rows !== cols || rows < 5) return [];
  const centre = (rows - 1) / 2;
  const stars: [number, number][] = rows % 2 ? [[centre, centre]] : [];
  const inset = rows >= 13 ? 3 : 2;
  if (rows >= 9)
    for (const r of [inset, rows - 1 - inset]) for (const c of [inset, cols - 1 - inset]) stars.push([r, c]);
  if (rows >= 15 && rows % 2) {
    for (const far of [inset, rows - 1 - inset]) stars.push([far, centre], [centre, far]);
  }
  return stars.map(([row, col]) => row * cols + col);
}

/** The cell in the middle: 天元, where the keyboard begins. */
export const centreOf = ({ rows, cols }: Layout): number => Math.floor(rows / 2) * cols + Math.floor(cols / 2);

/** The cells around a cell, itself included: a region to look at. */
export function around({ rows, cols }: Layout, cell: number, reach: number): number[] {
  const row = Math.floor(cell / cols);
  const col = cell % cols;
  const near: number[] = [];
  for (let r = Math.max(0, row - reach); r <= Math.min(rows - 1, row + reach); r++) {
    for (let c = Math.max(0, col - reach); c <= Math.min(cols - 1, col + reach); c++) near.push(r * cols + c);
  }
  return near;
}
