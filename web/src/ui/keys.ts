/** The keyboard: everything that can be clicked has a key. */
import { humanToMove, playHere, takeBack } from "../screens/Play";
import { enabled, more } from "../store/analysis";
import { dialog, openDialog } from "../store/dialogs";
import { info, settled } from "../store/game";
import { nextHint } from "../store/hints";
import { toggleTerritory } from "../store/owners";
import { type Heat, heat } from "../store/prefs";
import { nextMistake } from "../store/review";
import { go, screen } from "../store/route";
import { running, swapSides } from "../store/seats";
import { toggleLanguage, toggleTheme } from "./Header";
import { goBack, goFirst, goLast, goOn } from "./Transport";

type Where = "everywhere" | "board" | "play" | "analyse" | "review" | "tree";

export interface Shortcut {
  keys: readonly string[];
  where: Where;
  name: string; // of its explanation: key.NAME
  act: () => void;
}

const HEATS: readonly Heat[] = ["off", "prior", "visits", "value"];

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ["p"], where: "everywhere", name: "play", act: () => go("play") },
  { keys: ["a"], where: "everywhere", name: "analyse", act: () => go("analyse") },
  { keys: ["r"], where: "everywhere", name: "review", act: () => go("review") },
  { keys: ["t"], where: "everywhere", name: "tree", act: () => go("tree") },
  { keys: ["l"], where: "everywhere", name: "training", act: () => go("training") },
  { keys: ["?"], where: "everywhere", name: "keys", act: () => openDialog("keys") },
  { keys: ["d"], where: "everywhere", name: "theme", act: toggleTheme },
  { keys: ["z"], where: "everywhere", name: "language", act: toggleLanguage },
  { keys: ["n"], where: "everywhere", name: "new", act: () => openDialog("new") },
  { keys: ["o"], where: "board", name: "import", act: () => openDialog("import") },
  { keys: ["e"], where: "board", name: "share", act: () => openDialog("share") },
  { keys: ["s"], where: "board", name: "settings", act: () => openDialog("settings") },
  { keys: ["ArrowLeft", "["], where: "board", name: "undo", act: goBack },
  { keys: ["ArrowRight", "]"], where: "board", name: "redo", act: goOn },
  { keys: ["Home"], where: "board", name: "first", act: goFirst },
  { keys: ["End"], where: "board", name: "last", act: goLast },
  { keys: ["m", "/"], where: "board", name: "typed", act: () => document.getElementById("typed-move")?.focus() },
  { keys: ["c"], where: "board", name: "board", act: focusBoard },
  { keys: [" "], where: "play", name: "pause", act: () => flip(running) },
  { keys: ["b"], where: "play", name: "takeback", act: takeBack },
  { keys: ["h"], where: "play", name: "hint", act: () => void (humanToMove() && nextHint()) },
  { keys: ["x"], where: "play", name: "swap", act: swapSides },
  { keys: [" "], where: "analyse", name: "search", act: () => flip(enabled) },
  { keys: ["v"], where: "analyse", name: "heat", act: nextHeat },
  { keys: ["g"], where: "analyse", name: "territory", act: toggleTerritory },
  { keys: ["g"], where: "review", name: "territory", act: toggleTerritory },
  { keys: ["j"], where: "review", name: "nextMistake", act: () => nextMistake(1) },
  { keys: ["k"], where: "review", name: "previousMistake", act: () => nextMistake(-1) },
  { keys: ["+"], where: "tree", name: "more", act: () => more(10) },
];

function flip(signal: { value: boolean }): void {
  signal.value = !signal.value;
}

function nextHeat(): void {
  heat.value = HEATS[(HEATS.indexOf(heat.value) + 1) % HEATS.length]!;
}

function focusBoard(): void {
  document.querySelector<SVGElement>('main svg.board [role="gridcell"][tabindex="0"]')?.focus();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("input:not([type=range]), textarea, select") || target.isContentEditable);

/** Keys that a focused control needs for itself. */
const belongsTo = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  ((key === " " && target.matches("button, a, summary, input")) ||
    (key.startsWith("Arrow") && target.matches("input")));

const applies = (where: Where): boolean =>
  where === "everywhere" || where === screen.value || (where === "board" && screen.value !== "training");

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.value) return;
  if (isTyping(event.target) || belongsTo(event.target, event.key)) return;
  const found = SHORTCUTS.find(({ keys, where }) => keys.includes(event.key) && applies(where));
  if (found) found.act();
  else if (!playDigit(event.key)) return;
  event.preventDefault();
}

/** Where discs fall, a column's number drops one. */
function playDigit(key: string): boolean {
  const here = settled.value;
  if (screen.value !== "play" || info.value?.layout.kind !== "gravity" || !/^\d$/.test(key) || !here) return false;
  if (!here.legal.some((move) => move.text === key)) return false;
  void playHere(key);
  return true;
}

export function listenToKeys(): () => void {
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}
