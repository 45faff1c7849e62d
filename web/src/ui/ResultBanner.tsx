/** How the game ended. */
import { t } from "../i18n/i18n";
import { openDialog } from "../store/dialogs";
import { position } from "../store/game";
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

/** By how many points the game was won, 0 where it was not counted. */
function lead(): number {
  const points = result.value?.resigned ? null : position.value?.score?.points;
  return points ? Math.abs(points[0] - points[1]) : 0;
}

export function ResultBanner() {
  const end = result.value;
  if (!end) return null;
  const glad = end.winner !== "draw" && isHuman(end.winner);
  return (
    <div class={glad ? "result glad" : "result"} data-testid="result">
      <strong>
        {resultWords()} {lead() > 0 && t("result.by", { n: lead() })}
      </strong>
      <div class="result-actions">
        <Button icon="review" label={t("result.review")} onClick={() => go("review")} />
        <Button primary icon="plus" label={t("new")} onClick={() => openDialog("new")} />
      </div>
    </div>
  );
}
