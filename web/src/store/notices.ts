/** What the page tells: short notices that go away, and words for screen readers. */
import { signal } from "@preact/signals";
import { ApiError, Unreachable } from "../api";
import { en } from "../i18n/en";
import { type Key, language, t } from "../i18n/i18n";
import { noticeAbsence } from "./link";

export interface Notice {
  id: number;
  text: string;
  bad: boolean;
}

export const notices = signal<Notice[]>([]);
export const announcement = signal("");

const SHOWN = 6000;
/** Errors of which the server's line knows more than their name says. */
const DETAILED = [
  "bad_request",
  "bad_moves",
  "bad_position",
  "bad_sgf",
  "bad_setting",
  "not_supported",
  "run_busy",
  "run_refused",
];
let last = 0;

export function notify(text: string, bad = false): void {
  const id = ++last;
  notices.value = [...notices.value.filter((each) => each.text !== text).slice(-2), { id, text, bad }];
  setTimeout(() => dismiss(id), SHOWN);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id);
}

export function announce(text: string): void {
  announcement.value = text;
}

/** An error in the reader's language; the server's own line where there is no translation. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const key = `error.${error.code}`;
  if (!(key in en)) return error.message;
  const params = Object.fromEntries(Object.entries(error.params).map(([name, value]) => [name, String(value)]));
  const text = t(key as Key, params);
  // A translation that names something the server did not send says less than the server's own line.
  if (/\{\w+\}/.test(text)) return error.message;
  return language.value === "en" && DETAILED.includes(error.code) ? `${text} (${error.message})` : text;
}

export function complain(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  if (error instanceof Unreachable) noticeAbsence();
  else notify(explain(error), true);
}
