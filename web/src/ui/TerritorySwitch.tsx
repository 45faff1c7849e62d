/** The expected territory: whether it is drawn on the board, and what it amounts to, for those who cannot see it. */
import { isOwned } from "../board/Overlay";
import { t } from "../i18n/i18n";
import { counted, owners, toggleTerritory } from "../store/owners";
import { territory } from "../store/prefs";
import { Switch } from "./controls";

export function TerritorySwitch() {
  if (!counted.value) return null;
  return (
    <div class="engine">
      <Switch
        label={t("territory")}
        on={territory.value}
        onChange={toggleTerritory}
        keys="g"
        testid="territory-switch"
      />
      <span class="muted small" role="status" data-testid="territory-words">
        {territory.value && words(owners.value)}
      </span>
    </div>
  );
}

function words(cells: readonly number[] | null | undefined): string {
  if (cells === undefined) return "";
  if (cells === null) return t("territory.none");
  const first = cells.filter((each) => each > 0 && isOwned(each)).length;
  const second = cells.filter((each) => each < 0 && isOwned(each)).length;
  return t("territory.words", { first, second, open: cells.length - first - second });
}
