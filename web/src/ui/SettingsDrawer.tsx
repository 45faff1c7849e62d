/** Options: strength, time and side for everybody; how the search works for experts. Only what differs from the game's
 *  own values is kept and sent. */
import { useSignal } from "@preact/signals";
import type { Field, Side, Value } from "../api";
import { fieldAbout, fieldName } from "../i18n/fields";
import { named, t } from "../i18n/i18n";
import { compact } from "../i18n/numbers";
import { expertFields, scaleOf, within } from "../store/fields";
import { about, info, players } from "../store/game";
import { coordinates, settings } from "../store/prefs";
import { changeSeat, choosePlayer, isHuman, running, SIDES, seatPeople, seats, sidesNow, TIMES } from "../store/seats";
import { Button, Segmented, Select, Switch } from "./controls";
import { Dialog } from "./Dialog";
import { playerGroups, thinks } from "./SeatCard";

const usual = (field: Field): Value => info.value?.settings[field.name] ?? field.default;

function change(field: Field, value: Value): void {
  const { [field.name]: _, ...others } = settings.value;
  settings.value = value === usual(field) ? others : { ...others, [field.name]: value };
}

export function SettingsDrawer() {
  const programs = ([0, 1] as const).filter((side) => !isHuman(side));
  const changed = Object.keys(settings.value).length;
  const opened = useSignal(changed > 0); // as it was found: it does not close while an option is turned
  return (
    <Dialog title={t("settings")} drawer testid="settings">
      {programs.map((side) => (
        <Program key={side} side={side} alone={programs.length === 1} />
      ))}
      <div class="option">
        <Segmented
          label={t("sides")}
          value={sidesNow()}
          choices={SIDES.map((each) => ({ value: each, label: t(`sides.${each}`) }))}
          onChange={(to) => {
            seatPeople(to);
            running.value = true;
          }}
          testid="settings-sides"
        />
        <p class="muted small">{t("settings.side.about")}</p>
      </div>
      <Switch
        label={t("settings.coordinates")}
        on={coordinates.value}
        onChange={(on) => {
          coordinates.value = on;
        }}
      />
      <details open={opened.value}>
        <summary data-testid="expert">{t("settings.expert")}</summary>
        <p class="muted small">{t("settings.about")}</p>
        {expertFields(about.value?.settings ?? []).map((field) => (
          <Option key={field.name} field={field} />
        ))}
        <Button
          icon="takeback"
          label={t("settings.reset")}
          disabled={!changed}
          onClick={() => {
            settings.value = {};
          }}
        />
      </details>
    </Dialog>
  );
}

/** How strong a program is, and how long it may think. */
function Program({ side, alone }: { side: Side; alone: boolean }) {
  const { player, by, seconds } = seats.value[side];
  const whose = alone ? "" : ` · ${t(side === 0 ? "side.first" : "side.second")}`;
  const times = TIMES.map((n) => ({ value: String(n), label: t("seconds", { n }) }));
  const free = [{ value: "", label: t("settings.time.usual") }, ...times];
  return (
    <>
      <div class="option">
        <Select
          label={t("settings.strength") + whose}
          value={player}
          groups={playerGroups(players.value)}
          onChange={(to) => choosePlayer(side, to)}
          testid={`strength-${side}`}
        />
        <p class="muted small">{t("settings.strength.about")}</p>
      </div>
      <div class="option">
        {thinks(player) ? (
          <Select
            label={t("settings.time") + whose}
            value={by === "seconds" ? String(seconds) : ""}
            groups={[{ choices: free }]}
            onChange={(n) => changeSeat(side, n ? { by: "seconds", seconds: Number(n) } : { by: "sims" })}
            testid={`time-${side}`}
          />
        ) : (
          <strong>{t("settings.time") + whose}</strong>
        )}
        <p class="muted small">{t(thinks(player) ? "settings.time.about" : "settings.time.fixed")}</p>
      </div>
    </>
  );
}

function Option({ field }: { field: Field }) {
  const value = settings.value[field.name] ?? usual(field);
  const changed = field.name in settings.value;
  const name = fieldName(field);
  return (
    <div class={changed ? "option changed" : "option"} data-field={field.name}>
      {field.kind === "toggle" ? (
        <Switch label={name} on={value === true} onChange={(on) => change(field, on)} />
      ) : field.kind === "choice" ? (
        <Select
          label={name}
          value={String(value)}
          groups={[{ choices: field.choices.map((each) => ({ value: each, label: named("choice", each) })) }]}
          onChange={(to) => change(field, to)}
        />
      ) : (
        <Slider field={field} name={name} value={Number(value)} />
      )}
      <p class="muted small">{fieldAbout(field)}</p>
    </div>
  );
}

function Slider({ field, name, value }: { field: Field; name: string; value: number }) {
  const scale = scaleOf(field);
  return (
    <div class="slider">
      <label>
        <span>{name}</span>
        <input
          type="range"
          min="0"
          max={scale.steps}
          value={scale.toPlace(value)}
          aria-valuetext={compact(value)}
          onInput={(event) => change(field, scale.toValue(Number(event.currentTarget.value)))}
        />
      </label>
      <input
        type="number"
        aria-label={t("settings.value", { name })}
        value={value}
        min={field.low}
        max={field.high}
        step="any"
        onChange={(event) => {
          const typed = event.currentTarget.valueAsNumber;
          if (Number.isFinite(typed)) change(field, within(field, typed));
        }}
      />
    </div>
  );
}
