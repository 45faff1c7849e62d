/** Tree: how the search grows, and why it grows there. */
import { useEffect } from "preact/hooks";
import { t } from "../i18n/i18n";
import { more, update } from "../store/analysis";
import { openDialog } from "../store/dialogs";
import { play, settled } from "../store/game";
import { begin, pictured, restart, stride, watchGrowth, watching } from "../store/treeview";
import "../styles/tree.css";
import { warmths } from "../board/heat";
import { HeatLayer } from "../board/Overlay";
import { BoardView } from "../ui/BoardView";
import { Button, Card, Segmented, Select } from "../ui/controls";
import { EngineSelects, Verdict } from "../ui/EngineCard";
import { GameHead } from "../ui/GameHead";
import { TreeNodes } from "../ui/TreeNodes";
import { TreePicture } from "../ui/TreePicture";

const STRIDES = [1, 10, 100] as const;
const PICTURED = [20, 60, 120, 250, 500];

export default function Tree() {
  useEffect(begin, []);
  const here = settled.value;
  return (
    <div class="tree-stage">
      <div class="stage">
        <section class="board-side" aria-label={t("nav.tree")}>
          <Card
            title={t("tree.picture")}
            extra={
              <Select
                hidden
                label={t("tree.nodes")}
                value={String(pictured.value)}
                groups={[{ choices: PICTURED.map((n) => ({ value: String(n), label: `${t("tree.nodes")}: ${n}` })) }]}
                onChange={(n) => {
                  pictured.value = Number(n);
                }}
              />
            }
          >
            <TreePicture />
          </Card>
          <Card title={t("tree.node")}>
            <TreeNodes />
          </Card>
        </section>
        <aside class="panel">
          <GameHead />
          <Grow />
          <Card>
            <BoardView open={here !== null && !here.terminal} onPlay={(move) => void play(move)}>
              {(geometry) =>
                update.value && <HeatLayer warmths={warmths(update.value.moves, "visits")} geometry={geometry} />
              }
            </BoardView>
          </Card>
        </aside>
      </div>
    </div>
  );
}

function Grow() {
  return (
    <Card title={t("tree.grow")}>
      <div class="engine">
        <EngineSelects sims={null} />
        <Button bare icon="settings" label={t("settings")} keys="s" onClick={() => openDialog("settings")} />
      </div>
      <Verdict />
      <div class="actions">
        {STRIDES.map((n) => (
          <button
            key={n}
            type="button"
            class="button"
            aria-label={t("tree.more.about", { n })}
            onClick={() => more(n)}
            data-testid={`more-${n}`}
          >
            {t("tree.more", { n })}
          </button>
        ))}
        <Button icon="takeback" label={t("tree.restart")} onClick={restart} testid="tree-restart" />
      </div>
      <div class="actions">
        <Button
          primary
          icon={watching.value ? "pause" : "resume"}
          label={t(watching.value ? "tree.pause" : "tree.watch")}
          onClick={() => watchGrowth(!watching.value)}
          testid="tree-watch"
        />
        <Segmented
          label={t("tree.grow")}
          value={String(stride.value)}
          choices={STRIDES.map((n) => ({ value: String(n), label: t("tree.more", { n }) }))}
          onChange={(n) => {
            stride.value = Number(n) as 1 | 10 | 100;
          }}
        />
      </div>
    </Card>
  );
}
