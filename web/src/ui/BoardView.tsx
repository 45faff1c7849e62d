/** The board of the game on the page, with what each screen lays over it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { LegalMove } from "../api";
import { Board } from "../board/Board";
import { withoutPlace } from "../board/choice";
import type { Geometry } from "../board/geometry";
import { MoveList } from "../board/MoveList";
import { certainOwners, Numbers, Territory } from "../board/Overlay";
import { gameTitle, moveName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { info, play, position, settled } from "../store/game";
import { owners } from "../store/owners";
import { coordinates } from "../store/prefs";
import { preview } from "../store/preview";
import { Button } from "./controls";
import { Transport } from "./Transport";

const FEW = 12; // buttons beside the board; more are a list that can be searched

interface Props {
  open: boolean; // may the person move now?
  onPlay?: (move: string) => void;
  onPoint?: (move: LegalMove | null) => void;
  quiet?: boolean;
  children?: (geometry: Geometry) => ComponentChildren;
}

export function BoardView({ open, onPlay, onPoint, quiet = false, children }: Props) {
  const game = info.value;
  const here = position.value;
  if (!game || !here) return <div class="board-wait" />;
  const legal = open && settled.value ? settled.value.legal : [];
  const ahead = preview.value;
  const move = onPlay ?? ((text: string) => void play(text));
  const textual = game.layout.kind === "text";
  const flat = textual ? [] : withoutPlace(legal);
  return (
    <div class="board-view">
      <Board
        key={game.id}
        layout={game.layout}
        stones={(ahead ?? here).stones}
        glyphs={(ahead ?? here).glyphs}
        text={ahead?.text ?? here.board_text}
        last={ahead ? null : here.last}
        lastFrom={ahead ? null : here.last_from}
        line={ahead ? [] : here.line}
        toMove={here.to_move}
        legal={legal}
        label={t("board", { game: gameTitle(game.id) })}
        coordinates={coordinates.value}
        quiet={quiet || ahead !== null}
        onPlay={move}
        onPoint={onPoint}
      >
        {(geometry) => (
          <>
            {!ahead && owners.value && (
              <Territory owners={owners.value} stones={here.stones} geometry={geometry} foreseen />
            )}
            {ahead ? (
              <Numbers numbers={ahead.numbers} stones={ahead.stones} geometry={geometry} />
            ) : (
              children?.(geometry)
            )}
            {!ahead && here.terminal && here.score && (
              <Territory owners={certainOwners(here.score.owners)} stones={here.stones} geometry={geometry} />
            )}
          </>
        )}
      </Board>
      <div class="board-foot">
        <Transport />
        {flat.length <= FEW &&
          flat.map((each) => (
            <Button
              key={each.text}
              label={moveName(each.text)}
              onClick={() => move(each.text)}
              testid={`move-${each.text}`}
            />
          ))}
        {open && !textual && flat.length <= FEW && <TypedMove onPlay={move} />}
      </div>
      {flat.length > FEW && <MoveList moves={flat} onPlay={move} />}
    </div>
  );
}

/** A move as text, for those who would rather write it. */
function TypedMove({ onPlay }: { onPlay: (move: string) => void }) {
  const text = useSignal("");
  const example = settled.value?.legal[0]?.text ?? "";
  const submit = (event: Event) => {
    event.preventDefault();
    const move = text.value.trim();
    if (move) onPlay(move);
    text.value = "";
  };
  return (
    <form class="typed-move" onSubmit={submit}>
      <input
        id="typed-move"
        type="text"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-label={t("typed")}
        placeholder={t("typed.hint", { move: example })}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        data-testid="typed-move"
      />
      <button type="submit" class="button" disabled={!text.value.trim()}>
        {t("typed.play")}
      </button>
    </form>
  );
}
