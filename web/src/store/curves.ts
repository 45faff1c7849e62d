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
