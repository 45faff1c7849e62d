/** A small board that only shows. */
import { useMemo } from "preact/hooks";
import type { Layout, Stone } from "../api";
import { geometryOf } from "./geometry";
import { Man } from "./Piece";
import { Surface } from "./Surface";

interface Props {
  layout: Layout;
  stones: readonly Stone[];
  glyphs?: readonly string[] | null;
  text?: string | null; // of a game that draws no board
  last?: number | null;
  label?: string;
}

export function MiniBoard(props: Props) {
  const { label } = props;
  const access = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true as const };
  if (props.layout.kind === "text") return <MiniText text={props.text ?? ""} access={access} />;
  return <Drawn {...props} access={access} />;
}

function Drawn({ layout, stones, glyphs = null, last = null, access }: Props & { access: object }) {
  const geometry = useMemo(() => geometryOf(layout, false), [layout]);
  const top = layout.kind === "gravity" ? geometry.frame.y - 10 : 0; // no disc hangs above a small board
  return (
    <svg
      class={`board mini board-${layout.kind}${glyphs ? " board-glyphs" : ""}`}
      viewBox={`0 ${top} ${geometry.width} ${geometry.height - top}`}
      {...access}
    >
      <Surface layout={layout} geometry={geometry} pieces={glyphs !== null} />
      {stones.map((stone, cell) => (
        <Man
          key={cell}
          kind={layout.kind}
          stone={stone}
          glyph={glyphs?.[cell]}
          at={geometry.cells[cell]!}
          radius={geometry.radius}
        />
      ))}
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

const LINES = 14;
const LETTERS = 28; // of a line: the rest would be too small to tell anything

/** The beginning of a text, as a picture. */
function MiniText({ text, access }: { text: string; access: object }) {
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(0, LINES)
    .map((line) => line.slice(0, LETTERS));
  const letters = Math.max(6, ...lines.map((line) => line.length));
  const height = Math.max(4, lines.length);
  const above = (height - lines.length) / 2;
  return (
    <svg class="board mini board-text-mini" viewBox={`0 0 ${10 * letters + 20} ${18 * height + 16}`} {...access}>
      <rect class="sheet" width="100%" height="100%" rx="8" />
      {lines.map((line, row) => (
        <text key={row} x="10" y={18 * (row + above) + 22}>
          {line}
        </text>
      ))}
    </svg>
  );
}
