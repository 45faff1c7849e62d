/** Analyse: the search as it thinks, on the board, in a table, and over the whole game. */
import type { LegalMove } from "../api";
import type { Geometry } from "../board/geometry";
import { warmths } from "../board/heat";
import { HeatLayer, type Label, Labels } from "../board/Overlay";
import { t } from "../i18n/i18n";
import { signed } from "../i18n/numbers";
import { solution, update } from "../store/analysis";
import { info, play, position, settled } from "../store/game";
import { heat } from "../store/prefs";
import { previewed } from "../store/preview";
import { BoardView } from "../ui/BoardView";
import { Card } from "../ui/controls";
import { EngineCard } from "../ui/EngineCard";
import { GameHead } from "../ui/GameHead";
import { Graph } from "../ui/Graph";
import { MoveTable } from "../ui/MoveTable";
import { Variations } from "../ui/Variations";

function point(move: LegalMove | null): void {
  const row = move && update.value?.moves.find((each) => each.move === move.text);
  previewed.value = row && row.pv.length > 1 ? row.pv : null;
}

function playHere(move: string): void {
  previewed.value = null;
  void play(move);
}

export default function Analyse() {
  const here = settled.value;
  return (
    <div class="stage wide">
      <section class="board-side" aria-label={t("nav.analyse")}>
        <BoardView open={here !== null && !here.terminal} onPlay={playHere} onPoint={point}>
          {(geometry) => <Opinion geometry={geometry} />}
        </BoardView>
        <Card title={t("graph.title")}>
          <Graph />
        </Card>
      </section>
      <aside class="panel">
        <GameHead />
        <EngineCard />
        <Card title={t("analysis.moves")}>
          <MoveTable />
        </Card>
        <Card title={t("moves")}>
          <Variations />
        </Card>
      </aside>
    </div>
  );
}

function Opinion({ geometry }: { geometry: Geometry }) {
  const now = update.value;
  const layout = info.value?.layout;
  return (
    <>
      {now && <HeatLayer warmths={warmths(now.moves, heat.value)} geometry={geometry} />}
      {layout && <Labels labels={exactLabels()} geometry={geometry} above={layout.kind === "gravity"} />}
    </>
  );
}

function exactLabels(): Label[] {
  const scores = solution.value?.scores;
  if (!scores) return [];
  return (position.value?.legal ?? []).flatMap(({ text, cell }) => {
    const score = scores[text];
    if (cell === null || score === null || score === undefined) return [];
    return [{ cell, text: signed(score, 0), tone: Math.sign(score) }];
  });
}
