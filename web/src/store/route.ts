/** Where in the app the page is: #/SCREEN[/NAME][?game]. The game is in the address too, so that a link shares it. */
import { computed, signal } from "@preact/signals";

export const SCREENS = ["play", "analyse", "review", "tree", "training"] as const;
export type Screen = (typeof SCREENS)[number];

export interface Place {
  screen: Screen;
  name: string; // of the run, on the training screen
  query: URLSearchParams;
}

export function readPlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [screen = "", ...rest] = path.split("/");
  const known = SCREENS.find((each) => each === screen);
  return { screen: known ?? "play", name: decode(rest.join("/")), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export const place = signal(readPlace(location.hash));
export const screen = computed(() => place.value.screen);

/** Screens that are about the game on the board. */
export const onBoard = computed(() => screen.value !== "training");

export function go(to: Screen, name = ""): void {
  location.hash = `#/${to}${name ? `/${encodeURIComponent(name)}` : ""}`;
}

/** Puts the game into the address without a step in the history. */
export function writeQuery(query: string): void {
  if (!onBoard.value) return;
  const hash = `#/${screen.peek()}${query ? `?${query}` : ""}`;
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

addEventListener("hashchange", () => {
  place.value = readPlace(location.hash);
});
