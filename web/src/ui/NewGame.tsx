/** Which game, how large, by which rules, and who begins. */
import { useSignal } from "@preact/signals";
import type { GameEntry, GameOption, Value } from "../api";
import { named, t } from "../i18n/i18n";
import { closeDialog } from "../store/dialogs";
import { gameId, sizeOf } from "../store/fields";
import { about, info, open, players } from "../store/game";
import { go, screen } from "../store/route";
import { changeSeat, HUMAN, running, seats, unresign, usualOpponent } from "../store/seats";
import { Button, Segmented, Select } from "./controls";
import { Dialog } from "./Dialog";
import { GameMark } from "./GameMark";

type Sides = "first" | "second" | "both" | "none";

/** Who sits where now, as one of the four usual ways. */
function sidesNow(): Sides {
  const [first, second] = seats.value.map((seat) => seat.player === HUMAN);
  return first ? (second ? "both" : "first") : second ? "second" : "none";
}

function seatPeople(sides: Sides): void {
  const wanted = [sides === "first" || sides === "both", sides === "second" || sides === "both"];
  const program = seats.value.find((seat) => seat.player !== HUMAN);
  for (const side of [0, 1] as const) {
    const human = seats.value[side].player === HUMAN;
    if (wanted[side] && !human) changeSeat(side, { player: HUMAN });
    if (!wanted[side] && human && players.value && info.value) {
      changeSeat(side, program ?? { player: usualOpponent(players.value, info.value.id, side) });
    }
  }
}

export function NewGame() {
  const games = about.value?.games ?? [];
  const current = info.value?.name ?? games[0]?.name;
  const name = useSignal(current);
  const size = useSignal(sizeOf(info.value?.id ?? ""));
  const options = useSignal<Record<string, Value>>({});
  const sides = useSignal<Sides>(sidesNow());
  const entry = games.find((game) => game.name === name.value);
  if (!entry) return null;
  const chosenSize = size.value && entry.sizes.includes(size.value) ? size.value : entry.default_size;
  const begin = async () => {
    const id = gameId(entry.name, chosenSize, entry.default_size, options.value);
    if (!(await open({ game: id, start: null }))) return;
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
        {entry.sizes.length > 0 && (
          <Select
            label={t("size")}
            value={String(chosenSize)}
            groups={[{ choices: entry.sizes.map((n) => ({ value: String(n), label: `${n} × ${n}` })) }]}
            onChange={(to) => {
              size.value = Number(to);
            }}
            testid="size"
          />
        )}
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
        choices={(["first", "second", "both", "none"] as const).map((each) => ({
          value: each,
          label: t(`sides.${each}`),
        }))}
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
    size.value = null;
    options.value = {};
  }
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
