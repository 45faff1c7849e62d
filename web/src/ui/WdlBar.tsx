/** Win, draw and loss as parts of a bar; the first part is the first player's, or the mover's. */
import type { Wdl } from "../api";
import { t } from "../i18n/i18n";
import { percent } from "../i18n/numbers";

export function WdlBar({ wdl, big = false, neutral = false }: { wdl: Wdl; big?: boolean; neutral?: boolean }) {
  const [win, draw, loss] = wdl;
  const words = t("wdl", { win: percent(win), draw: percent(draw), loss: percent(loss) });
  const part = (name: string, share: number) => (
    <span class={name} style={{ flexGrow: Math.max(0, share) }}>
      {big && share >= 0.09 ? percent(share) : ""}
    </span>
  );
  return (
    <div class={`wdl${big ? " big" : ""}${neutral ? " neutral" : ""}`} role="img" aria-label={words} title={words}>
      {part("win", win)}
      {part("draw", draw)}
      {part("loss", loss)}
    </div>
  );
}
