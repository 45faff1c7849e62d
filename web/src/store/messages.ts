/** The messages of the WebSocket. Values are for the side to move of the position or node they belong to. */
import type { PositionRequest, Proven, Settings, Side, Wdl } from "../api";

export interface MoveRow {
  move: string;
  action: number;
  from: number | null;
  cell: number | null;
  visits: number;
  share: number;
  prior: number;
  q: number;
  wdl: Wdl;
  plies: number;
  lead?: number | null; // points; null: nobody counts, or never visited
  u: number | null; // null: infinite, for a move never tried
  lcb: number | null;
  proven: Proven;
  pv: string[];
}

export interface Update {
  type: "update";
  id: string;
  done: boolean;
  visits: number;
  nodes: number;
  q: number;
  wdl: Wdl;
  plies: number;
  lead?: number | null;
  best: string;
  moves: MoveRow[];
  seconds: number;
  certain?: boolean; // false: the search cannot tell which move is best
}

export interface TreeChild {
  action: number;
  text: string;
  visits: number;
  prior: number;
  noise: number;
  q: number;
  u: number | null; // null: infinite, for a move never tried
  mlh: number;
  score: number | null;
  moves_left: number | null;
  proven: Proven;
  next: boolean;
}

export interface TreeNode {
  visits: number;
  q: number;
  d: number;
  m: number;
  proven: Proven;
  terminal?: boolean;
  to_move: Side;
  children: TreeChild[];
}

export interface NodeAnswer {
  type: "node";
  id: string;
  path: number[];
  node: TreeNode;
}

export interface Branch {
  text: string;
  mover: Side | null;
  visits: number;
  q: number;
  proven: Proven;
  main: boolean;
  depth: number;
  parent: number | null;
}

export interface PictureAnswer {
  type: "picture";
  id: string;
  branches: Branch[];
}

/** How good a move was; the server says "unsure" by certain: false. */
export type MoveKind = "best" | "good" | "inaccuracy" | "mistake" | "blunder" | "unsure";

export interface ReviewRow {
  type: "review";
  id: string;
  ply: number;
  done: boolean;
  total: number;
  played: string;
  best: string;
  before: number;
  after: number;
  loss: number;
  kind: MoveKind;
  certain?: boolean; // false: the search cannot tell what the move cost
  pv: string[];
  wdl: Wdl;
  plies: number;
  lead?: number | null;
  accuracy?: { first: number | null; second: number | null };
}

/** Another program gives the game up. */
export interface ResignedAnswer {
  type: "resigned";
  id: string;
}

export interface ErrorAnswer {
  type: "error";
  id: string;
  error: { code: string; message: string; params?: Record<string, unknown> };
}

export type Answer = Update | NodeAnswer | PictureAnswer | ReviewRow | ResignedAnswer | ErrorAnswer;

export interface SearchRequest {
  type: "search" | "review";
  id: string;
  position: PositionRequest;
  player: string;
  settings: Settings;
  live?: boolean;
}

export type Request =
  | SearchRequest
  | { type: "more"; id: string; sims: number }
  | { type: "stop"; id: string }
  | { type: "node"; id: string; path: number[] }
  | { type: "picture"; id: string; nodes: number };
