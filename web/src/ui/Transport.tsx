/** Back and forth along the game. */
import { t } from "../i18n/i18n";
import { canRedo, canUndo, depth, jumpToPly, line, redo, undo } from "../store/game";
import { running } from "../store/seats";
import { Button } from "./controls";

/** Whoever goes through the game wants to look: programs wait. */
function looking(step: () => void): () => void {
  return () => {
    running.value = false;
    step();
  };
}

export const goFirst = looking(() => jumpToPly(0));
export const goBack = looking(undo);
export const goOn = looking(redo);
export const goLast = looking(() => jumpToPly(line.value.length - 1));

export function Transport() {
  const back = !canUndo.value;
  const on = !canRedo.value;
  return (
    <div class="transport" role="group" aria-label={t("transport")}>
      <Button bare icon="first" label={t("first")} keys="Home" disabled={back} onClick={goFirst} />
      <Button bare icon="previous" label={t("undo")} keys="←" disabled={back} onClick={goBack} testid="undo" />
      <span class="ply" aria-live="off">
        {depth.value}
        <small> / {line.value.length - 1}</small>
      </span>
      <Button bare icon="next" label={t("redo")} keys="→" disabled={on} onClick={goOn} testid="redo" />
      <Button bare icon="last" label={t("last")} keys="End" disabled={on} onClick={goLast} />
    </div>
  );
}
