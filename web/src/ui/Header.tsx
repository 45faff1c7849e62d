/** Where one can go, and how it looks. */
import { language, setLanguage, t } from "../i18n/i18n";
import { openDialog } from "../store/dialogs";
import { dark, theme } from "../store/prefs";
import { SCREENS, screen } from "../store/route";
import { Button } from "./controls";
import { Icon, Logo } from "./Icon";

export function toggleTheme(): void {
  theme.value = dark.value ? "light" : "dark";
}

export function toggleLanguage(): void {
  setLanguage(language.value === "en" ? "zh" : "en");
}

export function Header() {
  return (
    <header class="top">
      <a class="brand" href="#/play" aria-label="Tengen 天元">
        <Logo />
        <span class="brand-name">
          Tengen <span lang="zh-CN">天元</span>
        </span>
      </a>
      <nav aria-label={t("nav")}>
        {SCREENS.map((name) => (
          <a
            key={name}
            href={`#/${name}`}
            aria-current={screen.value === name ? "page" : undefined}
            data-testid={`nav-${name}`}
          >
            <Icon name={name} />
            <span>{t(`nav.${name}`)}</span>
          </a>
        ))}
      </nav>
      <div class="top-tools">
        <button
          type="button"
          class="button bare language"
          onClick={toggleLanguage}
          aria-label={t("language")}
          title={t("language")}
          data-testid="language"
        >
          <span lang={language.value === "en" ? "zh-CN" : "en"}>{language.value === "en" ? "中" : "EN"}</span>
        </button>
        <Button
          bare
          icon={dark.value ? "sun" : "moon"}
          label={t("theme")}
          keys="d"
          onClick={toggleTheme}
          testid="theme"
        />
        <Button bare icon="keyboard" label={t("keys")} keys="?" onClick={() => openDialog("keys")} testid="open-keys" />
      </div>
    </header>
  );
}
