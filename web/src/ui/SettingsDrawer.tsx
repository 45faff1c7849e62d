/** The search's options. Only what differs from the game's own values is kept and sent. */
import type { Field, Value } from "../api";
import { fieldAbout, fieldName } from "../i18n/fields";
import { named, t } from "../i18n/i18n";
import { compact } from "../i18n/numbers";
import { mainFields, otherFields, scaleOf, within } from "../store/fields";
import { about, info } from "../store/game";
import { coordinates, settings } from "../store/prefs";
import { Button, Select, Switch } from "./controls";
import { Dialog } from "./Dialog";

const usual = (field: Field): Value => info.value?.settings[field.name] ?? field.default;

function change(field: Field, value: Value): void {
  const { [field.name]: _, ...others } = settings.value;
  settings.value = value === usual(field) ? others : { ...others, [field.name]: value };
}

export function SettingsDrawer() {
  const fields = about.value?.settings ?? [];
  const changed = Object.keys(settings.value).length;
  return (
    <Dialog title={t("settings")} drawer testid="settings">
      <p class="muted">{t("settings.about")}</p>
      {mainFields(fields).map((field) => (
        <Option key={field.name} field={field} />
      ))}
      <details>
        <summary>{t("settings.more")}</summary>
        {otherFields(fields).map((field) => (
          <Option key={field.name} field={field} />
        ))}
      </details>
      <Button
        icon="takeback"
        label={t("settings.reset")}
        disabled={!changed}
        onClick={() => {
          settings.value = {};
        }}
      />
      <hr />
      <Switch
        label={t("settings.coordinates")}
        on={coordinates.value}
        onChange={(on) => {
          coordinates.value = on;
        }}
      />
    </Dialog>
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
