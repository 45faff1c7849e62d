/** What the server understands and answers; the one place that knows its addresses. */

export type Kind = "cells" | "gravity" | "lines" | "hexes" | "discs" | "text"; // text: no board is drawn
export type Side = 0 | 1;
export type Stone = 0 | 1 | 2;
export type Wdl = readonly [number, number, number];
export type Value = number | boolean | string;
export type Settings = Record<string, Value>;

export interface Layout {
  kind: Kind;
  rows: number;
  cols: number;
  first_row_at_bottom: boolean;
  cell_names: string[];
}

/** A number with its bounds, or one of some words. */
export interface GameOption {
  name: string;
  low: number | null;
  high: number | null;
  step: number | null;
  choices: string[];
  default: number | string;
  about: string;
}

export interface GameEntry {
  id: string;
  name: string;
  title: string;
  sizes: number[];
  default_size: number;
  options: GameOption[];
  networks: string[]; // ids of its boards that have one
}

export interface Field {
  name: string;
  kind: "integer" | "real" | "choice" | "toggle";
  low: number;
  high: number;
  default: Value;
  choices: string[];
  sentence: string;
}

export interface About {
  version: string;
  games: GameEntry[];
  settings: Field[];
}

/** What stands on the board. */
export interface Drawn {
  stones: Stone[];
  glyphs: string[] | null; // by cell, "" where there is none; null: plain stones
}

export interface GameInfo {
  id: string;
  name: string;
  layout: Layout;
  start: Drawn & { text: string | null };
  set_up: boolean; // can a position be put together by hand?
  num_actions: number;
  max_plies: number;
  settings: Settings;
  solvable: boolean;
  options?: Record<string, string>; // every option of the game and its value
  goals?: [first: string, second: string] | null; // what each side has to join, where they differ
}

export interface NetworkEntry {
  id: string;
  name: string;
  size: string;
  step: number | null;
  run: string | null;
  minutes: number | null;
}

export interface Level {
  id: string;
  player: string;
  sims: number;
  settings: Settings;
  elo: number;
  error: number;
}

/** A player without a network; `searches` as long as it is told to. */
export interface OtherPlayer {
  id: string;
  sentence: string;
  searches: boolean;
}

export interface Players {
  networks: NetworkEntry[];
  others: OtherPlayer[];
  levels: Level[];
  usual: string; // who plays and analyses unless somebody else is chosen
  settings?: Record<string, Settings>;
}

export interface PositionRequest {
  game: string;
  start: string | null;
  moves: string[];
}

export interface LegalMove {
  action: number;
  text: string;
  from: number | null; // the cell that a piece leaves
  cell: number | null; // the cell that it goes to, or where something new is put
}

export interface Position extends PositionRequest, Drawn {
  ply: number;
  to_move: Side;
  board_text: string | null; // in the words of a game of somebody's own
  legal: LegalMove[];
  terminal: boolean;
  winner: Side | "draw" | null;
  last: number | null;
  last_from: number | null;
  line: number[];
  text: string;
  captures?: [first: number, second: number] | null; // null: the game has none
  score?: { points: [first: number, second: number]; owners: Stone[] } | null; // null: the game is not counted
}

export interface Frames {
  frames: Stone[][];
  glyphs: (string[] | null)[];
  texts: (string | null)[] | null; // of games without a board: of the last plies
  froms: (number | null)[];
  lasts: (number | null)[];
}

export interface NestedNode {
  move: string | null;
  comment?: string;
  children: NestedNode[];
}

/** What a file of a game tells beside its moves. */
export interface Told {
  players?: readonly [string | null, string | null];
  result?: string | null;
  date?: string | null;
}

export interface Parsed extends Told {
  game: string;
  start: string | null;
  tree: NestedNode;
}

export type ExportFormat = "sgf" | "json" | "moves";
export type Solution = { score: number; scores: Record<string, number | null> };
export interface Evaluation {
  player: string;
  wdl: Wdl;
  plies: number;
  lead?: number | null; // points; null: nobody counts
  owners?: number[] | null; // where asked for: 1, the side to move's, to −1, by cell
  prior: Record<string, number>;
}
export type Proven = "win" | "draw" | "loss" | null;

export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly params: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** The request never reached the server, or no answer came back. */
export class Unreachable extends Error {}

async function ask<T>(method: "GET" | "POST", path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { method, credentials: "same-origin" };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  let answer: Response;
  let content: unknown;
  try {
    answer = await fetch(`api/${path}`, init);
    content = await answer.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable(String(error));
  }
  if (answer.ok) return content as T;
  const error = (content as { error?: { code?: string; message?: string; params?: Record<string, unknown> } }).error;
  throw new ApiError(error?.code ?? "bad_request", error?.message ?? answer.statusText, error?.params);
}

const get = <T>(path: string, signal?: AbortSignal) => ask<T>("GET", path, undefined, signal);
const post = <T>(path: string, body: unknown, signal?: AbortSignal) => ask<T>("POST", path, body, signal);
const part = encodeURIComponent;

export const api = {
  about: () => get<About>("about"),
  game: (id: string) => get<GameInfo>(`game?id=${part(id)}`),
  players: (id: string) => get<Players>(`players?game=${part(id)}`),
  position: (position: PositionRequest, signal?: AbortSignal) => post<Position>("position", { position }, signal),
  frames: (position: PositionRequest, signal?: AbortSignal) => post<Frames>("frames", { position }, signal),
  parse: (text: string, game?: string) => post<Parsed>("parse", game ? { text, game } : { text }),
  export: (game: string, start: string | null, tree: NestedNode, format: ExportFormat, told: Told) =>
    post<{ text: string; file_name: string }>("export", { game, start, tree, format, ...told }),
  solve: (position: PositionRequest, signal?: AbortSignal) => post<Solution>("solve", { position }, signal),
  evaluate: (position: PositionRequest, players: string[], signal?: AbortSignal, owners = false) =>
    post<{ answers: Evaluation[] }>("evaluate", { position, players, owners }, signal),
  get,
  post,
};
