/** The cells as a grid of which one can be focused at a time. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Layout, Stone } from "../api";
import { t } from "../i18n/i18n";
import { centreOf, type Geometry, shapeOf } from "./geometry";

interface Props {
  layout: Layout;
  stones: readonly Stone[];
  glyphs: readonly string[] | null;
  geometry: Geometry;
  last: number | null;
  selected: number | null;
  targets: readonly number[]; // of the selected cell
  open: ReadonlySet<number>;
  onClick: (cell: number, target: Element) => void;
  onEscape: () => void;
  onPoint: (cell: number | null) => void;
}

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export function Targets(props: Props) {
  const { layout, stones, geometry, selected } = props;
  const roving = useSignal(centreOf(layout));
  const group = useRef<SVGGElement>(null);
  const at = Math.min(roving.value, stones.length - 1);
  const elementOf = (cell: number) => group.current?.querySelector<SVGElement>(`[data-cell="${cell}"]`);
  const keyDown = (event: KeyboardEvent) => {
    const next = nextCell(event.key, at, layout);
    if (next !== null) {
      roving.value = next;
      props.onPoint(next);
      elementOf(next)?.focus();
    } else if (event.key === "Enter" || event.key === " ") click(at);
    else if (event.key === "Escape" && selected !== null) props.onEscape();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const click = (cell: number) => {
    roving.value = cell;
    const element = elementOf(cell);
    if (element) props.onClick(cell, element);
  };
  return (
    <g ref={group} role="rowgroup">
      {Array.from({ length: layout.rows }, (_, row) => (
        <g role="row" key={row}>
          {Array.from({ length: layout.cols }, (_, col) => {
            const cell = row * layout.cols + col;
            return (
              <g
                key={cell}
                role="gridcell"
                class={props.open.has(cell) ? "target open" : "target"}
                data-cell={cell}
                data-name={layout.cell_names[cell]}
                tabindex={cell === at ? 0 : -1}
                aria-label={describe(props, cell)}
                aria-selected={selected === null ? undefined : cell === selected}
                onClick={() => click(cell)}
                onKeyDown={keyDown}
                onPointerEnter={(event) => event.pointerType !== "touch" && props.onPoint(cell)}
                onFocus={() => {
                  roving.value = cell;
                }}
              >
                <path d={shapeOf(layout, geometry, cell, true)} />
              </g>
            );
          })}
        </g>
      ))}
    </g>
  );
}

function nextCell(key: string, at: number, { rows, cols }: Layout): number | null {
  const row = Math.floor(at / cols);
  const col = at % cols;
  if (key === "Home") return row * cols;
  if (key === "End") return row * cols + cols - 1;
  const step = STEPS[key];
  if (!step) return null;
  const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
  return clamp(row + step[0], rows) * cols + clamp(col + step[1], cols);
}

function describe({ layout, stones, glyphs, last, targets }: Props, cell: number): string {
  const [stone, glyph] = [stones[cell] ?? 0, glyphs?.[cell] ?? ""];
  const owner = stone === 0 ? (glyph ? "" : t("cell.empty")) : t(stone === 1 ? "side.first" : "side.second");
  const words = [
    layout.cell_names[cell],
    [owner, glyph].filter(Boolean).join(" "),
    cell === last && t("cell.last"),
    targets.includes(cell) && t("cell.target"),
  ];
  return words.filter(Boolean).join(", ");
}
