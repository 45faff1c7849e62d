/** The game as a link, a file, or a picture. */
import { api, type ExportFormat, type Told } from "../api";
import { boardAsPng, boardAsSvg } from "../board/picture";
import { playerName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { info, players, position, query, source, start, tree } from "../store/game";
import { complain, notify } from "../store/notices";
import { HUMAN, result, seats } from "../store/seats";
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

// As the server takes them. Files of other programs may say more: that is left out.
const RESULT = /^([BW]\+(R|T|F|\d{1,4}(\.\d{1,2})?)?|Draw)$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Who plays, and a resignation; how the rules end a game, the server knows. */
function told(): Told {
  if (source.value === null) return {};
  if (source.value !== "here") {
    const { players = [null, null], result, date } = source.value;
    return { players, result: RESULT.test(result ?? "") ? result : null, date: DATE.test(date ?? "") ? date : null };
  }
  const names = seats.value.map(({ player }) =>
    player === HUMAN ? null : playerName(player, players.value).slice(0, 100),
  );
  const end = result.value?.resigned ? `${result.value.winner === 0 ? "B" : "W"}+R` : null;
  return { players: [names[0] ?? null, names[1] ?? null], result: end };
}

async function exportAs(format: ExportFormat): Promise<void> {
  try {
    const { text, file_name } = await api.export(info.value!.id, start.value, toNested(tree.value), format, told());
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
        {info.value?.layout.kind !== "text" && (
          <>
            <Button label="PNG" onClick={() => void savePng()} testid="export-png" />
            <Button label="SVG" onClick={saveSvg} testid="export-svg" />
          </>
        )}
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
