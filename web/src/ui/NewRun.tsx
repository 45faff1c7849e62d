/** Starting a training run. */
import { useSignal } from "@preact/signals";
import { named, t } from "../i18n/i18n";
import { readId } from "../store/fields";
import { about, info } from "../store/game";
import { go } from "../store/route";
import { startRun } from "../store/training";
import { Button, Card, Select } from "./controls";

export function NewRun() {
  const chosen = useSignal<string | null>(null); // null: the game on the board
  const chosenSize = useSignal<number | null>(null);
  const minutes = useSignal(15);
  const size = useSignal("");
  const name = useSignal("");
  const busy = useSignal(false);
  const games = about.value?.games ?? [];
  const game = chosen.value ?? info.value?.name ?? games[0]?.name ?? "";
  const entry = games.find((each) => each.name === game);
  const sizeNow = chosen.value === null && info.value ? readId(info.value.id, []).size : null;
  const across = chosenSize.value ?? sizeNow ?? entry?.default_size ?? 0;
  const start = async () => {
    busy.value = true;
    const id = entry?.sizes.length ? `${game}:${across}` : game;
    const wanted = { game: id, minutes: minutes.value };
    const made = await startRun({
      ...wanted,
      ...(size.value.trim() && { size: size.value.trim() }),
      ...(name.value.trim() && { name: name.value.trim() }),
    });
    busy.value = false;
    if (made) go("training", made);
  };
  return (
    <Card title={t("train.new")}>
      <div class="row">
        <Select
          label={t("game")}
          value={game}
          groups={[
            { choices: games.map((each) => ({ value: each.name, label: named("game", each.name, each.title) })) },
          ]}
          onChange={(to) => {
            chosen.value = to;
            chosenSize.value = null;
          }}
          testid="run-game"
        />
        {entry && entry.sizes.length > 0 && (
          <Select
            label={t("size")}
            value={String(across)}
            groups={[{ choices: entry.sizes.map((n) => ({ value: String(n), label: `${n} × ${n}` })) }]}
            onChange={(to) => {
              chosenSize.value = Number(to);
            }}
          />
        )}
        <label class="field">
          <span>{t("train.minutes")}</span>
          <input
            type="number"
            min="0.1"
            step="any"
            value={minutes.value}
            onInput={(event) => {
              minutes.value = event.currentTarget.valueAsNumber;
            }}
            data-testid="run-minutes"
          />
        </label>
        <Text label={t("train.size")} hint={t("train.size.usual")} text={size} testid="run-size" />
        <Text label={t("train.name")} hint={t("train.name.hint")} text={name} testid="run-name" />
        <Button
          primary
          icon="resume"
          label={t("train.start")}
          disabled={busy.value || !(minutes.value > 0)}
          onClick={() => void start()}
          testid="run-start"
        />
      </div>
    </Card>
  );
}

const Text = (props: { label: string; hint: string; text: { value: string }; testid: string }) => (
  <label class="field">
    <span>{props.label}</span>
    <input
      type="text"
      placeholder={props.hint}
      value={props.text.value}
      onInput={(event) => {
        props.text.value = event.currentTarget.value;
      }}
      data-testid={props.testid}
    />
  </label>
);
