/** What went wrong or was done, for a moment; and whether the server is away, for as long as it is. */
import { t } from "../i18n/i18n";
import { online, retryNow } from "../store/link";
import { dismiss, notices } from "../store/notices";
import { Button } from "./controls";

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite" data-testid="notices">
    {notices.value.map(({ id, text, bad }) => (
      <div key={id} class={bad ? "notice bad" : "notice"}>
        <span>{text}</span>
        <Button bare icon="close" label={t("close")} onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
);

export function ServerBanner() {
  if (online.value) return null;
  return (
    <div class="away" role="alert" data-testid="away">
      <span class="pulse" />
      <span>{t("away")}</span>
      <Button label={t("away.retry")} onClick={retryNow} />
    </div>
  );
}
