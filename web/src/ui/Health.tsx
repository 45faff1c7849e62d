/** Whether a run is learning, in words, and the numbers behind it. */
import { language, t } from "../i18n/i18n";
import { compact, whole } from "../i18n/numbers";
import { checkName } from "../i18n/training";
import type { HealthRow, RunDetails } from "../store/training";
import { Card } from "./controls";
import { Icon } from "./Icon";

export function Health({ run }: { run: RunDetails }) {
  const { notes, rows } = run.health;
  const { resignations } = run;
  return (
    <Card title={t("train.health")}>
      {notes[language.value].map((note) => (
        <p key={note} class="muted small">
          {note}
        </p>
      ))}
      {resignations && (
        <p class="small" data-testid="resignations">
          {t(resignations.checked ? "train.resignations" : "train.resignations.none", {
            checked: whole(resignations.checked),
            wrong: whole(resignations.wrong),
            share: ((100 * resignations.wrong) / Math.max(1, resignations.checked)).toFixed(1),
          })}
        </p>
      )}
      {rows.length > 0 && (
        <table class="health">
          <thead>
            <tr>
              <th scope="col">{t("train.health.number")}</th>
              <th scope="col">{t("train.health.now")}</th>
              <th scope="col">{t("train.health.range")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} class={row.ok ? undefined : "off"}>
                <th scope="row">
                  <Icon name={row.ok ? "check" : "flag"} /> {checkName(row.name)}
                </th>
                <td>{compact(row.now)}</td>
                <td>{range(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function range({ low, high }: HealthRow): string {
  if (low !== null && high !== null) return `${compact(low)} … ${compact(high)}`;
  return low !== null ? `≥ ${compact(low)}` : high !== null ? `≤ ${compact(high)}` : "";
}
