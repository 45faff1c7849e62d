/** The page in the reader's language. Both languages have the same keys: the type checker sees to it. */
import { computed, effect } from "@preact/signals";
import { saved } from "../store/saved";
import { en } from "./en";
import { zh } from "./zh";

export type Key = keyof typeof en;
export type Messages = Record<Key, string>;
export type Language = "en" | "zh";

const LANGUAGES: Record<Language, Messages> = { en, zh };
const chosen = saved<Language | null>("language", null);

export const language = computed<Language>(
  () => chosen.value ?? (navigator.languages.some((each) => each.startsWith("zh")) ? "zh" : "en"),
);

export function setLanguage(to: Language): void {
  chosen.value = to;
}

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});

export function t(key: Key, params: Record<string, string | number> = {}): string {
  return LANGUAGES[language.value][key].replace(/\{(\w+)\}/g, (all, name: string) => String(params[name] ?? all));
}

/** A text whose key is made of data, such as a game's name; data that is new to the page speaks for itself. */
export function named(prefix: string, name: string, otherwise = name): string {
  const key = `${prefix}.${name}`;
  return key in en ? t(key as Key) : otherwise;
}
