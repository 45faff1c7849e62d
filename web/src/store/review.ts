/** A game looked through: what each move cost, and the quiz about the moves that cost most. */
import { computed, signal } from "@preact/signals";
import { api, type Wdl } from "../api";
import { analyst, judge, requestAt, sideAt } from "./evaluations";
import { depth, info, jumpToPly, keyOf, line, lineMoves, request } from "./game";
import { forgetHint } from "./hints";
import { begin, end } from "./link";
import type { Answer, MoveKind, ReviewRow, Update } from "./messages";
import { complain } from "./notices";
import { saved } from "./saved";

export const reviewSims = saved("reviewSims", 200);

interface Review {
  key: string; // of the whole line
  rows: ReviewRow[];
  total: number;
  accuracy: { first: number | null; second: number | null } | null;
}

const made = signal<Review | null>(null);
export const reviewing = signal(false);
let id: string | null = null;

const lineKey = computed(() => (info.value ? keyOf(requestAt(lineMoves.value.length)) : ""));

/** The review of the line on the board, as far as it has come. */
export const review = computed(() => (made.value?.key === lineKey.value ? made.value : null));

export function startReview(): void {
  const position = requestAt(lineMoves.value.length);
  const player = analyst.value;
  const key = keyOf(position);
  stopQuiz();
  made.value = { key, rows: [], total: position.moves.length, accuracy: null };
  const answer = (said: Answer) => {
    if (said.type !== "review" || made.value?.key !== key) return;
    const row: ReviewRow = said.certain === false ? { ...said, kind: "unsure" } : said;
    made.value = { key, rows: [...made.value.rows, row], total: said.total, accuracy: said.accuracy ?? null };
    judge(keyOf(requestAt(said.ply)), player, sideAt(said.ply), said, reviewSims.value);
    if (said.done) reviewing.value = false;
  };
  const error = (problem: unknown) => {
    reviewing.value = false;
    complain(problem);
  };
  id = begin({ type: "review", position, player, settings: { sims: reviewSims.value } }, { answer, error });
  reviewing.value = id !== null;
}

export function stopReview(): void {
  end(id);
  reviewing.value = false;
}

const BAD: readonly MoveKind[] = ["inaccuracy", "mistake", "blunder"];

export const mistakes = computed(() => (review.value?.rows ?? []).filter((row) => BAD.includes(row.kind)));
export const anyUnsure = computed(() => (review.value?.rows ?? []).some((row) => row.kind === "unsure"));
/** By the ply of the move. */
export const gradeOfPly = computed(() => new Map(mistakes.value.map((row) => [row.ply, row.kind])));
/** By the node of the move. */
export const gradeOfNode = computed(
  () => new Map((review.value?.rows ?? []).map((row) => [line.value[row.ply + 1] ?? -1, row.kind])),
);

/** To the position before the next or previous mistake. */
export function nextMistake(step: 1 | -1): void {
  const plies = mistakes.value.map((row) => row.ply);
  const found = step > 0 ? plies.find((ply) => ply > depth.value) : plies.findLast((ply) => ply < depth.value);
  if (found !== undefined) jumpToPly(found);
}

/** What the review says of the move that follows the position on the board. */
export const rowHere = computed(() => review.value?.rows.find((row) => row.ply === depth.value) ?? null);

export type Verdict = "asking" | "checking" | "best" | "good" | "same" | "worse" | "shown";

export interface Quiz {
  ply: number;
  verdict: Verdict;
  tried: string | null;
  loss: number;
}

export const quiz = signal<Quiz | null>(null);
export const solvedPlies = signal<ReadonlySet<number>>(new Set());
const TOLERATED = 5; // points of win percentage: less is not even an inaccuracy

export function startQuiz(ply: number): void {
  forgetHint();
  jumpToPly(ply);
  quiz.value = { ply, verdict: "asking", tried: null, loss: 0 };
}

export function stopQuiz(): void {
  quiz.value = null;
}

/** The next question: a mistake not yet solved, after this one, then from the beginning. */
export function nextQuestion(): void {
  const open = mistakes.value.filter((row) => !solvedPlies.value.has(row.ply));
  const from = quiz.value?.ply ?? -1;
  const next = open.find((row) => row.ply > from) ?? open[0];
  if (next) startQuiz(next.ply);
  else stopQuiz();
}

export async function answerQuiz(move: string): Promise<void> {
  const now = quiz.value;
  const row = rowHere.value;
  if (!now || !row || now.verdict === "checking") return;
  const say = (verdict: Verdict, loss: number) => {
    quiz.value = { ...now, verdict, tried: move, loss };
    if (verdict === "best" || verdict === "good") solvedPlies.value = new Set(solvedPlies.value).add(now.ply);
  };
  if (move === row.best) return say("best", 0);
  if (move === row.played) return say("same", row.loss);
  say("checking", 0);
  try {
    const loss = row.before - (await worth(move));
    if (quiz.value?.ply === now.ply) say(loss <= TOLERATED ? "good" : "worse", Math.max(0, loss));
  } catch (error) {
    quiz.value = { ...now, verdict: "asking" };
    complain(error);
  }
}

export function showAnswer(): void {
  if (quiz.value) quiz.value = { ...quiz.value, verdict: "shown" };
}

/** What a move is worth to whoever makes it, in points of win percentage. */
async function worth(move: string): Promise<number> {
  const here = request.peek()!;
  const position = { ...here, moves: [...here.moves, move] };
  const after = await api.position(position);
  if (after.terminal) return after.winner === "draw" ? 50 : after.winner === after.to_move ? 0 : 100;
  const wdl = await new Promise<Wdl>((resolve, reject) => {
    const answer = (said: Answer) => {
      if (said.type === "update" && (said as Update).done) resolve(said.moves[0]?.wdl ?? said.wdl);
    };
    const settings = { sims: reviewSims.value };
    const player = analyst.peek();
    if (!begin({ type: "search", position, player, settings, live: false }, { answer, error: reject })) {
      reject(new Error("offline"));
    }
  });
  return 100 * (1 - wdl[0] - wdl[1] / 2);
}
