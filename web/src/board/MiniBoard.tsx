/** A small board that only shows. */
import { useMemo } from "preact/hooks";
import type { Layout, Stone } from "../api";
import { geometryOf } from "./geometry";
import { Piece } from "./Piece";
import { Surface } from "./Surface";

interface Props {
  layout: Layout;
  stones: readonly Stone[];
  last?: number | null;
  label?: string;
}

export function MiniBoard({ layout, stones, last = null, label }: Props) {
  const geometry = useMemo(() => geometryOf(layout, false), [layout]);
  const top = layout.kind === "gravity" ? geometry.frame.y - 10 : 0; // no disc hangs above a small board
  const access = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true as const };
  return (
    <svg
      class={`board mini board-${layout.kind}`}
      viewBox={`0 ${top} ${geometry.width} ${geometry.height - top}`}
      {...access}
    >
      <Surface layout={layout} geometry={geometry} />
      {stones.map((stone, cell) =>
        stone === 0 ? null : (
          <Piece
            key={cell}
            kind={layout.kind}
            side={stone === 1 ? 0 : 1}
            at={geometry.cells[cell]!}
            radius={geometry.radius}
          />
        ),
      )}
      {last !== null && stones[last] !== 0 && (
        <circle
          class={`last on-${stones[last]}`}
          cx={geometry.cells[last]!.x}
          cy={geometry.cells[last]!.y}
          r={geometry.radius * 0.3}
        />
      )}
    </svg>
  );
}
