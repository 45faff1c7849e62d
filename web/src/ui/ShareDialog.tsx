/** The game as a link, a file, or a picture. */
import { api, type ExportFormat } from "../api";
import { boardAsPng, boardAsSvg } from "../board/picture";
import { t } from "../i18n/i18n";
import { info, position, query, start, tree } from "../store/game";
import { complain, notify } from "../store/notices";
import { toNested } from "../store/variations";
import { Button } from "./controls";
import { Dialog } from "./Dialog";

function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function exportAs(format: ExportFormat): Promise<void> {
  try {
    const { text, file_name } = await api.export(info.value!.id, start.value, toNested(tree.value), format);
    download(new Blob([text], { type: "text/plain" }), file_name);
  } catch (error) {
    complain(error);
  }
}

async function savePng(): Promise<void> {
  const picture = await boardAsPng();
  if (picture) download(picture, `${pictureName()}.png`);
}

function saveSvg(): void {
  const picture = boardAsSvg();
  if (picture) download(new Blob([picture], { type: "image/svg+xml" }), `${pictureName()}.svg`);
}

const pictureName = (): string => `${info.value?.id.replace(/\W+/g, "-")}-${position.value?.ply ?? 0}`;

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(t("copied"));
  } catch {
    notify(t("copy.failed"), true);
  }
}

export function ShareDialog() {
  const link = `${location.origin}${location.pathname}#/analyse?${query.value}`;
  return (
    <Dialog title={t("share")} testid="share">
      <Copyable label={t("share.link")} text={link} />
      <Copyable label={t("share.position")} text={position.value?.text ?? ""} />
      <h3>{t("share.files")}</h3>
      <div class="row">
        <Button label="SGF" onClick={() => void exportAs("sgf")} testid="export-sgf" />
        <Button label="JSON" onClick={() => void exportAs("json")} testid="export-json" />
        <Button label={t("share.moves")} onClick={() => void exportAs("moves")} testid="export-moves" />
        <Button label="PNG" onClick={() => void savePng()} testid="export-png" />
        <Button label="SVG" onClick={saveSvg} testid="export-svg" />
      </div>
    </Dialog>
  );
}

const Copyable = ({ label, text }: { label: string; text: string }) => (
  <div class="copyable">
    <label class="field">
      <span>{label}</span>
      <input type="text" readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
    </label>
    <Button label={t("copy")} onClick={() => void copy(text)} />
  </div>
);
