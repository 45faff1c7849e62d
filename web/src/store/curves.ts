/** Curves of a training run as they are put together. */

export type Points = [minutes: number, value: number][];

/** What was known, with what is new at the end of each curve. */
export function joined(old: Record<string, Points>, fresh: Record<string, Points>): Record<string, Points> {
  const all = { ...old };
  for (const [name, points] of Object.entries(fresh)) all[name] = [...(old[name] ?? []), ...points];
  return all;
}

/** All curves on one time axis; a curve that was not measured then has a hole there. */
export function aligned(curves: readonly { points: Points }[]): [number[], ...(number | null)[][]] {
  const minutes = [...new Set(curves.flatMap((curve) => curve.points.map(([at]) => at)))].sort((a, b) => a - b);
  return [
    minutes,
    ...curves.map(({ points }) => {
      const known = new Map(points);
      return minutes.map((at) => known.get(at) ?? null);
    }),
  ];
}

/** What a point of a run may be drawn over: the work that was done by then. */
export const AXES = ["minutes", "games", "evaluations"] as const;
export type Axis = (typeof AXES)[number];
export type WorkedPoint = [minutes: number, games: number, evaluations: number, value: number, error: number | null];

/** The curve of a run over an axis, and its intervals. */
export function over(points: readonly WorkedPoint[], along: Axis): { points: Points; errors: Points } {
  const place = AXES.indexOf(along);
  const values = points.map((point): [number, number] => [point[place]!, point[3]]);
  const errors = points.flatMap((point): Points => (point[4] === null ? [] : [[point[place]!, point[4]]]));
  return { points: values, errors };
}
