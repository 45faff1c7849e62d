/** Who plays: a person or a program on each side, and how the game ended. */
import { computed, effect, signal } from "@preact/signals";
import type { Players, Settings, Side } from "../api";
import { cursor, info, players, settled } from "./game";
import { settings } from "./prefs";
import { saved } from "./saved";

export const HUMAN = "human";
export const TIMES = [0.5, 1, 2, 5, 10, 30]; // seconds
export const BUDGETS = { sims: [1, 10, 50, 100, 200, 400, 800, 1600, 5000, 20000], seconds: TIMES };

export interface Seat {
  player: string; // HUMAN, or a player's id, or "level:ID"
  by: "sims" | "seconds";
  sims: number;
  seconds: number;
}

export type Seats = [Seat, Seat];

const seat = (player: string): Seat => ({ player, by: "sims", sims: 400, seconds: 2 });

export const seats = saved<Seats>("seats", [seat(HUMAN), seat("")]);
/** Whether programs move by themselves; going back through the game stops them until somebody moves. */
export const running = saved("running", true);
const resignation = signal<{ game: string; node: number; side: Side } | null>(null);

export const isHuman = (side: Side): boolean => seats.value[side].player === HUMAN;
export const humans = computed(() => Number(isHuman(0)) + Number(isHuman(1)));
/** The side of the only person, if there is just one. */
export const ownSide = computed<Side | null>(() => (humans.value === 1 ? (isHuman(0) ? 0 : 1) : null));

export function changeSeat(side: Side, change: Partial<Seat>): void {
  const next: Seats = [...seats.value];
  next[side] = { ...next[side], ...change };
  seats.value = next;
}

export function swapSides(): void {
  seats.value = [seats.value[1], seats.value[0]];
  running.value = true;
}

/** Programs of the user's own list: they play, and judge nothing. */
export const isOtherProgram = (player: string): boolean => player.startsWith("engine:");

/** The player ids that a game knows. */
export function playerIds(available: Players): string[] {
  const levels = available.levels.map((level) => `level:${level.id}`);
  return [HUMAN, ...levels, ...available.networks.map((each) => each.id), ...available.others.map((each) => each.id)];
}

/** The programs that somebody chose, by game and side: what is good in one game is weak in the next, or not there. */
const chosen = saved<Record<string, { [side in Side]?: string }>>("opponents", {});
/** The game that the seats were last filled for. */
const seatedFor = saved("seatedFor", "");

/** A person's choice: it is there again when the game is. */
export function choosePlayer(side: Side, player: string): void {
  const game = info.peek()?.id;
  if (game && player !== HUMAN) chosen.value = { ...chosen.value, [game]: { ...chosen.value[game], [side]: player } };
  changeSeat(side, { player });
}

/** Who was chosen in this game, else a level in the middle, else whom the server thinks best. */
export function usualOpponent(available: Players, game: string, side: Side): string {
  const wanted = chosen.peek()[game];
  const known = playerIds(available);
  const kept = [wanted?.[side], wanted?.[side === 0 ? 1 : 0]].find((each) => each && known.includes(each));
  const middle = available.levels[Math.floor(available.levels.length / 2)];
  return kept ?? (middle ? `level:${middle.id}` : available.usual);
}

effect(() => {
  const available = players.value;
  const game = info.value?.id;
  if (!available || !game) return;
  const known = playerIds(available);
  const stays = (player: string) => player === HUMAN || (seatedFor.peek() === game && known.includes(player));
  for (const side of [0, 1] as const) {
    if (!stays(seats.peek()[side].player)) changeSeat(side, { player: usualOpponent(available, game, side) });
  }
  seatedFor.value = game;
});

export const SIDES = ["first", "second", "both", "none"] as const;
export type Sides = (typeof SIDES)[number];

/** Who sits where now, as one of the four usual ways. */
export function sidesNow(): Sides {
  const [first, second] = seats.value.map((seat) => seat.player === HUMAN);
  return first ? (second ? "both" : "first") : second ? "second" : "none";
}

export function seatPeople(sides: Sides): void {
  const wanted = [sides === "first" || sides === "both", sides === "second" || sides === "both"];
  const program = seats.value.find((seat) => seat.player !== HUMAN);
  for (const side of [0, 1] as const) {
    const human = seats.value[side].player === HUMAN;
    if (wanted[side] && !human) changeSeat(side, { player: HUMAN });
    if (!wanted[side] && human && players.value && info.value) {
      changeSeat(side, program ?? { player: usualOpponent(players.value, info.value.id, side) });
    }
  }
}

export interface Order {
  player: string;
  settings: Settings;
}

/** What to ask the server for, so that it plays as a seat says. */
export function orderOf({ player, by, sims, seconds }: Seat): Order {
  const level = players.value?.levels.find((each) => `level:${each.id}` === player);
  if (level) return { player: level.player, settings: { ...level.settings, sims: level.sims } };
  const budget: Settings = by === "sims" ? { sims, seconds: 0 } : { sims: 100_000_000, seconds };
  return { player, settings: { ...settings.value, ...budget } };
}

export function resign(): void {
  // Whoever plays one side may resign at any time, also before the server has described the last move.
  const side = ownSide.value ?? settled.value?.to_move;
  if (side !== undefined) giveUp(side);
}

/** A side resigns in the position on the board. */
export function giveUp(side: Side): void {
  if (info.value && !result.value) resignation.value = { game: info.value.id, node: cursor.value, side };
}

/** Forgets a resignation: a new game has begun. */
export function unresign(): void {
  resignation.value = null;
}

export interface Result {
  winner: Side | "draw";
  resigned: boolean;
}

export const result = computed<Result | null>(() => {
  const here = settled.value;
  if (here?.terminal) return { winner: here.winner!, resigned: false };
  const gaveUp = resignation.value;
  if (!gaveUp || gaveUp.game !== info.value?.id || gaveUp.node !== cursor.value) return null;
  return { winner: gaveUp.side === 0 ? 1 : 0, resigned: true };
});
