import { expect, test } from "vitest";
import type { Field, GameEntry } from "../src/api";
import { compact, duration, short, signed, whole } from "../src/i18n/numbers";
import { aligned, joined, over } from "../src/store/curves";
import { boardsOf, gameId, known, readId, scaleOf, within } from "../src/store/fields";
import type { Branch } from "../src/store/messages";
import { layOut, PILL, textsTo } from "../src/store/treelayout";

const field = (kind: Field["kind"], low: number, high: number, usual: number): Field => ({
  name: "x",
  kind,
  low,
  high,
  default: usual,
  choices: [],
  sentence: "",
});

test("settings that were saved and are gone by now are left out", () => {
  expect(known({ x: 2, lcb: true }, [field("real", 0, 100, 1)])).toEqual({ x: 2 });
});

test.each([
  field("real", 0, 100, 1.25),
  field("real", 0, 1, 0),
  field("integer", 0, 4, 0),
  field("integer", 0, 1e9, 400),
  field("real", 1, 1e9, 500),
  field("real", 0.01, 1000, 10.83),
])("a slider reaches its ends and finds its way back", (each) => {
  const scale = scaleOf(each);
  expect(scale.toValue(0)).toBeCloseTo(each.low);
  for (const place of [0, 1, Math.floor(scale.steps / 2), scale.steps]) {
    expect(Math.abs(scale.toPlace(scale.toValue(place)) - place)).toBeLessThanOrEqual(scale.steps / 12);
    expect(within(each, scale.toValue(place))).toBe(scale.toValue(place));
  }
  expect(scale.toPlace(Number(each.default))).toBeGreaterThanOrEqual(0);
});

test("game ids leave out what is usual", () => {
  expect(gameId("connect4", 0, 0, {})).toBe("connect4");
  expect(gameId("gomoku", 15, 15, {})).toBe("gomoku");
  expect(gameId("gomoku", 9, 15, {})).toBe("gomoku:9");
  expect(gameId("gomoku", 15, 15, { rule: "renju" })).toBe("gomoku:15,rule=renju");
});

test("curves are aligned on one axis, with holes", () => {
  const both = [{ points: [[1, 10] as [number, number]] }, { points: [[2, 20] as [number, number]] }];
  expect(aligned(both)).toEqual([
    [1, 2],
    [10, null],
    [null, 20],
  ]);
  expect(joined({ a: [[1, 1]] }, { a: [[2, 2]], b: [[2, 3]] })).toEqual({
    a: [
      [1, 1],
      [2, 2],
    ],
    b: [[2, 3]],
  });
});

test("numbers are short and have a true minus", () => {
  expect([short(950), short(9500), short(1_200_000)]).toEqual(["950", "9.5k", "1.2M"]);
  expect([whole(-0.3), whole(1234.5), whole(-7)]).toEqual(["0", "1,235", "-7"]);
  expect([signed(-0.5), signed(0.25), signed(0)]).toEqual(["−0.50", "+0.25", "0.00"]);
  expect([compact(0), compact(1634), compact(0.00003)]).toEqual(["0", "1634", "3.0e-5"]);
  expect([duration(0.5), duration(68), duration(120)].map((each) => each.join(" "))).toEqual([
    "30 s",
    "68 min",
    "2.0 h",
  ]);
});

function branch(text: string, parent: number | null, depth: number, visits: number): Branch {
  return { text, mover: 0, visits, q: 0, proven: null, main: false, depth, parent };
}

test("no two nodes of a tree overlap, and the most visited child is level with its parent", () => {
  const tree = [branch("", null, 0, 100)];
  for (let n = 0; n < 120; n++) {
    const parent = Math.floor(n / 3);
    tree.push(branch(`m${n}`, parent, (tree[parent]?.depth ?? 0) + 1, 100 - n / 2));
  }
  const { placed, width, height } = layOut(tree);
  expect(placed[1]?.y).toBe(placed[0]?.y);
  for (const a of placed) {
    expect(a.x + a.width).toBeLessThanOrEqual(width);
    expect(a.y + PILL / 2).toBeLessThanOrEqual(height);
    for (const b of placed) {
      const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || Math.abs(a.y - b.y) >= PILL;
      expect(a === b || apart).toBe(true);
    }
  }
  expect(textsTo(tree, 1)).toEqual(["m0"]);
});

test("a compared curve over each axis, with its intervals where there are any", () => {
  const points: [number, number, number, number, number | null][] = [
    [0.5, 10, 200, 100, 30],
    [1.5, 30, 600, 300, null],
  ];
  expect(over(points, "minutes").points).toEqual([
    [0.5, 100],
    [1.5, 300],
  ]);
  expect(over(points, "games")).toEqual({
    points: [
      [10, 100],
      [30, 300],
    ],
    errors: [[10, 30]],
  });
  expect(over(points, "evaluations").points[1]).toEqual([600, 300]);
});

const option = { low: null, high: null, step: null, about: "" };
const gomoku: GameEntry = {
  id: "gomoku",
  name: "gomoku",
  title: "Gomoku",
  sizes: [6, 9, 15],
  default_size: 15,
  options: [
    { ...option, name: "in_a_row", default: 5, choices: [] },
    { ...option, name: "rule", default: "freestyle", choices: ["freestyle", "renju"] },
  ],
  networks: ["gomoku:6,in_a_row=4", "gomoku:9"],
};

test("ids are read back", () => {
  expect(readId("gomoku:6,in_a_row=4,rule=renju", gomoku.options)).toEqual({
    size: 6,
    options: { in_a_row: 4, rule: "renju" },
  });
  expect(readId("connect4", [])).toEqual({ size: 0, options: {} });
});

test("boards with a network come first, with the rules that it knows", () => {
  expect(boardsOf(gomoku, {})).toEqual([
    { size: 9, options: {}, network: true },
    { size: 6, options: { in_a_row: 4 }, network: true },
    { size: 6, options: {}, network: false },
    { size: 15, options: {}, network: false },
  ]);
  const renju = boardsOf(gomoku, { rule: "renju" });
  expect(renju.filter((board) => board.network)).toHaveLength(2);
  expect(renju.filter((board) => !board.network).map((board) => board.size)).toEqual([6, 9, 15]);
});

test("a game of one board has a network or not", () => {
  const connect4 = { ...gomoku, sizes: [], default_size: 0, options: [], networks: ["connect4"] };
  expect(boardsOf(connect4, {})).toEqual([{ size: 0, options: {}, network: true }]);
  expect(boardsOf({ ...connect4, networks: [] }, {})).toEqual([{ size: 0, options: {}, network: false }]);
  const othello = { ...gomoku, sizes: [6, 8], default_size: 8, options: [], networks: ["othello"] };
  expect(boardsOf(othello, {})[0]).toEqual({ size: 8, options: {}, network: true });
});
