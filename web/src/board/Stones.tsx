/** What stands on the board, and how it comes there. */
import { useMemo, useRef } from "preact/hooks";
import type { Layout, Stone } from "../api";
import { type Geometry, type Point, UNIT } from "./geometry";
import { Man } from "./Piece";

interface Props {
  layout: Layout;
  stones: readonly Stone[];
  glyphs: readonly string[] | null;
  last: number | null;
  lastFrom: number | null;
  geometry: Geometry;
}

type Motion = "falls" | "lands" | "flips" | "slides" | undefined;

export function Stones({ layout, stones, glyphs, last, lastFrom, geometry }: Props) {
  const before = useRef({ stones, glyphs });
  // Decided once per change of the stones: drawing again meanwhile must not cut a motion short.
  const motions = useMemo(() => {
    const old = before.current;
    before.current = { stones, glyphs };
    return stones.map((stone, cell): Motion => {
      if (old.stones === stones) return undefined;
      const was = old.stones[cell] ?? 0;
      if (cell === last && lastFrom !== null) {
        const came = old.stones[lastFrom] === stone && stones[lastFrom] === 0;
        return came && stone !== 0 ? "slides" : undefined;
      }
      if (was !== 0 && stone !== 0 && was !== stone) return "flips";
      return was === 0 && stone !== 0 && cell === last ? (layout.kind === "gravity" ? "falls" : "lands") : undefined;
    });
  }, [stones]);
  const source = lastFrom === null ? undefined : geometry.cells[lastFrom];
  return (
    <g aria-hidden="true" data-testid="stones">
      {stones.map((stone, cell) => {
        const glyph = glyphs?.[cell];
        if (stone === 0 && !glyph) return null;
        const at = geometry.cells[cell]!;
        return (
          <g
            key={`${cell}-${stone}-${glyph ?? ""}`}
            class={motions[cell]}
            style={wayOf(at, source, geometry)}
            data-cell={cell}
            data-stone={stone || undefined}
            data-glyph={glyph || undefined}
          >
            <Man kind={layout.kind} stone={stone} glyph={glyph} at={at} radius={geometry.radius} />
          </g>
        );
      })}
    </g>
  );
}

/** Where a motion begins: above the board, at the cell itself, or at the cell that the piece came from. */
const wayOf = (at: Point, source: Point | undefined, { frame }: Geometry) => ({
  "--drop": `${frame.y - at.y - UNIT / 2}px`,
  "--x": `${at.x}px`,
  "--y": `${at.y}px`,
  ...(source && { "--dx": `${source.x - at.x}px`, "--dy": `${source.y - at.y}px` }),
});
