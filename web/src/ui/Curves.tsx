/** A run's curves, strength first. Whatever the run measures and no group names is shown at the end. */
import { t } from "../i18n/i18n";
import { measureName } from "../i18n/training";
import type { Points } from "../store/curves";
import type { RunDetails } from "../store/training";
import { Chart, type Curve } from "./Chart";
import { Card } from "./controls";

interface Spec {
  title: string;
  curves: readonly string[];
  errors?: string;
  share?: boolean;
}

const GROUPS = {
  strength: [
    { title: "elo", curves: ["elo"], errors: "elo_error" },
    { title: "score", curves: ["score"], share: true },
    { title: "level", curves: ["level"] },
    { title: "against_previous", curves: ["against_previous"], share: true },
  ],
  learning: [
    { title: "losses", curves: ["policy_loss", "value_loss", "moves_left_loss"] },
    { title: "entropy", curves: ["entropy"] },
    { title: "explained_variance", curves: ["explained_variance"], share: true },
    { title: "kl", curves: ["kl"] },
    { title: "gradient_norm", curves: ["gradient_norm"] },
    { title: "rate", curves: ["rate"] },
  ],
  speed: [
    { title: "work", curves: ["evaluations_per_second", "simulations_per_second"] },
    { title: "games_per_second", curves: ["games_per_second"] },
    { title: "batch_fill", curves: ["batch_fill"], share: true },
    { title: "without_network", curves: ["without_network"], share: true },
    { title: "samples_per_second", curves: ["samples_per_second"] },
    { title: "seconds", curves: ["playing_seconds", "learning_seconds"] },
  ],
  games: [
    { title: "data", curves: ["window", "positions"] },
    { title: "replay_age", curves: ["replay_age"] },
    { title: "game_length", curves: ["game_length"] },
    { title: "first_player_score", curves: ["first_player_score"], share: true },
    { title: "draws", curves: ["draws"], share: true },
    { title: "total_games", curves: ["total_games"] },
  ],
} satisfies Record<string, Spec[]>;

/** Shown in another way, or only bounds of what is shown. */
const ELSEWHERE = [
  "elo_error",
  "score_low",
  "score_high",
  "progress",
  "multiplier",
  "loss",
  "games",
  "moves_per_second",
];

export function Curves({ run }: { run: RunDetails }) {
  const { curves } = run;
  const grouped = Object.values(GROUPS).flatMap((specs: Spec[]) => specs.flatMap((spec) => spec.curves));
  const others = Object.keys(curves).filter(
    (name) => !grouped.includes(name) && !ELSEWHERE.includes(name) && !name.startsWith("keeping"),
  );
  const mistakes = mistakeCurves(curves);
  if (!Object.keys(curves).length) return <p class="muted">{t("train.nocurves")}</p>;
  return (
    <>
      <Group title={t("train.strength")} curves={curves} specs={GROUPS.strength}>
        {mistakes.length > 0 && <Chart title={measureName("mistakes")} curves={mistakes} share />}
      </Group>
      <Group title={t("train.learning")} curves={curves} specs={GROUPS.learning} />
      <Group title={t("train.speed")} curves={curves} specs={GROUPS.speed} />
      <Group title={t("train.games")} curves={curves} specs={GROUPS.games} />
      <Group title={t("train.other")} curves={curves} specs={others.map((name) => ({ title: name, curves: [name] }))} />
    </>
  );
}

interface GroupProps {
  title: string;
  curves: Record<string, Points>;
  specs: readonly Spec[];
  children?: preact.ComponentChildren;
}

function Group({ title, curves, specs, children }: GroupProps) {
  const known = specs.filter((spec) => spec.curves.some((name) => curves[name]?.length));
  if (!known.length && !children) return null;
  return (
    <Card title={title}>
      <div class="charts">
        {children}
        {known.map((spec) => (
          <Chart key={spec.title} title={measureName(spec.title)} curves={curvesOf(spec, curves)} share={spec.share} />
        ))}
      </div>
    </Card>
  );
}

function curvesOf({ curves: names, errors }: Spec, curves: Record<string, Points>): Curve[] {
  return names.flatMap((name): Curve[] => {
    const points = curves[name];
    if (!points?.length) return [];
    const bars = errors ? curves[errors] : undefined;
    return [bars ? { name, points, errors: bars } : { name, points }];
  });
}

/** What is kept of the value of positions, turned into what is lost, by simulations. */
function mistakeCurves(curves: Record<string, Points>): Curve[] {
  return Object.entries(curves)
    .filter(([name, points]) => name.startsWith("keeping_") && points.length)
    .map(([name, points]) => ({
      name: name.replace("keeping", "mistakes"),
      points: points.map(([at, kept]): [number, number] => [at, 1 - kept]),
    }));
}
