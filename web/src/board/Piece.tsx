/** A stone, disc or mark, as each kind of board has them. */
import type { Kind, Side } from "../api";
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

/** A small piece beside a name. */
export function Token({ kind, side }: { kind: Kind; side: Side }) {
  return (
    <svg class="token" viewBox="0 0 100 100" aria-hidden="true">
      <Piece kind={kind} side={side} at={{ x: 50, y: 50 }} radius={44} />
    </svg>
  );
}
