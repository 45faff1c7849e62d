/** Buttons and inputs that all screens share. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

interface ButtonProps {
  icon?: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  bare?: boolean; // the icon alone; the label is for screen readers and the tooltip
  primary?: boolean;
  keys?: string; // its shortcut
  testid?: string;
}

export function Button({ icon, label, onClick, disabled, pressed, bare, primary, keys, testid }: ButtonProps) {
  const look = ["button", bare && "bare", primary && "primary"].filter(Boolean).join(" ");
  return (
    <button
      type="button"
      class={look}
      onClick={onClick}
      disabled={disabled}
      aria-pressed={pressed}
      aria-label={bare ? label : undefined}
      aria-keyshortcuts={keys}
      title={keys ? `${label} (${keys})` : bare ? label : undefined}
      data-testid={testid}
    >
      {icon && <Icon name={icon} />}
      {!bare && <span>{label}</span>}
    </button>
  );
}

interface Choice<T extends string> {
  value: T;
  label: string;
}

export function Segmented<T extends string>(props: {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  testid?: string;
}) {
  return (
    <fieldset class="segmented" data-testid={props.testid}>
      <legend class="unseen">{props.label}</legend>
      {props.choices.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          data-value={value}
          onClick={() => props.onChange(value)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

export interface Group {
  label?: string;
  choices: readonly Choice<string>[];
}

export function Select(props: {
  label: string;
  value: string;
  groups: readonly Group[];
  onChange: (value: string) => void;
  hidden?: boolean; // the label is for screen readers alone
  testid?: string;
}) {
  const options = (group: Group) =>
    group.choices.map(({ value, label }) => (
      <option key={value} value={value} selected={value === props.value}>
        {label}
      </option>
    ));
  return (
    <label class="field">
      <span class={props.hidden ? "unseen" : undefined}>{props.label}</span>
      <select
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
        data-testid={props.testid}
      >
        {props.groups.map((group) =>
          group.label ? (
            <optgroup key={group.label} label={group.label}>
              {options(group)}
            </optgroup>
          ) : (
            options(group)
          ),
        )}
      </select>
    </label>
  );
}

export const Switch = (props: {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
  keys?: string; // its shortcut
  testid?: string;
}) => (
  <label class="switch" title={props.keys && `${props.label} (${props.keys})`}>
    <input
      type="checkbox"
      role="switch"
      checked={props.on}
      aria-keyshortcuts={props.keys}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
      data-testid={props.testid}
    />
    <span>{props.label}</span>
  </label>
);

export const Card = ({
  title,
  extra,
  children,
}: {
  title?: string;
  extra?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="card">
    {(title || extra) && (
      <header>
        {title && <h2>{title}</h2>}
        {extra}
      </header>
    )}
    {children}
  </section>
);
