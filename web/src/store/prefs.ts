/** What the person at the page prefers. */
import { computed, effect, signal } from "@preact/signals";
import type { Settings } from "../api";
import { saved } from "./saved";

export type Theme = "system" | "light" | "dark";
export type Heat = "off" | "prior" | "visits" | "value";

export const theme = saved<Theme>("theme", "system");
export const heat = saved<Heat>("heat", "visits");
export const territory = saved("territory", false); // whose every cell will be, on the board
export const exact = saved("exact", false); // the solver's scores on the board
export const coordinates = saved("coordinates", true);
export const analysts = saved<Record<string, string>>("analysts", {}); // who analyses, by game, where one was chosen
export const analysisSims = saved("sims", 10_000);
/** Search options that differ from the game's own, for playing and analysing alike. */
export const settings = saved<Settings>("expert", {});

const night = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(night.matches);
night.addEventListener("change", (event) => {
  systemDark.value = event.matches;
});

export const dark = computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark"));

effect(() => {
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
});
