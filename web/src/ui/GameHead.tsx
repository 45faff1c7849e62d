/** The name of the game, and what can be done with it as a whole. */
import { gameTitle } from "../i18n/games";
import { t } from "../i18n/i18n";
import { openDialog } from "../store/dialogs";
import { info, start } from "../store/game";
import { Button } from "./controls";
import { Facts } from "./Facts";

export function GameHead() {
  return (
    <header class="game-head">
      <div>
        <h1>{info.value ? gameTitle(info.value.id) : " "}</h1>
        {start.value && <p class="muted small">{t("setup")}</p>}
        <Facts />
      </div>
      <div class="game-tools">
        <Button
          bare
          icon="open"
          label={t("import")}
          keys="o"
          onClick={() => openDialog("import")}
          testid="open-import"
        />
        <Button bare icon="share" label={t("share")} keys="e" onClick={() => openDialog("share")} testid="open-share" />
        <Button icon="plus" label={t("new")} keys="n" onClick={() => openDialog("new")} testid="open-new" />
      </div>
    </header>
  );
}
