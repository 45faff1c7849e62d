/** One position, seen by the networks of a run one after another. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Evaluation, type Layout, type Position } from "../api";
import { Board } from "../board/Board";
import { type Warmth, warmths } from "../board/heat";
import { HeatLayer } from "../board/Overlay";
import { gameTitle } from "../i18n/games";
import { t } from "../i18n/i18n";
import { percent, whole } from "../i18n/numbers";
import { durationWords } from "../i18n/training";
import { info, moves as movesOnBoard, start as startOnBoard } from "../store/game";
import type { MoveRow } from "../store/messages";
import { complain } from "../store/notices";
import type { RunDetails } from "../store/training";
import { Button, Card } from "./controls";
import { WdlBar } from "./WdlBar";

const AT_ONCE = 8; // networks asked in one request: the first answers are seen early
const PACE = 450;

export function TimeMachine({ run, layout }: { run: RunDetails; layout: Layout }) {
  const same = info.value?.id === run.game;
  const moves = useSignal<string[]>(same ? movesOnBoard.peek() : []);
  const start = same ? startOnBoard.peek() : null;
  const position = useSignal<Position | null>(null);
  const answers = useSignal<ReadonlyMap<string, Evaluation>>(new Map());
  const place = useSignal(run.networks.length - 1);
  const playing = useSignal(false);
  const networks = run.networks;
  const ids = networks.map((each) => each.id).join();

  useSignalEffect(() => {
    const asked = { game: run.game, start, moves: moves.value };
    const stop = new AbortController();
    answers.value = new Map();
    void (async () => {
      try {
        const found = await api.position(asked, stop.signal);
        position.value = found;
        if (found.terminal) return;
        for (let from = 0; from < networks.length; from += AT_ONCE) {
          const players = networks.slice(from, from + AT_ONCE).map((each) => each.id);
          const heard = await api.evaluate(asked, players, stop.signal);
          answers.value = new Map([...answers.peek(), ...heard.answers.map((each) => [each.player, each] as const)]);
        }
      } catch (error) {
        complain(error);
      }
    })();
    return () => stop.abort();
  });

  useEffect(() => {
    if (!playing.value) return;
    const timer = setInterval(() => {
      place.value = Math.min(networks.length - 1, place.value + 1);
      if (place.value >= networks.length - 1) playing.value = false;
    }, PACE);
    return () => clearInterval(timer);
  }, [playing.value, ids]);

  const at = Math.min(Math.max(0, place.value), networks.length - 1);
  const network = networks[at];
  const here = position.value;
  if (!network) return <p class="muted">{t("machine.none")}</p>;
  const seen = answers.value.get(network.id);
  return (
    <div class="machine" data-kind={layout.kind} data-testid="machine">
      <Card title={gameTitle(run.game)}>
        {here && (
          <Board
            layout={layout}
            stones={here.stones}
            glyphs={here.glyphs}
            text={here.board_text}
            last={here.last}
            lastFrom={here.last_from}
            line={here.line}
            toMove={here.to_move}
            legal={here.terminal ? [] : here.legal}
            label={t("machine")}
            coordinates
            onPlay={(move) => {
              moves.value = [...moves.value, move];
            }}
          >
            {(geometry) => seen && <HeatLayer warmths={priorHeat(here, seen)} geometry={geometry} />}
          </Board>
        )}
        <Button
          icon="undo"
          label={t("undo")}
          disabled={!moves.value.length}
          onClick={() => {
            moves.value = moves.value.slice(0, -1);
          }}
        />
      </Card>
      <Card title={t("machine")}>
        <p class="muted">{t("machine.about")}</p>
        <label class="field">
          <span>{t("machine.slider")}</span>
          <input
            type="range"
            min="0"
            max={networks.length - 1}
            value={at}
            aria-valuetext={nameOf(network)}
            onInput={(event) => {
              place.value = Number(event.currentTarget.value);
            }}
            data-testid="machine-slider"
          />
        </label>
        <div class="engine">
          <strong data-testid="machine-at">{nameOf(network)}</strong>
          <Button
            icon={playing.value ? "pause" : "resume"}
            label={t("machine.play")}
            onClick={() => {
              if (!playing.value && at === networks.length - 1) place.value = 0;
              playing.value = !playing.value;
            }}
          />
        </div>
        {seen && here && <WdlBar big wdl={here.to_move === 0 ? seen.wdl : [seen.wdl[2], seen.wdl[1], seen.wdl[0]]} />}
        {seen && <Favourites answer={seen} />}
        <h3>{t("machine.value")}</h3>
        <ValueOverRun run={run} answers={answers.value} at={at} side={here?.to_move ?? 0} />
      </Card>
    </div>
  );
}

const nameOf = ({ step, minutes }: RunDetails["networks"][number]): string =>
  minutes === null
    ? t("player.step", { step: whole(step) })
    : t("machine.at", { step: whole(step), minutes: durationWords(minutes) });

function priorHeat(here: Position, { prior }: Evaluation): Warmth[] {
  const rows = here.legal.map(
    ({ text, from, cell, action }) => ({ move: text, from, cell, action, prior: prior[text] ?? 0 }) as MoveRow,
  );
  rows.sort((a, b) => b.prior - a.prior);
  return warmths(rows, "prior");
}

function Favourites({ answer }: { answer: Evaluation }) {
  const top = Object.entries(answer.prior).sort((a, b) => b[1] - a[1]);
  return (
    <ul class="favourites">
      {top.slice(0, 5).map(([move, share]) => (
        <li key={move}>
          <b>{move}</b>
          <span class="share">
            <span style={{ width: percent(share, 1) }} />
          </span>
          <span>{percent(share, 1)}</span>
        </li>
      ))}
    </ul>
  );
}

interface OverRun {
  run: RunDetails;
  answers: ReadonlyMap<string, Evaluation>;
  at: number;
  side: number;
}

function ValueOverRun({ run, answers, at, side }: OverRun) {
  const last = Math.max(1, run.networks.length - 1);
  const points = run.networks.flatMap(({ id }, place) => {
    const wdl = answers.get(id)?.wdl;
    if (!wdl) return [];
    const own = wdl[0] + wdl[1] / 2;
    return [`${((600 * place) / last).toFixed(1)} ${(100 * (1 - (side === 0 ? own : 1 - own))).toFixed(1)}`];
  });
  return (
    <svg
      class="value-over-run"
      viewBox="0 0 600 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={t("machine.value")}
    >
      <path class="graph-middle" d="M0 50H600" />
      {points.length > 1 && <path class="graph-score" d={`M${points.join("L")}`} />}
      <path class="graph-now" d={`M${(600 * at) / last} 0V100`} />
    </svg>
  );
}
