/** Where the nodes of a tree are drawn.
 *
 * The tree grows to the right. Every node stands level with its most visited child, so that the lines the search
 * believes in are straight, and other moves branch off above and below. Reingold and Tilford's idea: subtrees are laid
 * out on their own, then pushed together until their outlines touch; bottom-up, because a line is as long as a game.
 */
import { short } from "../i18n/numbers";
import type { Branch } from "./messages";

export const PILL = 20;
const ROW = 25;
const ROOM = 7;
const MARGIN = 20;
const GAP = 52;
const LETTER = 7.4;
const WIDEST = 14;

export interface Placed {
  branch: Branch;
  index: number;
  x: number;
  y: number;
  width: number;
}

export interface Picture {
  placed: Placed[];
  width: number;
  height: number;
}

type Outline = [top: number, bottom: number][];

const widthOf = ({ text, visits }: Branch): number => 34 + LETTER * (text.length + short(visits).length);

/** How thick the branch to a node is. */
export const thickness = (visits: number, all: number): number => 1 + ((WIDEST - 1) * visits) / Math.max(1, all);

export function layOut(branches: readonly Branch[]): Picture {
  const children: number[][] = branches.map(() => []);
  branches.forEach((branch, index) => {
    if (branch.parent !== null) children[branch.parent]!.push(index);
  });
  const shifts = new Array<number>(branches.length).fill(0); // a child's place relative to its parent
  const outlines = new Array<Outline>(branches.length);
  for (let index = branches.length - 1; index >= 0; index--) {
    let merged: Outline = [];
    children[index]!.forEach((child, place) => {
      const outline = outlines[child]!;
      const room = children[child]!.length ? ROW + ROOM : ROW;
      const shift = place % 2 ? above(merged, outline, room) : below(merged, outline, room);
      shifts[child] = shift;
      merged = join(merged, outline, shift);
    });
    outlines[index] = [[0, 0], ...merged];
  }
  return place(branches, shifts, outlines[0] ?? [[0, 0]]);
}

const shared = (a: Outline, b: Outline): number => Math.min(a.length, b.length);

function above(have: Outline, own: Outline, room: number): number {
  const spaces = Array.from({ length: shared(have, own) }, (_, depth) => have[depth]![0] - own[depth]![1]);
  return spaces.length ? Math.min(...spaces) - room : 0;
}

function below(have: Outline, own: Outline, room: number): number {
  const spaces = Array.from({ length: shared(have, own) }, (_, depth) => have[depth]![1] - own[depth]![0]);
  return spaces.length ? Math.max(...spaces) + room : 0;
}

function join(have: Outline, own: Outline, shift: number): Outline {
  return Array.from({ length: Math.max(have.length, own.length) }, (_, depth): [number, number] => {
    const moved = own[depth] && ([own[depth][0] + shift, own[depth][1] + shift] as [number, number]);
    const old = have[depth];
    return old && moved ? [Math.min(old[0], moved[0]), Math.max(old[1], moved[1])] : (old ?? moved!);
  });
}

function place(branches: readonly Branch[], shifts: readonly number[], outline: Outline): Picture {
  const top = Math.min(...outline.map(([high]) => high));
  const bottom = Math.max(...outline.map(([, low]) => low));
  const columns = outline.map((_, depth) =>
    Math.max(0, ...branches.filter((branch) => branch.depth === depth).map(widthOf)),
  );
  const lefts: number[] = [];
  columns.reduce((x, width, depth) => {
    lefts[depth] = x;
    return x + width + GAP;
  }, MARGIN);
  const placed: Placed[] = [];
  branches.forEach((branch, index) => {
    const y = branch.parent === null ? MARGIN + PILL / 2 - top : placed[branch.parent]!.y + shifts[index]!;
    placed.push({ branch, index, x: lefts[branch.depth] ?? MARGIN, y, width: widthOf(branch) });
  });
  const right = Math.max(...placed.map((each) => each.x + each.width), 0);
  return { placed, width: right + MARGIN, height: bottom - top + PILL + 2 * MARGIN };
}

/** The moves that lead to a node of the picture. */
export function textsTo(branches: readonly Branch[], index: number): string[] {
  const texts: string[] = [];
  for (let at = branches[index]; at && at.parent !== null; at = branches[at.parent]) texts.push(at.text);
  return texts.reverse();
}
