/** Signals that outlive a reload. A full or forbidden storage only means that they do not. */
import { effect, type Signal, signal } from "@preact/signals";

const PREFIX = "tengen.";

export function load<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {}
}

export function saved<T>(name: string, otherwise: T): Signal<T> {
  const kept = signal(load(name, otherwise));
  effect(() => store(name, kept.value));
  return kept;
}
