/** What the search thinks of every move. Pointing at a row plays its line on the board. */
import { moveName } from "../i18n/games";
import { type Key, t } from "../i18n/i18n";
import { bound, percent, short, signed } from "../i18n/numbers";
import { solution, update } from "../store/analysis";
import { play } from "../store/game";
import type { MoveRow } from "../store/messages";
import { previewed } from "../store/preview";
import { WdlBar } from "./WdlBar";

const COLUMNS = ["move", "exact", "visits", "share", "prior", "q", "wdl", "lead", "u", "lcb", "left", "pv"] as const;
const SHOWN = 40; // rows; the rest has hardly been looked at

export function MoveTable() {
  const now = update.value;
  const exact = solution.value;
  if (!now) return <p class="muted">{t("analysis.none")}</p>;
  const counted = typeof now.lead === "number";
  const columns = COLUMNS.filter((name) => (name !== "exact" || exact) && (name !== "lead" || counted));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={t("analysis.table")}>
      <table class="moves" data-testid="move-table" onPointerLeave={() => show(null)}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" title={t(`column.${name}.about` as Key)}>
                {t(`column.${name}` as Key)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {now.moves.slice(0, SHOWN).map((row) => (
            <Row
              key={row.move}
              row={row}
              best={row.move === now.best}
              counted={counted}
              exact={exact ? (exact.scores[row.move] ?? null) : undefined}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function show(pv: readonly string[] | null): void {
  previewed.value = pv;
}

interface RowProps {
  row: MoveRow;
  best: boolean;
  counted: boolean;
  exact: number | null | undefined;
}

function Row({ row, best, counted, exact }: RowProps) {
  return (
    <tr class={best ? "best" : undefined} data-move={row.move} onPointerEnter={() => show(row.pv)}>
      <th scope="row">
        <button
          type="button"
          class="move"
          onFocus={() => show(row.pv)}
          onBlur={() => show(null)}
          onClick={() => {
            show(null);
            void play(row.move);
          }}
        >
          {moveName(row.move)}
        </button>
        {row.proven && (
          <span class={`proof proof-${row.proven}`} title={t("proven")}>
            {t(`proven.${row.proven}`)}
          </span>
        )}
      </th>
      {exact !== undefined && exact !== null && (
        <td class={`exact-cell tone-${Math.sign(exact)}`}>{signed(exact, 0)}</td>
      )}
      {exact === null && <td />}
      <td>{short(row.visits)}</td>
      <td>{percent(row.share, 1)}</td>
      <td>{percent(row.prior, 1)}</td>
      <td>{signed(row.q)}</td>
      <td>
        <WdlBar wdl={row.wdl} neutral />
      </td>
      {counted && <td>{typeof row.lead === "number" ? signed(row.lead, 1) : ""}</td>}
      <td>{bound(row.u)}</td>
      <td>{row.lcb === null ? "−∞" : signed(row.lcb)}</td>
      <td>{row.plies.toFixed(0)}</td>
      <td class="pv">{row.pv.map(moveName).join(" ")}</td>
    </tr>
  );
}
