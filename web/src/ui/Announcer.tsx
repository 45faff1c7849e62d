/** Says aloud what happens on the board, for those who do not see it. */
import { useSignalEffect } from "@preact/signals";
import { moveName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { settled } from "../store/game";
import { announce, announcement } from "../store/notices";
import { resultWords } from "./ResultBanner";

export function Announcer() {
  useSignalEffect(() => {
    const here = settled.value;
    const move = here?.moves[here.moves.length - 1];
    if (!here || move === undefined) return;
    const who = t(here.to_move === 0 ? "side.second" : "side.first");
    announce([t("announce.move", { who, move: moveName(move) }), resultWords()].filter(Boolean).join(" "));
  });
  return (
    <div class="unseen" aria-live="polite" data-testid="announcer">
      {announcement.value}
    </div>
  );
}
