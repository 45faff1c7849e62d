import { expect, test } from "vitest";
import * as v from "../src/store/variations";

function example(): { tree: v.Variations; main: number; branch: number } {
  const [grown, main] = v.withMoves(v.empty(), v.ROOT, ["a", "b", "c"]);
  const [tree, branch] = v.withMoves(grown, v.ROOT, ["a", "x", "y"]);
  return { tree, main, branch };
}

test("a move that is there already is found, not added", () => {
  const { tree, main } = example();
  expect(v.withMoves(tree, v.ROOT, ["a", "b", "c"])).toEqual([tree, main]);
});

test("moves lead to their node", () => {
  const { tree, main, branch } = example();
  expect(v.movesTo(tree, main)).toEqual(["a", "b", "c"]);
  expect(v.movesTo(tree, branch)).toEqual(["a", "x", "y"]);
});

test("the line through a node goes on along the main line, or along the branch last taken", () => {
  const { tree } = example();
  const first = v.pathTo(tree, 1);
  expect(v.lineThrough(tree, 1)).toHaveLength(4);
  const other = tree.nodes[1]?.children[1] ?? -1;
  const line = v.lineThrough(tree, 1, { 1: other });
  expect(line.slice(0, first.length)).toEqual(first);
  expect(line.map((id) => tree.nodes[id]?.move)).toEqual([null, "a", "x", "y"]);
});

test("removing a branch takes all that follows it", () => {
  const { tree, branch } = example();
  const start = tree.nodes[branch]?.parent ?? -1;
  const left = v.without(tree, start);
  expect(Object.keys(left.nodes)).toHaveLength(4);
  expect(v.asList(left)).toHaveLength(1);
});

test("a promoted branch becomes the main line", () => {
  const { tree, branch } = example();
  const line = v.lineThrough(v.promoted(tree, branch), v.ROOT);
  expect(line.slice(1).map((id) => tree.nodes[id]?.move)).toEqual(["a", "x", "y"]);
});

test("nested trees come back the same, branches in order", () => {
  const { tree } = example();
  const nested = v.toNested(tree);
  expect(nested.children[0]?.children.map((child) => child.move)).toEqual(["b", "x"]);
  expect(v.toNested(v.fromNested(nested))).toEqual(nested);
});

test("a line as long as a long game does not overflow", () => {
  const moves = Array.from({ length: 1500 }, (_, ply) => String(ply));
  const [tree, end] = v.withMoves(v.empty(), v.ROOT, moves);
  expect(v.movesTo(v.fromNested(v.toNested(tree)), end)).toEqual(moves);
});

test("the list has the main line first, each branch after the line it leaves", () => {
  const { tree } = example();
  const list = v.asList(tree).map(({ depth, moves }) => [depth, ...moves.map((id) => tree.nodes[id]?.move)]);
  expect(list).toEqual([
    [0, "a", "b", "c"],
    [1, "x", "y"],
  ]);
});
