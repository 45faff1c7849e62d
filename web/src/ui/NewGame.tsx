/** Which game, how large, by which rules, and who begins. */
import { useSignal } from "@preact/signals";
import type { GameEntry, GameOption, Value } from "../api";
import { named, t } from "../i18n/i18n";
import { closeDialog } from "../store/dialogs";
import { type Board, boardsOf, gameId, readId } from "../store/fields";
import { about, info, open } from "../store/game";
import { go, screen } from "../store/route";
import { running, SIDES, type Sides, seatPeople, sidesNow, unresign } from "../store/seats";
import { Button, Segmented, Select } from "./controls";
import { Dialog } from "./Dialog";
import { GameMark } from "./GameMark";

export function NewGame() {
  const games = about.value?.games ?? [];
  const current = games.find((game) => game.name === info.value?.name) ?? games[0];
  const shown = current && readId(info.value?.id ?? "", current.options);
  const name = useSignal(current?.name);
  const size = useSignal(shown?.size ?? 0);
  const options = useSignal<Record<string, Value>>(shown?.options ?? {});
  const sides = useSignal<Sides>(sidesNow());
  const entry = games.find((game) => game.name === name.value);
  if (!entry) return null;
  const chosenSize = entry.sizes.includes(size.value) ? size.value : entry.default_size;
  const begin = async () => {
    const id = gameId(entry.name, chosenSize, entry.default_size, options.value);
    if (!(await open({ game: id, start: null, told: "here" }))) return;
    unresign();
    seatPeople(sides.value);
    running.value = true;
    closeDialog();
    if (screen.value === "training" || screen.value === "review") go("play");
  };
  return (
    <Dialog title={t("new")} testid="new-game">
      <Games games={games} value={entry.name} onChange={(to) => choose(to)} />
      <div class="row">
        <BoardInput
          entry={entry}
          size={chosenSize}
          options={options.value}
          onChange={(to) => {
            size.value = to.size;
            options.value = to.options;
          }}
        />
        {entry.options.map((option) => (
          <OptionInput
            key={option.name}
            option={option}
            value={options.value[option.name] ?? option.default}
            onChange={(value) => {
              const { [option.name]: _, ...others } = options.value;
              options.value = value === option.default ? others : { ...others, [option.name]: value };
            }}
          />
        ))}
      </div>
      <Segmented
        label={t("sides")}
        value={sides.value}
        choices={SIDES.map((each) => ({ value: each, label: t(`sides.${each}`) }))}
        onChange={(to) => {
          sides.value = to;
        }}
        testid="sides"
      />
      <div class="dialog-actions">
        <Button primary label={t("new.start")} onClick={() => void begin()} testid="start-game" />
      </div>
    </Dialog>
  );

  function choose(to: string): void {
    name.value = to;
    size.value = 0;
    options.value = {};
  }
}

interface BoardInputProps {
  entry: GameEntry;
  size: number;
  options: Record<string, Value>;
  onChange: (board: Board) => void;
}

/** The boards of a game, those with a network first; below, what that means for the board that is chosen. */
function BoardInput({ entry, size, options, onChange }: BoardInputProps) {
  const boards = boardsOf(entry, options);
  const chosen = boards.findIndex((board) => board.size === size && board.options === options);
  const choice = (board: Board, place: number) => ({
    value: board.options === options ? String(board.size) : `other-${place}`,
    label: boardName(board, entry, options),
  });
  const choices = boards.map(choice);
  const groups = [true, false].map((network) => ({
    label: t(network ? "new.network" : "new.plain"),
    choices: choices.filter((_, place) => boards[place]!.network === network),
  }));
  return (
    <>
      {entry.sizes.length > 0 && (
        <Select
          label={t("size")}
          value={String(size)}
          groups={groups.filter((group) => group.choices.length)}
          onChange={(to) => onChange(boards[choices.findIndex((each) => each.value === to)]!)}
          testid="size"
        />
      )}
      <p class="muted small board-note" data-testid="board-note">
        {t(boards[chosen]?.network ? "new.network.about" : "new.plain.about")}
      </p>
    </>
  );
}

/** A board by its size, and by the rules that would change with it. */
function boardName(board: Board, entry: GameEntry, now: Record<string, Value>): string {
  const rules = entry.options.flatMap(({ name, default: usual }) => {
    const value = board.options[name] ?? usual;
    return value === (now[name] ?? usual) ? [] : [`${named("option", name)} ${named("value", String(value))}`];
  });
  return [`${board.size} × ${board.size}`, ...rules].join(" · ");
}

const Games = (props: { games: readonly GameEntry[]; value: string; onChange: (name: string) => void }) => (
  <fieldset class="games">
    <legend class="unseen">{t("game")}</legend>
    {props.games.map((game) => (
      <button
        key={game.name}
        type="button"
        aria-pressed={game.name === props.value}
        onClick={() => props.onChange(game.name)}
        data-testid={`game-${game.name}`}
      >
        <GameMark game={game} />
        {named("game", game.name, game.title)}
        {game.name.startsWith("openspiel:") && <small class="muted">{game.name}</small>}
      </button>
    ))}
  </fieldset>
);

function OptionInput({
  option,
  value,
  onChange,
}: {
  option: GameOption;
  value: Value;
  onChange: (value: Value) => void;
}) {
  const label = named("option", option.name);
  if (option.choices.length) {
    const choices = option.choices.map((each) => ({ value: each, label: named("value", each) }));
    return <Select label={label} value={String(value)} groups={[{ choices }]} onChange={onChange} />;
  }
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        min={option.low ?? undefined}
        max={option.high ?? undefined}
        step={option.step ?? undefined}
        value={Number(value)}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}
