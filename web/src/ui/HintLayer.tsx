/** A hint on the board, as far as it was asked for. */
import type { Layout, Side } from "../api";
import { around, type Geometry } from "../board/geometry";
import { Arrow, Numbers, Region } from "../board/Overlay";
import { Piece } from "../board/Piece";
import { moveName } from "../i18n/games";
import { type Key, t } from "../i18n/i18n";
import { hint } from "../store/hints";

interface Props {
  layout: Layout;
  geometry: Geometry;
  toMove: Side;
  pieces: boolean; // glyphs, not stones: which of them would move, only their numbers say
}

export function HintLayer({ layout, geometry, toMove, pieces }: Props) {
  const now = hint.value;
  const cell = now?.cells[0];
  if (!now || now.step === 0 || cell === null || cell === undefined) return null;
  const region = now.step < 3 ? around(layout, cell, layout.rows >= 13 ? 2 : 1) : [];
  const later = now.step === 2 ? now.cells.map((at, place) => ({ at, place })).slice(1) : [];
  const shown = later.filter((each): each is { at: number; place: number } => each.at !== null);
  const numbers = new Map(shown.map(({ at, place }) => [at, place + 1]));
  return (
    <g aria-hidden="true" data-testid={`hint-${now.step}`}>
      <Region cells={region} geometry={geometry} />
      {!pieces &&
        shown.map(({ at, place }) => (
          <g key={place} class="ghost">
            <Piece
              kind={layout.kind}
              side={place % 2 ? (toMove === 0 ? 1 : 0) : toMove}
              at={geometry.cells[at]!}
              radius={geometry.radius}
            />
          </g>
        ))}
      <Numbers numbers={numbers} stones={[]} geometry={geometry} />
      {now.step === 3 && now.from !== null && <Arrow from={geometry.cells[now.from]!} to={geometry.cells[cell]!} />}
      {now.step === 3 && (
        <circle class="hint-move" cx={geometry.cells[cell]!.x} cy={geometry.cells[cell]!.y} r={geometry.radius} />
      )}
    </g>
  );
}

export function hintWords(): string {
  const now = hint.value;
  if (now?.unsure) return t("hint.unsure");
  return now ? t(`hint.${now.step}` as Key, { move: moveName(now.move) }) : "";
}
