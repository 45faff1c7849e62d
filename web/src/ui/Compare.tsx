/** Runs next to each other: one curve of each, after the same minutes, games or evaluations. */
import { useEffect } from "preact/hooks";
import { t } from "../i18n/i18n";
import { measureName } from "../i18n/training";
import * as store from "../store/compare";
import { AXES, over } from "../store/curves";
import type { RunSummary } from "../store/training";
import { Chart } from "./Chart";
import { Card, Segmented, Select } from "./controls";

export function Compare({ runs }: { runs: readonly RunSummary[] }) {
  useEffect(store.beginComparing, []);
  const chosen = store.compared.value;
  return (
    <Card title={t("compare")}>
      <fieldset class="compare-runs" data-testid="compare-runs">
        <legend class="small muted">{t("compare.choose", { most: store.MOST })}</legend>
        {runs.map(({ name }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={!chosen.includes(name) && chosen.length >= store.MOST}
              onChange={(event) => store.choose(name, event.currentTarget.checked)}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {store.comparison.value && <Compared told={store.comparison.value} runs={runs} />}
    </Card>
  );
}

function Compared({ told, runs }: { told: store.Comparison; runs: readonly RunSummary[] }) {
  const known = told.runs.filter((run) => run.points.length);
  if (!told.curve || !known.length) return <p class="muted">{t("train.nocurves")}</p>;
  const games = new Set(runs.filter((run) => told.runs.some(({ name }) => name === run.name)).map((run) => run.game));
  const along = store.axis.value;
  return (
    <>
      <div class="row">
        <Segmented
          label={t("compare.axis")}
          value={along}
          choices={AXES.map((value) => ({ value, label: t(`compare.axis.${value}`) }))}
          onChange={(to) => {
            store.axis.value = to;
          }}
          testid="compare-axis"
        />
        <Select
          label={t("compare.curve")}
          value={told.curve}
          groups={[{ choices: told.curves.map((value) => ({ value, label: measureName(value) })) }]}
          onChange={(to) => {
            store.curve.value = to;
          }}
          testid="compare-curve"
        />
      </div>
      {games.size > 1 && <p class="small muted">{t("compare.games")}</p>}
      <Chart
        title={measureName(told.curve)}
        curves={known.map(({ name, points }) => ({ name, ...over(points, along) }))}
        axis={t(`compare.axis.${along}`)}
        nameOf={(name) => name}
      />
    </>
  );
}
