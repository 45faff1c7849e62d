import { expect, test } from "vitest";
import type { Layout, LegalMove } from "../src/api";
import { choicesOf, clicked, movesAt, openCells, targetsOf, withoutPlace } from "../src/board/choice";
import { warmths } from "../src/board/heat";
import { glyphSize } from "../src/board/Piece";
import type { MoveRow } from "../src/store/messages";

const layout: Layout = { kind: "cells", rows: 3, cols: 3, first_row_at_bottom: true, cell_names: [] };
const move = (text: string, from: number | null, cell: number | null): LegalMove => ({ action: 0, text, from, cell });

const [step, take, queen, knight] = [move("a", 6, 3), move("b", 7, 3), move("c=Q", 8, 2), move("c=N", 8, 2)];
const [put, pass, wall, other, lift] = [
  move("put", null, 4),
  move("pass", null, null),
  move("h4", null, 5),
  move("v4", null, 5),
  move("lift", 0, null),
];
const all = [step, take, queen, knight, put, pass, wall, other, lift];
const choices = choicesOf(layout, all, false);

test("a cell where a move begins is selected, then its target plays", () => {
  expect(clicked(choices, null, 6)).toEqual({ select: 6 });
  expect(targetsOf(choices, 6)).toEqual([3]);
  expect(clicked(choices, 6, 3)).toEqual({ moves: [step] });
  expect(clicked(choices, 7, 3)).toEqual({ moves: [take] });
});

test("another piece is selected instead; the same one again, or a cell that says nothing, unselects", () => {
  expect(clicked(choices, 6, 7)).toEqual({ select: 7 });
  expect(clicked(choices, 6, 6)).toEqual({ select: null });
  expect(clicked(choices, 6, 1)).toEqual({ select: null });
  expect(clicked(choices, null, 3)).toEqual({ select: null });
});

test("several moves of the same cells are all named", () => {
  expect(clicked(choices, 8, 2)).toEqual({ moves: [queen, knight] });
  expect(clicked(choices, null, 5)).toEqual({ moves: [wall, other] });
});

test("a move of one cell needs one click, whichever cell it has, also while a piece is selected", () => {
  expect(clicked(choices, null, 4)).toEqual({ moves: [put] });
  expect(clicked(choices, 6, 4)).toEqual({ moves: [put] });
  expect(clicked(choices, null, 0)).toEqual({ moves: [lift] });
});

test("a piece that may also stay is selected first, and stays at the second click", () => {
  const both = choicesOf(layout, [move("go", 0, 1), move("stay", 0, 0)], false);
  expect(clicked(both, null, 0)).toEqual({ select: 0 });
  expect(movesAt(both, 0, 0).map((each) => each.text)).toEqual(["stay"]);
});

test("open are the cells that answer a click, and only moves without any cell are buttons", () => {
  expect([...openCells(choices, null)].sort()).toEqual([0, 4, 5, 6, 7, 8]);
  expect(openCells(choices, 6).has(3)).toBe(true);
  expect(withoutPlace(all)).toEqual([pass]);
});

test("where discs fall every cell of a column stands for it", () => {
  const drops = choicesOf({ ...layout, kind: "gravity" }, [move("2", null, 7)], true);
  expect([1, 4, 7].every((cell) => movesAt(drops, null, cell)[0]?.text === "2")).toBe(true);
});

test("of the moves that end on one cell the best is shown", () => {
  const row = (name: string, from: number, visits: number, q: number) =>
    ({ move: name, from, cell: 3, visits, share: visits / 10, prior: 0.1, q, proven: null }) as MoveRow;
  const rows = [row("good", 6, 8, 0.5), row("bad", 7, 2, -0.9)];
  expect(warmths(rows, "visits")).toMatchObject([{ cell: 3, from: 6, label: "80", best: true }]);
  expect(warmths(rows, "value")).toMatchObject([{ cell: 3, tone: 0.5 }]);
});

test("glyphs are as large as their cell lets them be", () => {
  expect(glyphSize("♞", 80)).toBe(80);
  expect(glyphSize("Q", 80)).toBe(80);
  expect(glyphSize("e\u0301", 80)).toBe(80); // an accent takes no room
  expect(glyphSize("王将", 80)).toBe(44);
  expect(glyphSize("abcdefgh", 80)).toBeLessThan(20);
});
