/** Who analyses, how far, and what it says in one line. */
import type { Signal } from "@preact/signals";
import type { Wdl } from "../api";
import { ahead, moveName } from "../i18n/games";
import { t } from "../i18n/i18n";
import { short, signed } from "../i18n/numbers";
import { enabled, searching, update } from "../store/analysis";
import { openDialog } from "../store/dialogs";
import { analyst, chooseAnalyst, turnedLead } from "../store/evaluations";
import { info, players, position, settled } from "../store/game";
import { analysisSims, exact, type Heat, heat, settings } from "../store/prefs";
import { isOtherProgram } from "../store/seats";
import { Button, Card, Segmented, Select, Switch } from "./controls";
import { playerGroups } from "./SeatCard";
import { TerritorySwitch } from "./TerritorySwitch";
import { WdlBar } from "./WdlBar";

const LIMITS = [100, 800, 2000, 10_000, 50_000, 200_000, 1_000_000];
const HEATS: readonly Heat[] = ["off", "prior", "visits", "value"];

export function EngineCard() {
  return (
    <Card>
      <div class="engine">
        <Switch
          label={t("analysis.on")}
          on={enabled.value}
          onChange={(on) => {
            enabled.value = on;
          }}
          testid="analysis-on"
        />
        <EngineSelects />
        <Button
          bare
          icon="settings"
          label={t("settings")}
          keys="s"
          pressed={Object.keys(settings.value).length > 0}
          onClick={() => openDialog("settings")}
          testid="open-settings"
        />
      </div>
      <Verdict />
      <div class="engine">
        <Segmented
          label={t("heat")}
          value={heat.value}
          choices={HEATS.map((each) => ({ value: each, label: t(`heat.${each}`) }))}
          onChange={(to) => {
            heat.value = to;
          }}
          testid="heat-switch"
        />
        {info.value?.solvable && (
          <Switch
            label={t("exact")}
            on={exact.value}
            onChange={(on) => {
              exact.value = on;
            }}
            testid="exact-switch"
          />
        )}
      </div>
      <TerritorySwitch />
    </Card>
  );
}

interface SelectsProps {
  limits?: readonly number[];
  sims?: Signal<number> | null; // null: how far is said elsewhere
}

/** Who searches, and how far. */
export function EngineSelects({ limits = LIMITS, sims = analysisSims }: SelectsProps) {
  const available = players.value;
  const others = available?.others.filter((each) => !isOtherProgram(each.id)) ?? [];
  const groups = playerGroups(available && { ...available, levels: [], others });
  return (
    <>
      <Select
        hidden
        label={t("analysis.player")}
        value={analyst.value}
        groups={groups}
        onChange={chooseAnalyst}
        testid="analyst"
      />
      {sims && <Limit limits={limits} sims={sims} />}
    </>
  );
}

function Limit({ limits, sims }: { limits: readonly number[]; sims: Signal<number> }) {
  const choices = [...new Set([...limits, sims.value])].sort((a, b) => a - b);
  return (
    <Select
      hidden
      label={t("budget.sims")}
      value={String(sims.value)}
      groups={[{ choices: choices.map((n) => ({ value: String(n), label: t("sims", { n: short(n) }) })) }]}
      onChange={(n) => {
        sims.value = Number(n);
      }}
      testid="analysis-sims"
    />
  );
}

/** For the first player, so that the bar does not flip with every move. */
const forFirst = ([win, draw, loss]: Wdl, side: number): Wdl => (side === 0 ? [win, draw, loss] : [loss, draw, win]);

export function Verdict() {
  const now = update.value;
  const here = position.value;
  if (settled.value?.terminal) return <p class="verdict muted">{t("analysis.over")}</p>;
  if (!now || !here) return <p class="verdict muted">{searching.value ? t("thinking") : t("analysis.none")}</p>;
  const lead = turnedLead(now.lead, here.to_move);
  const speed = now.seconds > 0 ? now.visits / now.seconds : 0;
  return (
    <div class="verdict" data-testid="verdict">
      <WdlBar wdl={forFirst(now.wdl, here.to_move)} big />
      <p class="figures">
        <span>
          <b data-testid="best-move">{moveName(now.best)}</b> {t(now.certain === false ? "unsure" : "analysis.best")}
        </span>
        <span>Q {signed(now.q)}</span>
        {lead !== null && <span data-testid="lead">{t("lead", { ahead: ahead(lead) })}</span>}
        <span data-testid="visits">{t("sims", { n: short(now.visits) })}</span>
        {speed > 0 && <span>{t("speed", { n: short(speed) })}</span>}
        <span>{t("left", { plies: now.plies.toFixed(0) })}</span>
        {searching.value && <span class="pulse" title={t("thinking")} />}
      </p>
    </div>
  );
}
