/** What the rules say beside the stones, where a game has it: goals, komi, captures, and the count at the end. */
import { named, t } from "../i18n/i18n";
import { info, position } from "../store/game";
import { ownSide } from "../store/seats";

export function Facts() {
  const lines = [goals(), captures(), count()].filter(Boolean);
  if (!lines.length) return null;
  return (
    <ul class="facts muted small" data-testid="facts">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function goals(): string {
  const both = info.value?.goals;
  if (!both) return "";
  const [first, second] = both.map((goal) => named("goal", goal)) as [string, string];
  const own = ownSide.value;
  return own === null ? t("facts.goals", { first, second }) : t("facts.goal", { goal: own === 0 ? first : second });
}

function captures(): string {
  const komi = info.value?.options?.komi;
  const taken = position.value?.captures;
  const parts = [
    komi !== undefined && `${t("option.komi")} ${komi}`,
    taken && t("facts.captures", { first: taken[0], second: taken[1] }),
  ];
  return parts.filter(Boolean).join(" · ");
}

function count(): string {
  const here = position.value;
  if (!here?.terminal || !here.score) return "";
  const [first, second] = here.score.points;
  return t("facts.count", { first, second });
}
