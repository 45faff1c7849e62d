/** How the game ended. */
import { t } from "../i18n/i18n";
import { openDialog } from "../store/dialogs";
import { go } from "../store/route";
import { isHuman, ownSide, result } from "../store/seats";
import { Button } from "./controls";

export function resultWords(): string {
  const end = result.value;
  if (!end) return "";
  if (end.winner === "draw") return t("result.draw");
  const own = ownSide.value;
  if (own !== null)
    return t(
      end.winner === own
        ? end.resigned
          ? "result.gaveUp"
          : "result.won"
        : end.resigned
          ? "result.resigned"
          : "result.lost",
    );
  return t(end.winner === 0 ? "result.first" : "result.second");
}

export function ResultBanner() {
  const end = result.value;
  if (!end) return null;
  const glad = end.winner !== "draw" && isHuman(end.winner);
  return (
    <div class={glad ? "result glad" : "result"} data-testid="result">
      <strong>{resultWords()}</strong>
      <div class="result-actions">
        <Button icon="review" label={t("result.review")} onClick={() => go("review")} />
        <Button primary icon="plus" label={t("new")} onClick={() => openDialog("new")} />
      </div>
    </div>
  );
}
