/** Who plays for a run from elsewhere, how fast, and whether it is believed. */
import { t } from "../i18n/i18n";
import { compact, whole } from "../i18n/numbers";
import type { RunDetails } from "../store/training";
import { Card } from "./controls";

export function Workers({ run }: { run: RunDetails }) {
  if (!run.workers.length) return null;
  return (
    <Card title={t("workers")}>
      <div class="table-scroll tall" tabIndex={0} role="region" aria-label={t("workers")}>
        <table data-testid="workers">
          <thead>
            <tr>
              <th scope="col">{t("workers.name")}</th>
              <th scope="col">{t("workers.players")}</th>
              <th scope="col">{t("workers.speed")}</th>
              <th scope="col">{t("workers.games")}</th>
              <th scope="col">{t("workers.refused")}</th>
              <th scope="col">{t("workers.checked")}</th>
              <th scope="col">{t("workers.unseen")}</th>
            </tr>
          </thead>
          <tbody>
            {run.workers.map((each) => (
              <tr key={each.name} class={each.barred || each.held ? "off" : undefined}>
                <th scope="row" title={each.barred ?? each.held ?? undefined}>
                  {each.name}
                  {(each.barred || each.held) && (
                    <span class="muted small"> · {t(each.barred ? "workers.barred" : "workers.held")}</span>
                  )}
                </th>
                <td>{whole(each.players)}</td>
                <td>{compact(each.simulations_per_second)}</td>
                <td>{whole(each.games)}</td>
                <td>{whole(each.refused)}</td>
                <td>{whole(each.checked)}</td>
                <td>{whole(each.unseen)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
