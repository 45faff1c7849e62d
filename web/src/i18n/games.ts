/** Names of games, players and moves as people say them. */
import { signal } from "@preact/signals";
import type { Players } from "../api";
import { named, t } from "./i18n";
import { short, whole } from "./numbers";

/** What the server calls its games, by name: the page has no words of its own for those of other people. */
export const titles = signal<Readonly<Record<string, string>>>({});

/** A game's id as a title: "Gomoku 15 · rule renju". */
export function gameTitle(id: string): string {
  if (id in titles.value) return named("game", id, titles.value[id]);
  if (id.startsWith("openspiel:")) return id; // of a run whose game this server does not know
  const [name = "", rest = ""] = id.split(":", 2);
  const [size = "", ...options] = rest.split(",");
  const details = options.map((each) => {
    const [key = "", value = ""] = each.split("=");
    return `${named("option", key)} ${named("value", value)}`;
  });
  return [`${named("game", name)}${size && ` ${size}×${size}`}`, ...details].join(" · ");
}

/** Moves without a place on the board have names. */
export const moveName = (text: string): string => named("move", text);

/** Unpadded: a training step reads better as a number. */
const stepName = (step: string): string =>
  /^\d+$/.test(step) ? t("player.step", { step: short(Number(step)) }) : named("player", step);

export function playerName(id: string, players: Players | null): string {
  const level = players?.levels.find((each) => `level:${each.id}` === id);
  if (level) return levelName(level);
  const run = /^run:(.+)\/([^/]+)$/.exec(id);
  if (run) return `${run[1]} · ${stepName(run[2]!)}`;
  if (id.startsWith("engine:")) return id.slice("engine:".length);
  return named("player", id);
}

export const levelName = (level: { id: string; elo: number; error: number }): string =>
  t("player.level", { level: level.id, elo: whole(level.elo), error: whole(level.error) });

/** Who leads by how much, as game records write results; `lead` is the first player's. */
export function ahead(lead: number): string {
  const size = Math.abs(lead).toFixed(1);
  return t(lead < 0 ? "lead.second" : "lead.first", { n: size });
}
