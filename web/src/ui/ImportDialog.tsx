/** A game from text or a file, or a position set up by hand. */
import { useSignal } from "@preact/signals";
import { api, type Side, type Stone } from "../api";
import { Board } from "../board/Board";
import { t } from "../i18n/i18n";
import { closeDialog } from "../store/dialogs";
import { info, jumpToPly, line, open, position } from "../store/game";
import { complain } from "../store/notices";
import { go, screen } from "../store/route";
import { running } from "../store/seats";
import { Button, Segmented } from "./controls";
import { Dialog } from "./Dialog";

async function read(text: string): Promise<void> {
  try {
    const { game, start, tree, players, result, date } = await api.parse(text, info.value?.id);
    if (!(await open({ game, start, tree, told: { players, result, date } }))) return;
    jumpToPly(line.value.length - 1);
    running.value = false;
    closeDialog();
    if (screen.value !== "analyse") go("analyse");
  } catch (error) {
    complain(error);
  }
}

export function ImportDialog() {
  const text = useSignal("");
  const choose = async (files: FileList | null) => {
    if (files?.[0]) await read(await files[0].text());
  };
  return (
    <Dialog title={t("import")} testid="import">
      <label class="field">
        <span>{t("import.text")}</span>
        <textarea
          rows={4}
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          data-testid="import-text"
        />
      </label>
      <div class="row">
        <Button
          primary
          label={t("import.open")}
          disabled={!text.value.trim()}
          onClick={() => void read(text.value)}
          testid="import-open"
        />
        <label class="field file">
          <span>{t("import.file")}</span>
          <input
            type="file"
            accept=".sgf,.json,.txt"
            onChange={(event) => void choose(event.currentTarget.files)}
            data-testid="import-file"
          />
        </label>
      </div>
      {info.value?.set_up && (
        <>
          <h3>{t("setup.title")}</h3>
          {/* Its own stones for each game: another board has other cells. */}
          <SetUp key={info.value.id} />
        </>
      )}
    </Dialog>
  );
}

const LETTERS = [".", "X", "O"] as const;

/** A position's text: its rows, then the side to move. */
function textOf(stones: readonly Stone[], cols: number, side: Side): string {
  const rows: string[] = [];
  for (let from = 0; from < stones.length; from += cols) {
    rows.push(
      stones
        .slice(from, from + cols)
        .map((stone) => LETTERS[stone])
        .join(""),
    );
  }
  return `${rows.join("/")} ${side === 0 ? "X" : "O"}`;
}

function SetUp() {
  const game = info.value;
  const stones = useSignal<readonly Stone[]>(position.value?.stones ?? []);
  const side = useSignal<Side>(position.value?.to_move ?? 0);
  if (!game) return null;
  const { layout } = game;
  const everywhere = layout.cell_names.map((text, cell) => ({ action: cell, text, from: null, cell }));
  const turn = (name: string) => {
    const at = layout.cell_names.indexOf(name);
    stones.value = stones.value.map((stone, cell) => (cell === at ? (((stone + 1) % 3) as Stone) : stone));
  };
  return (
    <div class="set-up">
      <p class="muted small">{t("setup.about")}</p>
      <Board
        layout={layout}
        stones={stones.value}
        toMove={side.value}
        legal={everywhere}
        label={t("setup.title")}
        coordinates={false}
        quiet
        free
        onPlay={turn}
      />
      <div class="row">
        <Segmented
          label={t("setup.side")}
          value={side.value === 0 ? "first" : "second"}
          choices={[
            { value: "first", label: t("setup.first") },
            { value: "second", label: t("setup.second") },
          ]}
          onChange={(to) => {
            side.value = to === "first" ? 0 : 1;
          }}
        />
        <Button
          label={t("setup.clear")}
          onClick={() => {
            stones.value = stones.value.map(() => 0);
          }}
        />
        <Button
          primary
          label={t("setup.use")}
          onClick={() => void read(textOf(stones.value, layout.cols, side.value))}
          testid="use-position"
        />
      </div>
    </div>
  );
}
