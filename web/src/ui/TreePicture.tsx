/** The picture of the search tree. A branch is as wide as its share of the visits. */
import { useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { short, signed } from "../i18n/numbers";
import { layOut, PILL, type Placed, textsTo, thickness } from "../store/treelayout";
import { branches, openLine } from "../store/treeview";

export function TreePicture() {
  const zoom = useSignal(1);
  const picture = layOut(branches.value);
  const all = branches.value[0]?.visits ?? 1;
  if (!picture.placed.length) return <p class="muted">{t("tree.none")}</p>;
  const lines = picture.placed.filter(({ branch }) => branch.parent !== null);
  lines.sort((a, b) => Number(a.branch.main) - Number(b.branch.main) || a.branch.visits - b.branch.visits);
  return (
    <>
      <div class="tree-scroll" tabIndex={0} role="region" aria-label={t("tree.picture")}>
        <svg
          class="tree-picture"
          viewBox={`0 0 ${picture.width} ${picture.height}`}
          width={picture.width * zoom.value}
          height={picture.height * zoom.value}
          data-testid="tree-picture"
        >
          {lines.map((each) => (
            <Line key={each.index} from={picture.placed[each.branch.parent!]!} to={each} all={all} />
          ))}
          {picture.placed.map((each) => (
            <Pill key={each.index} {...each} />
          ))}
        </svg>
      </div>
      <div class="legend small muted">
        <span class="legend-main">{t("tree.legend.main")}</span>
        <span class="legend-good">{t("tree.legend.good")}</span>
        <span class="legend-bad">{t("tree.legend.bad")}</span>
        <span class="legend-proven">{t("tree.legend.proven")}</span>
        <label>
          {t("tree.zoom")}
          <input
            type="range"
            min="0.4"
            max="2"
            step="0.1"
            value={zoom.value}
            onInput={(event) => {
              zoom.value = Number(event.currentTarget.value);
            }}
          />
        </label>
      </div>
    </>
  );
}

function Line({ from, to, all }: { from: Placed; to: Placed; all: number }) {
  const x0 = from.x + from.width - 6;
  const middle = x0 + (to.x - x0) * 0.55;
  const d = `M${x0} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x + 6} ${to.y}`;
  return (
    <path
      class={to.branch.main ? "limb main" : "limb"}
      d={d}
      stroke-width={thickness(to.branch.visits, all).toFixed(2)}
    />
  );
}

const WORTH = { win: 1, draw: 0, loss: -1 } as const;

function Pill({ branch, index, x, y, width }: Placed) {
  const worth = branch.proven ? WORTH[branch.proven] : branch.q;
  const look = `pill ${branch.main ? "main" : ""} ${worth >= 0 ? "good" : "bad"}`;
  const words = t("tree.describe", {
    move: branch.text || t("tree.root"),
    visits: branch.visits,
    q: signed(branch.q),
  });
  const open = () => void openLine(textsTo(branches.value, index));
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    open();
  };
  return (
    <g class={look} role="button" tabindex={branch.main ? 0 : -1} onClick={open} onKeyDown={press}>
      <title>{words}</title>
      <rect class="pill-ground" x={x} y={y - PILL / 2} width={width} height={PILL} rx={branch.proven ? 4 : PILL / 2} />
      <rect
        class="pill-worth"
        x={x}
        y={y - PILL / 2}
        width={width}
        height={PILL}
        rx={branch.proven ? 4 : PILL / 2}
        fill-opacity={Math.min(1, Math.abs(worth)).toFixed(2)}
      />
      <circle class={`mover mover-${branch.mover ?? "none"}`} cx={x + 12} cy={y} r="5" />
      <text x={x + 22} y={y + 4}>
        <tspan class="pill-move">{branch.text}</tspan>
        <tspan dx={branch.text ? 5 : 0} class="pill-visits">
          {short(branch.visits)}
        </tspan>
      </text>
    </g>
  );
}
