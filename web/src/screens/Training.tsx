/** Training: runs, how they go, and what their networks think. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { gameTitle } from "../i18n/games";
import { language, t } from "../i18n/i18n";
import { whole } from "../i18n/numbers";
import { durationWords } from "../i18n/training";
import * as store from "../store/training";
import "../styles/training.css";
import { Compare } from "../ui/Compare";
import { Curves, Strength } from "../ui/Curves";
import { Button, Segmented } from "../ui/controls";
import { Health } from "../ui/Health";
import { Icon } from "../ui/Icon";
import { Ladder } from "../ui/Ladder";
import { LiveWall } from "../ui/LiveWall";
import { ManageRun, Tags } from "../ui/ManageRun";
import { NewRun } from "../ui/NewRun";
import { TimeMachine } from "../ui/TimeMachine";
import { Workers } from "../ui/Workers";

export default function Training() {
  useEffect(store.begin, []);
  return <div class="training">{store.runName.value ? <Run key={store.runName.value} /> : <Runs />}</div>;
}

function Runs() {
  const runs = store.runs.value;
  return (
    <>
      <h1>{t("train.runs")}</h1>
      {runs?.length === 0 && <p class="muted">{t("train.none")}</p>}
      <div class="runs" data-testid="runs">
        {runs?.map((run) => (
          <a key={run.name} class="card run" href={`#/training/${encodeURIComponent(run.name)}`}>
            <header>
              <h2>{run.name}</h2>
              <State run={run} />
            </header>
            <span class="muted">
              {gameTitle(run.game)} · {run.size}
            </span>
            <Tags tags={run.tags} />
            <Progress run={run} />
            <span class="small">{run.verdict.texts[language.value]}</span>
          </a>
        ))}
      </div>
      {runs && runs.length > 1 && <Compare runs={runs} />}
      <NewRun />
    </>
  );
}

const State = ({ run }: { run: store.RunSummary }) => (
  <span class={`state state-${run.state}`} data-testid="run-state">
    {run.state === "training" && <span class="pulse" />}
    {t(`train.state.${run.state}`)}
  </span>
);

const Progress = ({ run }: { run: store.RunSummary }) => {
  const { unit, done, planned } = run.plan;
  const words =
    unit === "steps"
      ? t("train.progress_steps", { done: whole(done), planned: whole(planned) })
      : t("train.progress", { done: durationWords(done), planned: durationWords(planned) });
  return (
    <span class="run-progress">
      <progress max="1" value={Math.min(1, run.progress)} aria-label={words} />
      <span class="small muted">{words}</span>
    </span>
  );
};

type Tab = "curves" | "machine" | "ladder";

function Run() {
  const run = store.run.value;
  const tab = useSignal<Tab>("curves");
  if (!run) return store.beginning.value ? <p class="muted">{t("train.beginning")}</p> : <div class="loading" />;
  const tabs = [
    { value: "curves", label: t("train.curves") },
    { value: "machine", label: t("machine") },
    { value: "ladder", label: t("ladder") },
  ] as const;
  return (
    <>
      <RunHead run={run} />
      <Segmented
        label={run.name}
        value={tab.value}
        choices={tabs}
        onChange={(to) => {
          tab.value = to;
        }}
        testid="run-tabs"
      />
      {tab.value === "curves" && (
        <>
          <Strength run={run} />
          <div class="run-top">
            <Health run={run} />
            <LiveWall />
          </div>
          <Workers run={run} />
          <Curves run={run} />
        </>
      )}
      {tab.value === "machine" && store.layout.value && <TimeMachine run={run} layout={store.layout.value} />}
      {tab.value === "ladder" && <Ladder run={run} />}
      <ManageRun run={run} />
    </>
  );
}

function RunHead({ run }: { run: store.RunDetails }) {
  const busy = useSignal(false);
  const minutes = useSignal(15);
  const change = async (what: "pause" | "resume") => {
    busy.value = true;
    const further = run.state === "finished" ? run.planned_minutes + minutes.value : undefined;
    await store.change(run.name, what, further);
    busy.value = false;
  };
  return (
    <header class="run-head">
      <div>
        <a class="back" href="#/training">
          <Icon name="previous" /> {t("train.back")}
        </a>
        <h1>{run.name}</h1>
        <p class="muted">
          {gameTitle(run.game)} · {run.size}
        </p>
        <Tags tags={run.tags} />
      </div>
      <Progress run={run} />
      <State run={run} />
      {run.state === "training" ? (
        <Button
          icon="pause"
          label={t("train.pause")}
          disabled={busy.value}
          onClick={() => void change("pause")}
          testid="run-pause"
        />
      ) : (
        <>
          {run.state === "finished" && (
            <label class="field">
              <span>{t("train.minutes")}</span>
              <input
                type="number"
                min="1"
                value={minutes.value}
                onInput={(event) => {
                  minutes.value = event.currentTarget.valueAsNumber || 15;
                }}
              />
            </label>
          )}
          <Button
            primary
            icon="resume"
            label={t("train.resume")}
            disabled={busy.value}
            onClick={() => void change("resume")}
            testid="run-resume"
          />
        </>
      )}
    </header>
  );
}
