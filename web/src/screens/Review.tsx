/** Review: the game's mistakes, and the better moves to be found. */
import type { Geometry } from "../board/geometry";
import { moveName } from "../i18n/games";
import { type Key, t } from "../i18n/i18n";
import { depth, info, lineMoves, position, settled } from "../store/game";
import { hint, nextHint } from "../store/hints";
import type { MoveKind } from "../store/messages";
import { previewed } from "../store/preview";
import * as store from "../store/review";
import { go } from "../store/route";
import { BoardView } from "../ui/BoardView";
import { Button, Card } from "../ui/controls";
import { EngineSelects } from "../ui/EngineCard";
import { GameHead } from "../ui/GameHead";
import { Graph } from "../ui/Graph";
import { HintLayer, hintWords } from "../ui/HintLayer";
import { TerritorySwitch } from "../ui/TerritorySwitch";
import { Variations } from "../ui/Variations";

const SIMS = [50, 200, 800, 3000];

export default function Review() {
  const asking = store.quiz.value !== null && store.quiz.value.ply === depth.value;
  return (
    <div class="stage">
      <section class="board-side" aria-label={t("nav.review")}>
        <BoardView open={asking && settled.value !== null} onPlay={(move) => void store.answerQuiz(move)}>
          {(geometry) => <Overlays geometry={geometry} />}
        </BoardView>
      </section>
      <aside class="panel">
        <GameHead />
        {lineMoves.value.length === 0 ? <Empty /> : <Controls />}
        {store.review.value && <Accuracy />}
        {store.quiz.value ? <QuizCard /> : <MoveCard />}
        {lineMoves.value.length > 0 && (
          <Card title={t("graph.title")}>
            <Graph marks={store.gradeOfPly.value} />
          </Card>
        )}
        <Card title={t("moves")}>
          <Variations grades={store.gradeOfNode.value} />
        </Card>
      </aside>
    </div>
  );
}

function Overlays({ geometry }: { geometry: Geometry }) {
  const layout = info.value?.layout;
  const here = position.value;
  if (!layout || !here) return null;
  return <HintLayer layout={layout} geometry={geometry} toMove={here.to_move} pieces={here.glyphs !== null} />;
}

const Empty = () => (
  <Card>
    <p>{t("review.empty")}</p>
    <Button primary icon="play" label={t("nav.play")} onClick={() => go("play")} />
  </Card>
);

function Controls() {
  const done = store.review.value;
  return (
    <Card>
      <div class="engine">
        <EngineSelects limits={SIMS} sims={store.reviewSims} />
        {store.reviewing.value ? (
          <Button icon="pause" label={t("review.stop")} onClick={store.stopReview} />
        ) : (
          <Button
            primary={!done}
            icon="review"
            label={t(done ? "review.again" : "review.start")}
            onClick={store.startReview}
            testid="start-review"
          />
        )}
      </div>
      {done && !done.accuracy && (
        <progress max={done.total} value={done.rows.length} aria-label={t("review.progress")}>
          {done.rows.length}
        </progress>
      )}
      <TerritorySwitch />
    </Card>
  );
}

const KINDS: readonly MoveKind[] = ["best", "good", "inaccuracy", "mistake", "blunder", "unsure"];

function Accuracy() {
  const { accuracy, rows } = store.review.value!;
  const first = (position.value!.to_move + depth.value) % 2; // who made the first move of the line
  const count = (side: number, kind: MoveKind) =>
    rows.filter((row) => (row.ply + first) % 2 === side && row.kind === kind).length;
  const mark = (value: number | null | undefined) => (value === null || value === undefined ? "–" : value.toFixed(0));
  return (
    <Card>
      <table class="accuracy" data-testid="accuracy">
        <thead>
          <tr>
            <td />
            <th scope="col">{t("side.first")}</th>
            <th scope="col">{t("side.second")}</th>
          </tr>
        </thead>
        <tbody>
          <tr class="large">
            <th scope="row">{t("review.accuracy")}</th>
            <td>{mark(accuracy?.first)}</td>
            <td>{mark(accuracy?.second)}</td>
          </tr>
          {KINDS.map((kind) => (
            <tr key={kind}>
              <th scope="row">
                <span class={`grade-dot grade-${kind}`} />
                {t(`kind.${kind}`)}
              </th>
              <td>{count(0, kind)}</td>
              <td>{count(1, kind)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function MoveCard() {
  const row = store.rowHere.value;
  const any = store.mistakes.value.length > 0;
  if (!store.review.value) return null;
  return (
    <Card>
      {row && (
        <p class="review-words" data-testid="review-words">
          <b class={`grade-text grade-${row.kind}`}>
            {moveName(row.played)}: {t(`kind.${row.kind}`)}
          </b>{" "}
          {row.kind === "unsure" && t("review.unsure")}
          {row.kind !== "unsure" && row.loss >= 0.5 ? t("review.loss", { loss: row.loss.toFixed(0) }) : ""}{" "}
          {row.kind !== "unsure" && row.best !== row.played && (
            <button
              type="button"
              class="link"
              onPointerEnter={() => show(row.pv)}
              onPointerLeave={() => show(null)}
              onFocus={() => show(row.pv)}
              onBlur={() => show(null)}
            >
              {t("review.better", { move: moveName(row.best) })}
            </button>
          )}
        </p>
      )}
      {!any && store.review.value.accuracy && (
        <p>{t(store.anyUnsure.value ? "review.unsureOfMost" : "review.clean")}</p>
      )}
      <div class="actions">
        <Button
          icon="previous"
          label={t("review.previous")}
          keys="k"
          disabled={!any}
          onClick={() => store.nextMistake(-1)}
          testid="previous-mistake"
        />
        <Button
          icon="next"
          label={t("review.next")}
          keys="j"
          disabled={!any}
          onClick={() => store.nextMistake(1)}
          testid="next-mistake"
        />
        <Button
          primary
          icon="star"
          label={t("quiz.start")}
          disabled={!any}
          onClick={store.nextQuestion}
          testid="start-quiz"
        />
      </div>
    </Card>
  );
}

function show(pv: readonly string[] | null): void {
  previewed.value = pv;
}

function QuizCard() {
  const quiz = store.quiz.value!;
  const row = store.rowHere.value;
  const solved = quiz.verdict === "best" || quiz.verdict === "good";
  const words = { move: moveName(quiz.tried ?? ""), loss: quiz.loss.toFixed(0), best: moveName(row?.best ?? "") };
  return (
    <Card title={t("quiz.title")}>
      <p class={`quiz-words ${solved ? "good" : ""}`} data-testid="quiz-words" role="status">
        {row ? t(`quiz.${quiz.verdict}` as Key, words) : t("quiz.elsewhere")}
      </p>
      {hint.value && <p class="muted">{hintWords()}</p>}
      <div class="actions">
        <Button
          icon="hint"
          label={t("hint")}
          disabled={solved || hint.value?.step === 3}
          onClick={() => void nextHint(row?.pv)}
          testid="quiz-hint"
        />
        <Button
          icon="analyse"
          label={t("quiz.show")}
          disabled={quiz.verdict === "shown"}
          onClick={() => {
            store.showAnswer();
            show(row?.pv ?? null);
          }}
          testid="quiz-show"
        />
        <Button primary icon="next" label={t("quiz.next")} onClick={next} testid="quiz-next" />
        <Button icon="close" label={t("quiz.stop")} onClick={stop} />
      </div>
      <p class="muted small">
        {t("quiz.count", { solved: store.solvedPlies.value.size, total: store.mistakes.value.length })}
      </p>
    </Card>
  );
}

function next(): void {
  show(null);
  store.nextQuestion();
}

function stop(): void {
  show(null);
  store.stopQuiz();
}
