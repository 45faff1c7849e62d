/** A chart of curves over minutes of training, or over another axis. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { t } from "../i18n/i18n";
import { compact, percent } from "../i18n/numbers";
import { measureName } from "../i18n/training";
import { aligned, type Points } from "../store/curves";
import { dark } from "../store/prefs";

export interface Curve {
  name: string;
  points: Points;
  errors?: Points; // half of an interval, at the same minutes
  measured?: Points; // what a smoothed curve was made from
}

const COLOURS = ["--accent", ...[2, 3, 4, 5, 6, 7, 8].map((place) => `--series-${place}`)];
const HEIGHT = 190;

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

interface ChartProps {
  title: string;
  curves: readonly Curve[];
  share?: boolean | undefined;
  axis?: string;
  nameOf?: (name: string) => string;
}

export function Chart({ title, curves, share, axis = t("train.axis"), nameOf = measureName }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = aligned(curves);
  const latest = useRef({ curves, data });
  latest.current = { curves, data };
  const shape = `${title} ${curves.map((curve) => curve.name).join()} ${axis} ${dark.value}`;
  useEffect(() => {
    const element = holder.current!;
    const made = new uPlot(options(element.clientWidth, latest, axis, share ?? false), latest.current.data, element);
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [data]);
  const last = curves.map(({ name, points, errors }) => {
    const value = points[points.length - 1]?.[1];
    const error = errors?.[errors.length - 1]?.[1];
    const text =
      value === undefined ? "–" : share ? percent(value, 1) : compact(error === undefined ? value : Math.round(value));
    return { name, text: error === undefined ? text : `${text} ± ${compact(Math.round(error))}` };
  });
  const words = last.map(({ name, text }) => `${nameOf(name)} ${text}`).join(", ");
  return (
    <figure class="chart" data-testid={`chart-${curves[0]?.name}`}>
      <figcaption>
        <span>{title}</span>
        <span class="chart-now">
          {last.map(({ name, text }, place) => (
            <span key={name} class={`series series-${place}`}>
              {curves.length > 1 ? `${nameOf(name)} ` : ""}
              <b>{text}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={holder} role="img" aria-label={`${title}: ${words}`} />
    </figure>
  );
}

function options(
  width: number,
  latest: { current: { curves: readonly Curve[] } },
  label: string,
  share: boolean,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  const placed = (at: number): string => (at < 10_000 ? at.toLocaleString("en") : compact(at));
  const written = (value: number): string => (share ? percent(value) : compact(value));
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { size: 7 }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => roomFor(latest.current.curves, low, high) } },
    axes: [
      {
        ...axis,
        label,
        labelSize: 18,
        labelFont: "12px system-ui, sans-serif",
        size: 30,
        values: (_, marks) => marks.map(placed),
      },
      { ...axis, size: 52, values: (_, marks) => marks.map(written) },
    ],
    series: [
      {},
      ...latest.current.curves.map((_, place) => ({
        stroke: colour(COLOURS[place % COLOURS.length]!),
        width: 2,
        spanGaps: true,
        points: {
          show: latest.current.curves[place]!.points.length < 40 && !latest.current.curves[place]!.measured,
          size: 5,
        },
      })),
    ],
    hooks: { draw: [(plot) => drawBands(plot, latest.current.curves)] },
  };
}

/** A little air around the curves and their intervals. */
function roomFor(curves: readonly Curve[], low: number | null, high: number | null): [number, number] {
  let [bottom, top] = [low ?? 0, high ?? 1];
  for (const { points, errors, measured } of curves) {
    const half = new Map(errors);
    for (const [at, value] of points) {
      bottom = Math.min(bottom, value - (half.get(at) ?? 0));
      top = Math.max(top, value + (half.get(at) ?? 0));
    }
    for (const [, value] of measured ?? []) [bottom, top] = [Math.min(bottom, value), Math.max(top, value)];
  }
  const air = 0.08 * (top - bottom) || Math.abs(top) * 0.1 || 1;
  return [bottom >= 0 ? Math.max(0, bottom - air) : bottom - air, top + air];
}

/** The interval around a curve as a band, and what was measured as small dots. */
function drawBands(plot: uPlot, curves: readonly Curve[]): void {
  const { ctx } = plot;
  const x = (at: number): number => plot.valToPos(at, "x", true);
  const y = (value: number): number => plot.valToPos(value, "y", true);
  curves.forEach(({ points, errors, measured }, place) => {
    ctx.save();
    ctx.fillStyle = colour(COLOURS[place % COLOURS.length]!);
    if (errors) {
      const half = new Map(errors);
      const edge = (sign: number): [number, number][] =>
        points.map(([at, value]) => [x(at), y(value + sign * (half.get(at) ?? 0))]);
      ctx.globalAlpha = 0.16;
      ctx.beginPath();
      for (const [left, top] of [...edge(1), ...edge(-1).reverse()]) ctx.lineTo(left, top);
      ctx.fill();
    }
    ctx.globalAlpha = 0.6;
    for (const [at, value] of measured ?? []) {
      ctx.beginPath();
      ctx.arc(x(at), y(value), 2.5 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  });
}
