/** A game with its branches: a tree of moves, never changed in place. */
import type { NestedNode } from "../api";

export interface Node {
  move: string | null; // null at the root
  parent: number;
  children: number[]; // the first is the main line
  comment?: string;
}

export interface Variations {
  nodes: Record<number, Node>;
  next: number; // id of the next node to be added
}

export const ROOT = 0;

export const empty = (): Variations => ({ nodes: { [ROOT]: { move: null, parent: -1, children: [] } }, next: 1 });

export const nodeOf = (tree: Variations, id: number): Node => tree.nodes[id]!;

/** The ids from the root to a node, both included. */
export function pathTo(tree: Variations, id: number): number[] {
  const path: number[] = [];
  for (let at = id; at >= 0; at = nodeOf(tree, at).parent) path.push(at);
  return path.reverse();
}

export const movesTo = (tree: Variations, id: number): string[] =>
  pathTo(tree, id)
    .slice(1)
    .map((each) => nodeOf(tree, each).move!);

/** The tree with a move after a node, and that move's id; a move that is there already is found. */
export function withMove(tree: Variations, id: number, move: string): [Variations, number] {
  const node = nodeOf(tree, id);
  const known = node.children.find((child) => nodeOf(tree, child).move === move);
  if (known !== undefined) return [tree, known];
  const added = tree.next;
  const nodes = {
    ...tree.nodes,
    [id]: { ...node, children: [...node.children, added] },
    [added]: { move, parent: id, children: [] },
  };
  return [{ nodes, next: added + 1 }, added];
}

export function withMoves(tree: Variations, id: number, moves: readonly string[]): [Variations, number] {
  let at = id;
  for (const move of moves) [tree, at] = withMove(tree, at, move);
  return [tree, at];
}

/** The tree without a node and what follows it. */
export function without(tree: Variations, id: number): Variations {
  if (id === ROOT) return empty();
  const nodes = { ...tree.nodes };
  const doomed = [id];
  for (let at = doomed.pop(); at !== undefined; at = doomed.pop()) {
    doomed.push(...nodes[at]!.children);
    delete nodes[at];
  }
  const parent = nodeOf(tree, id).parent;
  nodes[parent] = { ...nodeOf(tree, parent), children: nodeOf(tree, parent).children.filter((each) => each !== id) };
  return { ...tree, nodes };
}

/** The tree with a node's line as the main one, all the way from the root. */
export function promoted(tree: Variations, id: number): Variations {
  const nodes = { ...tree.nodes };
  for (let at = id; at !== ROOT; at = nodes[at]!.parent) {
    const parent = nodes[at]!.parent;
    const others = nodes[parent]!.children.filter((each) => each !== at);
    nodes[parent] = { ...nodes[parent]!, children: [at, ...others] };
  }
  return { ...tree, nodes };
}

/** The line through a node: its path, then onwards by the remembered branch, else by the main one. */
export function lineThrough(tree: Variations, id: number, remembered: Record<number, number> = {}): number[] {
  const line = pathTo(tree, id);
  for (;;) {
    const at = line[line.length - 1]!;
    const children = nodeOf(tree, at).children;
    const onwards = children.includes(remembered[at] ?? -1) ? remembered[at] : children[0];
    if (onwards === undefined) return line;
    line.push(onwards);
  }
}

/** Without recursion: a line is as deep as a game is long. */
export function toNested(tree: Variations): NestedNode {
  const made = new Map<number, NestedNode>();
  const waiting = [ROOT];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const { move, parent, children, comment } = nodeOf(tree, id);
    const nested: NestedNode = comment ? { move, comment, children: [] } : { move, children: [] };
    made.set(id, nested);
    made.get(parent)?.children.push(nested);
    waiting.push(...children.toReversed());
  }
  return made.get(ROOT)!;
}

export function fromNested(root: NestedNode): Variations {
  const tree = empty();
  const waiting: [NestedNode, number][] = [[root, -1]];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    const [nested, parent] = entry;
    const id = parent < 0 ? ROOT : tree.next++;
    const node: Node = { move: parent < 0 ? null : nested.move, parent, children: [] };
    if (nested.comment) node.comment = nested.comment;
    tree.nodes[id] = node;
    if (parent >= 0) tree.nodes[parent]!.children.push(id);
    for (const child of nested.children.toReversed()) waiting.push([child, id]);
  }
  return tree;
}

export interface Variation {
  id: number; // its first move
  depth: number; // how many branchings it lies below the main line
  moves: number[];
}

/** The tree as a list of lines: the main line first, each branch after the line it leaves. */
export function asList(tree: Variations): Variation[] {
  const list: Variation[] = [];
  const waiting: [number, number][] = nodeOf(tree, ROOT)
    .children.map((id, place): [number, number] => [id, place ? 1 : 0])
    .reverse();
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    const [id, depth] = entry;
    const moves: number[] = [];
    const branches: [number, number][] = [];
    for (let at: number | undefined = id; at !== undefined; ) {
      moves.push(at);
      const [first, ...others]: number[] = nodeOf(tree, at).children;
      branches.push(...others.map((other): [number, number] => [other, depth + 1]));
      at = first;
    }
    list.push({ id, depth, moves });
    waiting.push(...branches.reverse());
  }
  return list;
}
