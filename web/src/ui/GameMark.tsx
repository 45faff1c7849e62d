/** A picture of how a game begins, at its smallest size, as the server lays it out. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type GameEntry, type GameInfo } from "../api";
import { MiniBoard } from "../board/MiniBoard";

type Picture = Pick<GameInfo, "layout" | "start">;

const pictures = new Map<string, Picture>();
const ROOMY = 5; // cells across, at least, so that kinds of boards can be told apart

export function GameMark({ game }: { game: GameEntry }) {
  const size = game.sizes.find((each) => each >= ROOMY);
  const id = size ? `${game.name}:${size}` : game.name;
  const picture = useSignal(pictures.get(id));
  useEffect(() => {
    if (pictures.has(id)) return;
    api
      .game(id)
      .then((info) => {
        pictures.set(id, info);
        picture.value = info;
      })
      .catch(() => {}); // a picture that does not come is only not shown
  }, [id]);
  const shown = picture.value;
  return <span class="game-mark">{shown && <MiniBoard layout={shown.layout} {...shown.start} />}</span>;
}
