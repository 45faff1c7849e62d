/** A run's curves, and its strength, which stands above them. Whatever the run measures and no group names is shown at the end. */
import { language, t } from "../i18n/i18n";
import { measureName } from "../i18n/training";
import type { Points } from "../store/curves";
import type { EloPoint, RunDetails } from "../store/training";
import { Chart, type Curve } from "./Chart";
import { Card } from "./controls";

interface Spec {
  title: string;
  curves: readonly string[];
  share?: boolean;
}

const GROUPS = {
  strength: [
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
  "elo",
  "elo_error",
  "elo_alone",
  "elo_alone_error",
  "games_alone",
  "score", // against ever stronger opponents: it falls when the network rises
  "score_low",
  "score_high",
  "progress",
  "multiplier",
  "loss",
  "games",
  "moves_per_second",
];

/** The verdict and what it rests on: first on the page, whatever its width. */
export function Strength({ run }: { run: RunDetails }) {
  const { curves, elo, health } = run;
  const mistakes = mistakeCurves(curves);
  const alone = aloneCurves(curves);
  const ratings = (["elo", "elo_alone"] as const).flatMap((name) =>
    elo[name].length ? [eloCurve(name, elo[name])] : [],
  );
  return (
    <Card title={t("train.strength")}>
      <p class="health-words" data-testid="health">
        {health.verdict.texts[language.value]}
      </p>
      <div class="charts">
        {ratings.length > 0 && <Chart title={measureName("elo_title")} curves={ratings} />}
        {mistakes.length > 0 && <Chart title={measureName("mistakes")} curves={mistakes} share />}
        {alone.length > 0 && <Chart title={measureName("alone")} curves={alone} share />}
        <Charts curves={curves} specs={GROUPS.strength} />
      </div>
    </Card>
  );
}

export function Curves({ run }: { run: RunDetails }) {
  const { curves } = run;
  const grouped = Object.values(GROUPS).flatMap((specs: Spec[]) => specs.flatMap((spec) => spec.curves));
  const others = Object.keys(curves).filter(
    (name) => !grouped.includes(name) && !ELSEWHERE.includes(name) && !/^(keeping|alone)_/.test(name),
  );
  if (!Object.keys(curves).length) return <p class="muted">{t("train.nocurves")}</p>;
  return (
    <>
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
}

function Group({ title, curves, specs }: GroupProps) {
  if (!known(specs, curves).length) return null;
  return (
    <Card title={title}>
      <div class="charts">
        <Charts curves={curves} specs={specs} />
      </div>
    </Card>
  );
}

const known = (specs: readonly Spec[], curves: Record<string, Points>): Spec[] =>
  specs.filter((spec) => spec.curves.some((name) => curves[name]?.length));

function Charts({ specs, curves }: Omit<GroupProps, "title">) {
  return (
    <>
      {known(specs, curves).map((spec) => (
        <Chart key={spec.title} title={measureName(spec.title)} curves={curvesOf(spec, curves)} share={spec.share} />
      ))}
    </>
  );
}

function curvesOf({ curves: names }: Spec, curves: Record<string, Points>): Curve[] {
  return names.flatMap((name): Curve[] => (curves[name]?.length ? [{ name, points: curves[name] }] : []));
}

function eloCurve(name: string, points: readonly EloPoint[]): Curve {
  const over = (value: (point: EloPoint) => number): Points => points.map((point) => [point.minutes, value(point)]);
  return {
    name,
    points: over(({ elo }) => elo),
    errors: over(({ error }) => error),
    measured: over(({ measured }) => measured),
  };
}

/** What the network scores without a search, by opponent. */
function aloneCurves(curves: Record<string, Points>): Curve[] {
  return Object.entries(curves)
    .filter(([name, points]) => name.startsWith("alone_") && points.length)
    .map(([name, points]) => ({ name, points }));
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
