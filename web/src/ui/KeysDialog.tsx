/** What the keys do. */
import { type Key, t } from "../i18n/i18n";
import { Dialog } from "./Dialog";
import { SHORTCUTS } from "./keys";

const PLACES = ["everywhere", "board", "play", "analyse", "review", "tree"] as const;
const SPELLED: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", " ": "Space" };

export function KeysDialog() {
  return (
    <Dialog title={t("keys")} testid="keys">
      <div class="key-groups">
        {PLACES.map((place) => (
          <section key={place}>
            <h3>{t(`keys.${place}`)}</h3>
            <dl>
              {SHORTCUTS.filter(({ where }) => where === place).map(({ keys, name }) => (
                <div key={name}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{SPELLED[key] ?? key}</kbd>
                    ))}
                  </dt>
                  <dd>{t(`key.${name}` as Key)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>{t("keys.cells")}</h3>
          <p class="small">{t("keys.cells.about")}</p>
        </section>
      </div>
    </Dialog>
  );
}
