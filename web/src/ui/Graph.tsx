/** Win, draw and loss over the game, with a band for the moves that are thought to be left. Click to jump. */
import { useSignal } from "@preact/signals";
import { ahead } from "../i18n/games";
import { t } from "../i18n/i18n";
import { percent } from "../i18n/numbers";
import { history, type Judgement, whyEmpty } from "../store/evaluations";
import { depth, jumpToPly } from "../store/game";
import type { MoveKind } from "../store/messages";
import { running } from "../store/seats";

const WIDTH = 600;
const HEIGHT = 130;
const BAND = 26; // height of the moves-left band below

interface Props {
  marks?: ReadonlyMap<number, MoveKind>; // ply of a move → how bad it was
}

type Point = { x: number; ply: number; judgement: Judgement };

export function Graph({ marks }: Props) {
  const plies = history.value;
  const pointed = useSignal<number | null>(null);
  const last = Math.max(1, plies.length - 1);
  const at = (ply: number): number => (ply / last) * WIDTH;
  const points = plies.flatMap((judgement, ply): Point[] =>
    judgement?.certain ? [{ x: at(ply), ply, judgement }] : [],
  );
  const shown = plies[pointed.value ?? depth.value];
  const plyOf = (event: PointerEvent | MouseEvent): number => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.round(((event.clientX - box.left) / box.width) * last)));
  };
  return (
    <figure class="graph" data-testid="graph">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the transport buttons and arrow keys do the same */}
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + BAND + 6}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("graph")}
        onClick={(event) => {
          running.value = false;
          jumpToPly(plyOf(event));
        }}
        onPointerMove={(event) => {
          pointed.value = plyOf(event);
        }}
        onPointerLeave={() => {
          pointed.value = null;
        }}
      >
        <rect class={points.length < 2 ? "graph-bare" : "graph-ground"} width={WIDTH} height={HEIGHT} />
        <path
          class="graph-loss"
          d={area(
            points,
            () => 0,
            ({ wdl }) => wdl[2],
          )}
        />
        <path
          class="graph-win"
          d={area(
            points,
            ({ wdl }) => 1 - wdl[0],
            () => 1,
          )}
        />
        <path class="graph-middle" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
        <path class="graph-score" d={trace(points)} />
        <LeadLine points={points} />
        <LeftBand points={points} />
        {[...(marks ?? [])].map(([ply, kind]) => (
          // A line without length: a round dot however the graph is stretched.
          <path
            key={ply}
            class={`graph-mark grade-${kind}`}
            d={`M${at(ply + 1).toFixed(1)} ${markHeight(plies[ply + 1])}h0`}
          />
        ))}
        <path class="graph-now" d={`M${at(depth.value)} 0V${HEIGHT + BAND + 6}`} />
        {pointed.value !== null && <path class="graph-hover" d={`M${at(pointed.value)} 0V${HEIGHT}`} />}
      </svg>
      <figcaption>
        {points.length < 2 && <span data-testid="graph-why">{t(`graph.${whyEmpty()}`)}</span>}
        {shown?.certain ? (
          <>
            <span>{t("graph.ply", { ply: pointed.value ?? depth.value })}</span>
            <span class="win-text">{percent(shown.wdl[0])}</span>
            <span>{percent(shown.wdl[1])}</span>
            <span class="loss-text">{percent(shown.wdl[2])}</span>
            {shown.lead !== null && <span data-testid="graph-lead">{t("lead", { ahead: ahead(shown.lead) })}</span>}
            <span>{t("left", { plies: shown.plies.toFixed(0) })}</span>
          </>
        ) : (
          points.length > 1 && <span>{t(shown ? "unsure" : "graph.empty")}</span>
        )}
        {leadsOf(points).length > 1 && <span class="muted">{t("graph.lead", { n: mostLead(points).toFixed(0) })}</span>}
      </figcaption>
    </figure>
  );
}

const y = (share: number): number => Math.round(share * HEIGHT * 10) / 10;

function area(points: readonly Point[], top: (of: Judgement) => number, bottom: (of: Judgement) => number): string {
  if (points.length < 2) return "";
  const upper = points.map(({ x, judgement }) => `${x.toFixed(1)} ${y(top(judgement))}`);
  const lower = points.map(({ x, judgement }) => `${x.toFixed(1)} ${y(bottom(judgement))}`).reverse();
  return `M${[...upper, ...lower].join("L")}Z`;
}

const score = ({ wdl }: Judgement): number => 1 - wdl[0] - wdl[1] / 2;

const trace = (points: readonly Point[]): string =>
  points.length < 2 ? "" : `M${points.map(({ x, judgement }) => `${x.toFixed(1)} ${y(score(judgement))}`).join("L")}`;

const markHeight = (judgement: Judgement | undefined): number => (judgement ? y(score(judgement)) : HEIGHT / 2);

const leadsOf = (points: readonly Point[]) =>
  points.flatMap(({ x, judgement: { lead } }) => (lead === null ? [] : [{ x, lead }]));

/** What the upper and the lower edge stand for. */
const mostLead = (points: readonly Point[]): number =>
  Math.max(1, Math.ceil(Math.max(0, ...leadsOf(points).map(({ lead }) => Math.abs(lead)))));

/** The lead in points: above the middle the first player's. The light line below makes it stand out on any ground. */
function LeadLine({ points }: { points: readonly Point[] }) {
  const leads = leadsOf(points);
  if (leads.length < 2) return null;
  const most = mostLead(points);
  const d = `M${leads.map(({ x, lead }) => `${x.toFixed(1)} ${y((1 - lead / most) / 2)}`).join("L")}`;
  return (
    <g data-testid="lead-line">
      <path class="graph-lead-ground" d={d} />
      <path class="graph-lead" d={d} />
    </g>
  );
}

function LeftBand({ points }: { points: readonly Point[] }) {
  const most = Math.max(1, ...points.map(({ judgement }) => judgement.plies));
  if (points.length < 2) return null;
  const floor = HEIGHT + BAND + 6;
  const line = points.map(
    ({ x, judgement }) => `${x.toFixed(1)} ${(floor - (BAND * judgement.plies) / most).toFixed(1)}`,
  );
  return (
    <path class="graph-left" d={`M0 ${floor}L${line.join("L")}L${points[points.length - 1]!.x.toFixed(1)} ${floor}Z`} />
  );
}
