/** The moves of the game, with every branch: the main line in numbers, branches indented below it. */
import { moveName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { cursor, info, jump, promote, removeBranch, tree } from "../store/game";
import type { MoveKind } from "../store/messages";
import { running } from "../store/seats";
import { asList, nodeOf, pathTo, type Variation } from "../store/variations";
import { Button } from "./controls";

/** How good reviewed moves were, by node. */
export type Grades = ReadonlyMap<number, MoveKind>;

export function Variations({ grades }: { grades?: Grades }) {
  const list = asList(tree.value);
  if (!list.length) return <p class="muted">{t("moves.none")}</p>;
  return (
    <div class="variations" data-testid="moves">
      {list.map((variation) => (
        <Line key={variation.id} variation={variation} grades={grades} />
      ))}
    </div>
  );
}

function Line({ variation, grades }: { variation: Variation; grades: Grades | undefined }) {
  const { depth, moves, id } = variation;
  const from = pathTo(tree.value, id).length - 2; // plies before its first move
  return (
    <div class={depth ? "variation" : "variation main"} data-depth={Math.min(depth, 4)}>
      <ol start={from + 1}>
        {moves.map((node, place) => (
          <Move key={node} node={node} ply={from + place} first={place === 0} grade={grades?.get(node)} />
        ))}
      </ol>
      {depth > 0 && (
        <span class="variation-tools">
          <Button bare icon="up" label={t("branch.promote")} onClick={() => promote(id)} />
          <Button bare icon="trash" label={t("branch.remove")} onClick={() => removeBranch(id)} />
        </span>
      )}
    </div>
  );
}

const SYMBOL: Record<MoveKind, string> = {
  best: "",
  good: "",
  inaccuracy: "?!",
  mistake: "?",
  blunder: "??",
  unsure: "",
};

function Move({ node, ply, first, grade }: { node: number; ply: number; first: boolean; grade: MoveKind | undefined }) {
  const here = cursor.value === node;
  const numbered = first || ply % 2 === 0;
  const { move, comment } = nodeOf(tree.value, node);
  return (
    <li class={info.value ? `kind-${info.value.layout.kind}` : undefined}>
      {numbered && <span class="move-number">{ply + 1}.</span>}
      <button
        type="button"
        class={grade ? `move grade-${grade}` : "move"}
        aria-current={here ? "step" : undefined}
        title={comment ?? (grade ? t(`kind.${grade}`) : undefined)}
        onClick={() => {
          running.value = false;
          jump(node);
        }}
      >
        {moveName(move!)}
        {grade && SYMBOL[grade]}
      </button>
    </li>
  );
}
