/** The live tree: its picture, and the nodes that were opened in it. */
import { effect, signal } from "@preact/signals";
import { alive, halt, more, search, searching, session, update, watch } from "./analysis";
import { request } from "./game";
import { tell } from "./link";
import type { Answer, Branch, TreeNode } from "./messages";
import { saved } from "./saved";

export const branches = signal<readonly Branch[]>([]);
/** Nodes by their path of actions, joined; the root is "". */
export const nodes = signal<ReadonlyMap<string, TreeNode>>(new Map());
export const opened = signal<ReadonlySet<string>>(new Set([""]));
export const pictured = saved("treeNodes", 60);
export const stride = saved<1 | 10 | 100>("treeStride", 1);
export const watching = signal(false);

const WATCHING_PAUSE = 140;

export const keyOfPath = (path: readonly number[]): string => path.join(" ");
const pathOfKey = (key: string): number[] => (key ? key.split(" ").map(Number) : []);

const waiting = new Map<string, ((node: TreeNode) => void)[]>();
const PATIENCE = 1000; // an answer that has not come by then is asked for again
const PICTURE = "picture"; // beside the keys of nodes

/** What was asked for, and whether the tree has changed since. A search that grows must not pile up questions. */
const asked = new Map<string, { at: number; stale: boolean }>();

function ask(key: string, send: () => boolean): void {
  const before = asked.get(key);
  if (before && performance.now() - before.at < PATIENCE) before.stale = true;
  else if (send()) asked.set(key, { at: performance.now(), stale: false });
}

/** An answer has come: is it out of date already? */
function answered(key: string): boolean {
  const stale = asked.get(key)?.stale ?? false;
  asked.delete(key);
  return stale;
}

function askNode(path: number[]): void {
  const now = session.peek();
  if (alive(now)) ask(keyOfPath(path), () => tell({ type: "node", id: now.id, path }));
}

function askPicture(): void {
  const now = session.peek();
  if (alive(now)) ask(PICTURE, () => tell({ type: "picture", id: now.id, nodes: pictured.peek() }));
}

/** Everything that is shown, as it is now. */
export function refresh(): void {
  askPicture();
  for (const key of opened.peek()) askNode(pathOfKey(key));
}

export function toggle(path: number[]): void {
  const key = keyOfPath(path);
  const next = new Set(opened.value);
  if (next.has(key)) next.delete(key);
  else {
    next.add(key);
    askNode(path);
  }
  opened.value = next;
}

function nodeAt(path: number[]): Promise<TreeNode> {
  const key = keyOfPath(path);
  const known = nodes.peek().get(key);
  if (known) return Promise.resolve(known);
  return new Promise((resolve) => {
    waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
    askNode(path);
  });
}

/** Opens every node along a line of moves. */
export async function openLine(texts: readonly string[]): Promise<void> {
  const path: number[] = [];
  const keys = [""];
  for (const text of texts) {
    const child = (await nodeAt([...path])).children.find((each) => each.text === text);
    if (!child) break;
    path.push(child.action);
    keys.push(keyOfPath(path));
  }
  opened.value = new Set([...opened.value, ...keys]);
  askNode(path);
}

function hear(answer: Answer): void {
  if (answer.type === "picture") {
    branches.value = answer.branches;
    if (answered(PICTURE)) askPicture();
  } else if (answer.type === "node") {
    const key = keyOfPath(answer.path);
    nodes.value = new Map(nodes.peek()).set(key, answer.node);
    for (const resolve of waiting.get(key) ?? []) resolve(answer.node);
    waiting.delete(key);
    if (answered(key) && opened.peek().has(key)) askNode(answer.path);
  } else if (answer.type === "update") {
    refresh();
    if (answer.done && watching.peek()) setTimeout(() => watching.peek() && more(stride.peek()), WATCHING_PAUSE);
  }
}

export function watchGrowth(on: boolean): void {
  watching.value = on;
  if (!on) halt();
  else if (!searching.peek()) more(stride.peek());
}

/** A new tree of the same position, from its first simulation. */
export function restart(): void {
  const here = request.peek();
  if (here) search(here, 1);
}

/** Listens for as long as the screen is shown. */
export function begin(): () => void {
  const forget = watch(hear);
  const stop = effect(() => {
    const now = session.value;
    asked.clear();
    waiting.clear();
    branches.value = [];
    nodes.value = new Map();
    opened.value = new Set([""]);
    if (now && update.peek()?.id === now.id) refresh(); // a tree from another screen; a new one has nothing to show
  });
  const repaint = pictured.subscribe(() => update.peek() && askPicture());
  return () => {
    forget();
    stop();
    repaint();
    watching.value = false;
  };
}
