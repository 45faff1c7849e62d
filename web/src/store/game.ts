/** The game on the board: which one, its moves with all branches, and where in them the board stands. */
import { batch, computed, effect, signal } from "@preact/signals";
import {
  type About,
  ApiError,
  api,
  type GameInfo,
  type NestedNode,
  type Players,
  type Position,
  type PositionRequest,
  type Told,
  Unreachable,
} from "../api";
import { titles } from "../i18n/games";
import { known as knownOnes } from "./fields";
import { connections } from "./link";
import { complain } from "./notices";
import { settings } from "./prefs";
import { place, writeQuery } from "./route";
import { load, store } from "./saved";
import * as variations from "./variations";

const FIRST_GAME = "connect4";
const REMEMBERED_POSITIONS = 400;

export const about = signal<About | null>(null);
export const info = signal<GameInfo | null>(null);
export const players = signal<Players | null>(null);
export const start = signal<string | null>(null);
export const tree = signal(variations.empty());
export const cursor = signal(variations.ROOT);
/** What its file told of the game; "here": it is played here, by who sits there; null: nobody knows. */
export const source = signal<Told | "here" | null>(null);
/** Which branch was last taken at a node, so that forward goes back to it. */
const taken = signal<Record<number, number>>({});

export const moves = computed(() => variations.movesTo(tree.value, cursor.value));
export const line = computed(() => variations.lineThrough(tree.value, cursor.value, taken.value));
export const lineMoves = computed(() => line.value.slice(1).map((id) => tree.value.nodes[id]!.move!));
export const request = computed<PositionRequest | null>(() =>
  info.value ? { game: info.value.id, start: start.value, moves: moves.value } : null,
);

export const keyOf = ({ game, start, moves }: PositionRequest): string => `${game}|${start ?? ""}|${moves.join(" ")}`;

const known = new Map<string, Position>();
const shown = signal<{ key: string; position: Position } | null>(null);

/** What is drawn; it may lag a little behind the cursor. */
export const position = computed(() => shown.value?.position ?? null);
/** The position of the cursor once the server has described it. */
export const settled = computed(() =>
  request.value && shown.value?.key === keyOf(request.value) ? shown.value.position : null,
);

function remember(key: string, found: Position): void {
  known.set(key, found);
  if (known.size > REMEMBERED_POSITIONS) known.delete(known.keys().next().value!);
}

effect(() => {
  document.documentElement.dataset.kind = info.value?.layout.kind ?? "";
});

let asking = new AbortController();

effect(() => {
  const wanted = request.value;
  connections.value; // what was asked while the server was away is asked again
  asking.abort();
  if (!wanted) return;
  const key = keyOf(wanted);
  if (shown.peek()?.key === key) return;
  const found = known.get(key);
  if (found) shown.value = { key, position: found };
  else void ask(wanted, key);
});

async function ask(wanted: PositionRequest, key: string): Promise<void> {
  asking = new AbortController();
  try {
    const found = await api.position(wanted, asking.signal);
    remember(key, found);
    shown.value = { key, position: found };
  } catch (error) {
    complain(error);
    if (error instanceof ApiError) stepBackTo(shown.peek()?.position ?? null);
  }
}

/** The board never stands at a position that the rules refuse. */
function stepBackTo(good: Position | null): void {
  cursor.value = good ? variations.withMoves(tree.value, variations.ROOT, good.moves)[1] : variations.ROOT;
}

export interface Opened {
  game: string;
  start: string | null;
  tree?: NestedNode;
  at?: readonly string[];
  told?: Told | "here";
}

/** Shows a game. Nothing changes unless the server finds it right. */
export async function open({ game, start: from, tree: nested, at = [], told }: Opened): Promise<boolean> {
  try {
    const next = info.peek()?.id === game ? info.peek()! : await api.game(game);
    const asked = { game: next.id, start: from, moves: [...at] };
    const found = await api.position(asked);
    const available = info.peek()?.id === next.id && players.peek() ? players.peek()! : await api.players(next.id);
    const grown = nested ? variations.fromNested(nested) : variations.empty();
    const [whole, node] = variations.withMoves(grown, variations.ROOT, found.moves);
    remember(keyOf({ ...asked, moves: found.moves }), found);
    batch(() => {
      info.value = next;
      players.value = available;
      start.value = from;
      source.value = told ?? null;
      tree.value = whole;
      cursor.value = node;
      taken.value = {};
      shown.value = { key: keyOf({ ...asked, moves: found.moves }), position: found };
    });
    return true;
  } catch (error) {
    complain(error);
    if (error instanceof Unreachable) throw error;
    return false;
  }
}

/** Plays a move at the cursor, as the server spells it; an illegal one is refused with its reason. */
export async function play(text: string): Promise<boolean> {
  const here = settled.value;
  if (!here) return false;
  let move = here.legal.find((each) => each.text === text)?.text;
  if (move === undefined) {
    try {
      const found = await api.position({ ...request.peek()!, moves: [...here.moves, text] });
      move = found.moves[found.moves.length - 1]!;
    } catch (error) {
      complain(error);
      return false;
    }
  }
  const [grown, node] = variations.withMove(tree.value, cursor.value, move);
  batch(() => {
    tree.value = grown;
    jump(node);
  });
  return true;
}

export function jump(node: number): void {
  if (!(node in tree.value.nodes)) return;
  const path = variations.pathTo(tree.value, node);
  const branches = Object.fromEntries(path.slice(1).map((id, depth) => [path[depth]!, id]));
  batch(() => {
    taken.value = { ...taken.value, ...branches };
    cursor.value = node;
  });
}

export const depth = computed(() => moves.value.length);

/** To a ply of the line on the board, as far as it goes. */
export function jumpToPly(ply: number): void {
  const ids = line.value;
  jump(ids[Math.max(0, Math.min(ids.length - 1, ply))]!);
}

export const canUndo = computed(() => depth.value > 0);
export const canRedo = computed(() => depth.value < line.value.length - 1);
export const undo = (): void => jumpToPly(depth.value - 1);
export const redo = (): void => jumpToPly(depth.value + 1);

export function removeBranch(node: number): void {
  const parent = variations.nodeOf(tree.value, node).parent;
  const inside = variations.pathTo(tree.value, cursor.value).includes(node);
  batch(() => {
    if (inside) cursor.value = parent;
    tree.value = variations.without(tree.value, node);
  });
}

export function promote(node: number): void {
  tree.value = variations.promoted(tree.value, node);
}

export const query = computed(() => {
  if (!info.value) return "";
  const parts = new URLSearchParams({ g: info.value.id });
  if (start.value) parts.set("s", start.value);
  if (lineMoves.value.length) parts.set("m", written(lineMoves.value));
  if (canRedo.value) parts.set("p", String(depth.value));
  return parts.toString();
});

function fromQuery(parts: URLSearchParams): Opened | null {
  const game = parts.get("g");
  if (!game) return null;
  return { game, start: parts.get("s"), at: read(parts.get("m") ?? "") };
}

/** Moves with a hyphen of their own, such as O-O, are told by commas, which no move has. */
const written = (all: readonly string[]): string =>
  all.some((move) => move.includes("-")) ? `${all.join(",")},` : all.join("-");
const read = (text: string): string[] => text.split(text.includes(",") ? "," : "-").filter(Boolean);

async function openLink(parts: URLSearchParams): Promise<boolean> {
  const linked = fromQuery(parts);
  if (!linked || !(await open(linked))) return false;
  if (parts.has("p")) jumpToPly(Number(parts.get("p")) || 0);
  return true;
}

interface Kept extends Opened {
  query: string;
}

/** The game of the address; with its branches when it is the one that was played here last; else the first game. */
async function openFirst(): Promise<void> {
  const kept = load<Kept | null>("game", null);
  const linked = place.peek().query;
  if (kept && (!linked.has("g") || linked.toString() === kept.query) && (await open(kept))) return;
  if (linked.has("g") && (await openLink(linked))) return;
  await open({ game: FIRST_GAME, start: null, told: "here" });
}

export async function begin(): Promise<void> {
  try {
    about.value = await api.about();
    titles.value = Object.fromEntries(about.value.games.map(({ name, title }) => [name, title]));
    settings.value = knownOnes(settings.peek(), about.value.settings);
    await openFirst();
  } catch (error) {
    complain(error);
    retryWhenBack();
    return;
  }
  effect(() => {
    place.value;
    writeQuery(query.value);
    if (!info.value) return;
    const kept: Kept = {
      game: info.value.id,
      start: start.value,
      tree: variations.toNested(tree.value),
      at: moves.value,
      query: query.value,
    };
    store("game", kept);
  });
  addEventListener("hashchange", () => {
    const parts = place.value.query;
    if (parts.has("g") && parts.toString() !== query.value) void openLink(parts);
  });
}

function retryWhenBack(): void {
  const now = connections.peek();
  const forget = connections.subscribe((count) => {
    if (count === now) return;
    queueMicrotask(() => forget());
    void begin();
  });
}
