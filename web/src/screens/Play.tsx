/** Play: against a program, a person, or watching two programs. */
import { ahead, moveName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { percent } from "../i18n/numbers";
import { openDialog } from "../store/dialogs";
import { failure, lastThought, thinking, tryAgain } from "../store/engine";
import { turnedLead } from "../store/evaluations";
import { canUndo, depth, info, jumpToPly, play, position, settled } from "../store/game";
import { forgetHint, hint, nextHint } from "../store/hints";
import { explain } from "../store/notices";
import { humans, isHuman, ownSide, resign, result, running, swapSides } from "../store/seats";
import { BoardView } from "../ui/BoardView";
import { Button, Card } from "../ui/controls";
import { GameHead } from "../ui/GameHead";
import { HintLayer, hintWords } from "../ui/HintLayer";
import { ResultBanner } from "../ui/ResultBanner";
import { SeatCard } from "../ui/SeatCard";
import { Variations } from "../ui/Variations";

export const humanToMove = (): boolean => {
  const here = settled.value;
  return here !== null && !result.value && isHuman(here.to_move);
};

export async function playHere(move: string): Promise<void> {
  if (!humanToMove()) return;
  if (await play(move)) {
    running.value = true;
    forgetHint();
  }
}

/** Back to before the person's last move. */
export function takeBack(): void {
  const own = ownSide.value;
  const here = position.value;
  if (!here || !canUndo.value) return;
  jumpToPly(depth.value - (own !== null && here.to_move === own ? 2 : 1));
  running.value = true;
}

export default function Play() {
  const game = info.value;
  const here = position.value;
  return (
    <div class="stage">
      <section class="board-side" aria-label={t("nav.play")}>
        <BoardView open={humanToMove()} onPlay={(move) => void playHere(move)}>
          {(geometry) =>
            game &&
            here && (
              <HintLayer layout={game.layout} geometry={geometry} toMove={here.to_move} pieces={here.glyphs !== null} />
            )
          }
        </BoardView>
      </section>
      <aside class="panel">
        <GameHead />
        <ResultBanner />
        <Card>
          <div class="seats">
            <SeatCard side={0} />
            <SeatCard side={1} />
          </div>
          {!result.value && (failure.value ? <Failure /> : <Status />)}
          <Actions />
        </Card>
        <Card title={t("moves")}>
          <Variations />
        </Card>
      </aside>
    </div>
  );
}

/** What is wrong with the program whose turn it is; another one may be chosen above. */
const Failure = () => (
  <div class="failure" role="alert" data-testid="failure">
    <p>
      {explain(failure.value)} {t("failure.choose")}
    </p>
    <Button primary icon="takeback" label={t("failure.retry")} onClick={tryAgain} testid="retry" />
  </div>
);

function Status() {
  const words = hint.value ? hintWords() : statusWords();
  return (
    <p class="status" data-testid="status">
      {words}
    </p>
  );
}

function statusWords(): string {
  const here = settled.value;
  if (!here || result.value) return " ";
  if (!isHuman(here.to_move)) return running.value ? (thinking.value ? t("thinking") : " ") : t("paused");
  const thought = lastThought.value?.update;
  if (!thought || depth.value === 0 || humans.value !== 1 || thought.visits === 0) return t("turn");
  const move = moveName(thought.best);
  const words = t("turn.after", { move, win: percent(thought.wdl[0] + thought.wdl[1] / 2), visits: thought.visits });
  const lead = turnedLead(thought.lead, here.to_move === 0 ? 1 : 0);
  return lead === null ? words : `${words} ${t("lead", { ahead: ahead(lead) })}`;
}

function Actions() {
  const over = result.value !== null;
  const programs = humans.value < 2;
  return (
    <div class="actions">
      {programs && !over && (
        <Button
          icon={running.value ? "pause" : "resume"}
          label={t(running.value ? "pause" : "continue")}
          keys="Space"
          onClick={() => {
            running.value = !running.value;
          }}
          testid="pause"
        />
      )}
      <Button
        icon="takeback"
        label={t("takeback")}
        keys="b"
        disabled={!canUndo.value || humans.value === 0}
        onClick={takeBack}
        testid="takeback"
      />
      <Button
        icon="hint"
        label={t("hint")}
        keys="h"
        disabled={!humanToMove() || hint.value?.step === 3}
        onClick={() => void nextHint()}
        testid="hint"
      />
      <Button icon="swap" label={t("swap")} keys="x" disabled={over} onClick={swapSides} testid="swap" />
      <Button icon="flag" label={t("resign")} disabled={over || humans.value === 0} onClick={resign} testid="resign" />
      <Button
        icon="settings"
        label={t("settings")}
        keys="s"
        onClick={() => openDialog("settings")}
        testid="open-settings"
      />
    </div>
  );
}
