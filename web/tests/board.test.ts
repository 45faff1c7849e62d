import { expect, test } from "vitest";
import type { Kind, Layout } from "../src/api";
import { around, centreOf, geometryOf, starPoints } from "../src/board/geometry";
import { strengthOf, warmths } from "../src/board/heat";
import type { MoveRow } from "../src/store/messages";

function layoutOf(kind: Kind, rows: number, cols = rows): Layout {
  const cell_names = Array.from({ length: rows * cols }, (_, cell) => {
    const row = Math.floor(cell / cols);
    return `${String.fromCharCode(97 + (cell % cols))}${rows - row}`;
  });
  return { kind, rows, cols, first_row_at_bottom: true, cell_names };
}

test.each(["cells", "gravity", "lines", "hexes", "discs"] as const)(
  "every cell of %s lies inside the picture",
  (kind) => {
    for (const coordinates of [true, false]) {
      const { cells, width, height, radius } = geometryOf(layoutOf(kind, 6, 7), coordinates);
      expect(cells).toHaveLength(42);
      for (const { x, y } of cells) {
        expect(x - radius).toBeGreaterThanOrEqual(0);
        expect(x + radius).toBeLessThanOrEqual(width);
        expect(y - radius).toBeGreaterThanOrEqual(0);
        expect(y + radius).toBeLessThanOrEqual(height);
      }
    }
  },
);

test("hexagons touch: a cell's six neighbours are equally far", () => {
  const { cells } = geometryOf(layoutOf("hexes", 3));
  const middle = cells[4];
  for (const neighbour of [1, 2, 3, 5, 6, 7]) {
    const there = cells[neighbour];
    expect(Math.hypot((there?.x ?? 0) - (middle?.x ?? 0), (there?.y ?? 0) - (middle?.y ?? 0))).toBeCloseTo(100);
  }
});

test("coordinates come from the names of the cells; columns of falling discs are numbered", () => {
  const lines = geometryOf(layoutOf("lines", 9));
  expect(lines.columns.map((each) => each.text).join("")).toBe("abcdefghi");
  expect(lines.rows.map((each) => each.text)).toEqual(["9", "8", "7", "6", "5", "4", "3", "2", "1"]);
  expect(
    geometryOf(layoutOf("gravity", 6, 7))
      .columns.map((each) => each.text)
      .join(""),
  ).toBe("1234567");
});

test("stars: the centre of odd boards, corners where there is room", () => {
  expect(starPoints(layoutOf("lines", 9))).toContain(centreOf(layoutOf("lines", 9)));
  expect(starPoints(layoutOf("lines", 19))).toHaveLength(9);
  expect(starPoints(layoutOf("lines", 6))).toEqual([]);
});

test("a region stays on the board", () => {
  expect(around(layoutOf("cells", 3), 0, 1)).toEqual([0, 1, 3, 4]);
});

const row = (move: string, cell: number | null, prior: number, share: number, q: number, visits: number): MoveRow =>
  ({ move, from: null, cell, prior, share, q, visits, proven: null }) as MoveRow;

const moves = [row("a", 0, 0.2, 0.7, 0.5, 70), row("b", 1, 0.7, 0.3, -0.5, 30), row("pass", null, 0.1, 0, 0, 0)];

test("heat: the strongest move has full strength, moves without a place have none", () => {
  const visits = warmths(moves, "visits");
  expect(visits.map((each) => each.cell)).toEqual([0, 1]);
  expect(visits[0]).toMatchObject({ strength: 1, label: "70", best: true });
  expect(warmths(moves, "prior")[1]).toMatchObject({ strength: 1, label: "70", best: false });
  expect(warmths(moves, "off")).toEqual([]);
});

test("heat of values has a tone and leaves out what was never visited", () => {
  expect(warmths(moves, "value").map((each) => each.tone)).toEqual([0.5, -0.5]);
});

test("strength grows with the share", () => {
  expect(strengthOf(0, 1)).toBe(0);
  expect(strengthOf(0.1, 0.5)).toBeLessThan(strengthOf(0.2, 0.5));
  expect(strengthOf(0.3, 0)).toBe(0);
});
