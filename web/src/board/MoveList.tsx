/** Legal moves as buttons, for what has no place on a board. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LegalMove } from "../api";
import { moveName } from "../i18n/games";
import { t } from "../i18n/i18n";

interface Props {
  moves: readonly LegalMove[];
  onPlay: (move: string) => void;
}

const FEW = 12; // are seen at a glance
const SHOWN = 200; // of many more, the rest is found by typing

export function MoveList({ moves, onPlay }: Props) {
  const wanted = useSignal("");
  const key = wanted.value.trim().toLowerCase();
  const names = (move: LegalMove): string[] => [move.text.toLowerCase(), moveName(move.text).toLowerCase()];
  const found = moves.filter((move) => names(move).some((name) => name.includes(key)));
  const submit = (event: Event) => {
    event.preventDefault();
    const meant = found.find((move) => names(move).includes(key)) ?? (found.length === 1 ? found[0] : undefined);
    if (!key || !meant) return;
    wanted.value = "";
    onPlay(meant.text);
  };
  return (
    <div class="move-list" data-testid="move-list">
      {moves.length > FEW && (
        <form onSubmit={submit}>
          <input
            id="typed-move"
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-label={t("list.find")}
            placeholder={t("list.find")}
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value;
            }}
            data-testid="find-move"
          />
          <span class="muted small" role="status">
            {t(found.length > SHOWN ? "list.more" : "list.count", { n: found.length, shown: SHOWN })}
          </span>
        </form>
      )}
      <MoveButtons moves={found.slice(0, SHOWN)} label={t("list")} onPlay={onPlay} />
    </div>
  );
}

/** One of them can be focused at a time: arrows go from one to the next. */
export function MoveButtons({ moves, label, onPlay }: Props & { label: string }) {
  const roving = useSignal(0);
  const group = useRef<HTMLDivElement>(null);
  const played = useRef(false);
  // Whoever plays from this list goes on here: its buttons go with the moves, and the focus would go with them.
  useEffect(() => {
    if (!moves.length || !played.current) return;
    played.current = false;
    if (document.activeElement === document.body) (group.current?.children[at] as HTMLElement | undefined)?.focus();
  }, [moves]);
  const at = Math.min(roving.value, moves.length - 1);
  const keyDown = (event: KeyboardEvent) => {
    const buttons = [...(group.current?.children ?? [])] as HTMLElement[];
    const next = nextButton(event.key, buttons, at);
    if (next === null) return;
    roving.value = next;
    buttons[next]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  if (!moves.length) return null;
  return (
    <div ref={group} class="move-buttons" role="toolbar" aria-label={label} onKeyDown={keyDown}>
      {moves.map(({ action, text }, place) => (
        <button
          key={action}
          type="button"
          class="button"
          tabIndex={place === at ? 0 : -1}
          onFocus={() => {
            roving.value = place;
          }}
          onClick={() => {
            played.current = true;
            onPlay(text);
          }}
          data-testid={`move-${text}`}
        >
          {moveName(text)}
        </button>
      ))}
    </div>
  );
}

function nextButton(key: string, buttons: readonly HTMLElement[], at: number): number | null {
  const last = buttons.length - 1;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key === "ArrowLeft") return Math.max(0, at - 1);
  if (key === "ArrowRight") return Math.min(last, at + 1);
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const here = buttons[at]!;
  const rows = buttons.map((each, place) => ({
    place,
    top: each.offsetTop,
    far: Math.abs(each.offsetLeft - here.offsetLeft),
  }));
  const beyond = rows.filter(({ top }) => (key === "ArrowUp" ? top < here.offsetTop : top > here.offsetTop));
  const tops = beyond.map(({ top }) => top);
  const row = key === "ArrowUp" ? Math.max(...tops) : Math.min(...tops);
  const nearest = beyond.filter(({ top }) => top === row).sort((a, b) => a.far - b.far)[0];
  return nearest?.place ?? at;
}
