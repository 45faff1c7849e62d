/** A picture of a game's empty board, at its smallest size, as the server lays it out. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type GameEntry, type Layout } from "../api";
import { MiniBoard } from "../board/MiniBoard";

const layouts = new Map<string, Layout>();
const ROOMY = 5; // cells across, at least, so that kinds of boards can be told apart

export function GameMark({ game }: { game: GameEntry }) {
  const size = game.sizes.find((each) => each >= ROOMY);
  const id = size ? `${game.name}:${size}` : game.name;
  const layout = useSignal(layouts.get(id));
  useEffect(() => {
    if (layouts.has(id)) return;
    api
      .game(id)
      .then((info) => {
        layouts.set(id, info.layout);
        layout.value = info.layout;
      })
      .catch(() => {}); // a picture that does not come is only not shown
  }, [id]);
  const shown = layout.value;
  return (
    <span class="game-mark">
      {shown && <MiniBoard layout={shown} stones={new Array(shown.rows * shown.cols).fill(0)} />}
    </span>
  );
}
