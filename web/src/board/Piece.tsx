/** A stone, disc or mark, as each kind of board has them, or a glyph of the game's own. */
import type { Kind, Side, Stone } from "../api";
import { hexagon, type Point, pathOf } from "./geometry";

interface Props {
  kind: Kind;
  side: Side;
  at: Point;
  radius: number;
}

export function Piece({ kind, side, at, radius }: Props) {
  const { x, y } = at;
  const tint = `piece side-${side + 1}`;
  if (kind === "cells") {
    if (side === 1) return <circle class={`${tint} mark`} cx={x} cy={y} r={radius * 0.95} />;
    const d = radius * 0.85;
    return (
      <path class={`${tint} mark`} d={`M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}`} />
    );
  }
  if (kind === "hexes") return <path class={`${tint} tile`} d={pathOf(hexagon(at, (radius / 50) * 0.9))} />;
  if (kind === "gravity") {
    return (
      <g>
        <circle class={`${tint} coin`} cx={x} cy={y} r={radius} />
        <circle class={`${tint} coin-ring`} cx={x} cy={y} r={radius * 0.66} />
      </g>
    );
  }
  return (
    <g>
      {kind === "lines" && <circle class="shade" cx={x + radius * 0.04} cy={y + radius * 0.09} r={radius} />}
      <circle class={`${tint} stone`} cx={x} cy={y} r={radius} />
    </g>
  );
}

interface ManProps {
  kind: Kind;
  stone: Stone; // 0: nobody's, such as a wall
  glyph?: string | undefined;
  at: Point;
  radius: number;
}

/** What stands on a cell. In plain cells a glyph stands for itself; on other boards it is written on its stone. */
export function Man({ kind, stone, glyph, at, radius }: ManProps) {
  const alone = kind === "cells" || stone === 0;
  return (
    <>
      {stone !== 0 && !(glyph && alone) && <Piece kind={kind} side={sideOf(stone)} at={at} radius={radius} />}
      {glyph && (
        <text
          class={`glyph of-${stone} ${alone ? "alone" : "written"}`}
          font-size={glyphSize(glyph, alone ? 80 : 1.3 * radius)}
          x={at.x}
          y={at.y}
          text-anchor="middle"
          dominant-baseline="central"
        >
          {asText(glyph)}
        </text>
      )}
    </>
  );
}

export const sideOf = (stone: Stone): Side => (stone === 2 ? 1 : 0);

/** As large as its cell allows: letters are narrower than pictures. */
export function glyphSize(glyph: string, room: number): number {
  const widths = [...glyph].map((each): number => (/\p{M}|\u200d/u.test(each) ? 0 : each < "\u0300" ? 0.66 : 1));
  const width = widths.reduce((sum, each) => sum + each, 0);
  return Math.round(Math.min(room, (1.1 * room) / Math.max(width, 0.1)));
}

/** A sign that could also be a coloured picture is asked for as a sign: colours tell the players apart. */
const asText = (glyph: string): string => (/^\p{Extended_Pictographic}$/u.test(glyph) ? `${glyph}\ufe0e` : glyph);

/** A small piece beside a name; a plain disc where the game draws glyphs or no board. */
export function Token({ kind, side, plain }: { kind: Kind; side: Side; plain: boolean }) {
  return (
    <svg class="token" viewBox="0 0 100 100" aria-hidden="true">
      {plain && kind === "cells" ? (
        <circle class={`piece side-${side + 1} disc`} cx="50" cy="50" r="38" />
      ) : (
        <Piece kind={kind} side={side} at={{ x: 50, y: 50 }} radius={44} />
      )}
    </svg>
  );
}
