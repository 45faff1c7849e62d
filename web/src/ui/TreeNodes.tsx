/** The tree node by node: the numbers of every move, and why the next simulation takes the one it takes. */
import { moveName } from "../i18n/games";
import { type Key, t } from "../i18n/i18n";
import { bound, percent, short, signed } from "../i18n/numbers";
import type { TreeChild, TreeNode } from "../store/messages";
import { keyOfPath, nodes, opened, toggle } from "../store/treeview";
import { Icon } from "./Icon";

const SHOWN = 12; // moves of a node: the rest has no visits
const COLUMNS = ["move", "visits", "prior", "q", "u", "mlh", "score", "left"] as const;

export function TreeNodes() {
  if (!nodes.value.has("")) return <p class="muted">{t("tree.none")}</p>;
  return (
    <div class="table-scroll tall" tabIndex={0} role="region" aria-label={t("tree.node")}>
      <table class="tree-nodes" data-testid="tree-nodes">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" title={t(`column.${name}.about` as Key)}>
                {t(`column.${name}` as Key)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Rows path={[]} />
        </tbody>
      </table>
    </div>
  );
}

function best(children: readonly TreeChild[]): TreeChild[] {
  const sorted = children.toSorted((a, b) => b.visits - a.visits || b.prior - a.prior);
  const shown = sorted.slice(0, SHOWN);
  const next = children.find((child) => child.next);
  return next && !shown.includes(next) ? [...shown, next] : shown;
}

function Rows({ path }: { path: number[] }) {
  const node = nodes.value.get(keyOfPath(path));
  if (!node || !opened.value.has(keyOfPath(path))) return null;
  return (
    <>
      <Why node={node} depth={path.length} />
      {best(node.children).map((child) => (
        <Branch key={child.action} child={child} path={[...path, child.action]} />
      ))}
    </>
  );
}

function Why({ node, depth }: { node: TreeNode; depth: number }) {
  const next = node.children.find((child) => child.next);
  const words = next
    ? t("tree.why", {
        move: moveName(next.text),
        score: bound(next.score),
        q: signed(next.q),
        u: bound(next.u),
        mlh: signed(next.mlh),
      })
    : t(node.terminal ? "tree.terminal" : node.children.length ? "tree.why.none" : "tree.leaf");
  return (
    <tr class="why" data-depth={Math.min(depth, 8)}>
      <td colSpan={COLUMNS.length}>
        {t("tree.summary", { visits: short(node.visits), q: signed(node.q), left: node.m.toFixed(0) })}. {words}
      </td>
    </tr>
  );
}

function Branch({ child, path }: { child: TreeChild; path: number[] }) {
  const open = opened.value.has(keyOfPath(path));
  const name = moveName(child.text);
  return (
    <>
      <tr class={child.next ? "next" : undefined} data-depth={Math.min(path.length - 1, 8)} data-move={child.text}>
        <th scope="row">
          <button
            type="button"
            class="move"
            aria-expanded={open}
            disabled={child.visits === 0}
            onClick={() => toggle(path)}
          >
            <Icon name={open ? "down" : "next"} />
            {name}
          </button>
          {child.next && <span class="next-mark">{t("column.next")}</span>}
          {child.proven && <span class={`proof proof-${child.proven}`}>{t(`proven.${child.proven}`)}</span>}
        </th>
        <td>{short(child.visits)}</td>
        <td>{percent(child.prior, 1)}</td>
        <td>{signed(child.q)}</td>
        <td>{bound(child.u, 3)}</td>
        <td>{signed(child.mlh)}</td>
        <td class="score">{bound(child.score, 3)}</td>
        <td>{child.moves_left === null ? "–" : child.moves_left.toFixed(0)}</td>
      </tr>
      {open && <Rows path={path} />}
    </>
  );
}
