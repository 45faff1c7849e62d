/** The options of the search for people who play: a name and a sentence each, in both languages. */
import { EXPERT_FIELDS, type ExpertField } from "../store/fields";
import { language } from "./i18n";

type Words = readonly [name: string, about: string];

const ENGLISH: Record<ExpertField, Words> = {
  c_init: ["Curiosity", "Higher: it tries more different moves. Lower: it follows its favourites deeper."],
  prior_temperature: ["Openness", "Above 1 it trusts the network’s first impression less and looks wider."],
  fpu_mode: ["New moves", "What it thinks of a move that it has not tried yet."],
  fpu_reduction: ["Doubt about new moves", "How much worse than the position it takes an untried move to be."],
  lookahead: ["Looks ahead", "So many moves ahead it looks at everything, so that no quick win or threat is missed."],
  solver: ["Proofs", "It notices when a win, draw or loss is certain, and plays by it."],
  mlh_slope: ["Hurry", "How much it prefers quick wins and long losses; 0: it does not care."],
  mlh_cap: ["Most that hurry counts", "So much of a move’s value may be given up for a quicker win."],
  lead_slope: [
    "Greed for points",
    "How much it prefers to win by more and to lose by less, where points are counted; 0: it does not care.",
  ],
  mlh_mode: ["When it hurries", "By how far ahead it is, or only once the game is decided."],
  discount: ["Foresight", "Below 1 it cares less about what is far away."],
  temperature: ["Variety", "Above 0 it does not always play its best move, so that games differ."],
  temperature_plies: ["Variety lasts", "For so many moves from the start."],
  temperature_end: ["Variety later", "The same after that; 0: always its best move."],
  tree_reuse: ["Remembers", "It keeps what it thought about the moves that were played."],
  rule: [
    "Way of searching",
    "puct follows an opinion about moves; gumbel drops the weaker half again and again; ucb1 tries all evenly.",
  ],
};

const CHINESE: Record<ExpertField, Words> = {
  c_init: ["好奇心", "越高，尝试的着法越多；越低，对看好的着法算得越深。"],
  prior_temperature: ["开放程度", "大于 1 时，不那么相信网络的第一感，看得更宽。"],
  fpu_mode: ["新着法", "对还没试过的着法先怎么看。"],
  fpu_reduction: ["对新着法的怀疑", "没试过的着法先当作比当前局面差多少。"],
  lookahead: ["向前看", "这么多手之内全部看到，不漏掉立刻的胜着与威胁。"],
  solver: ["证明", "发现必胜、必和、必败，并照此行棋。"],
  mlh_slope: ["急切", "多么偏好快胜与慢败；0：无所谓。"],
  mlh_cap: ["急切的限度", "为了赢得更快，最多放弃着法的多少价值。"],
  lead_slope: ["贪目", "计分的棋里，多么偏好赢得更多、输得更少；0：只看胜负。"],
  mlh_mode: ["何时急切", "随领先程度，或只在胜负已定之后。"],
  discount: ["远见", "小于 1 时，不太在意遥远的后果。"],
  temperature: ["变化", "大于 0 时不总走最佳着法，每局因此不同。"],
  temperature_plies: ["变化的手数", "从开局起的这么多手。"],
  temperature_end: ["此后的变化", "在那之后的变化；0：总走最佳着法。"],
  tree_reuse: ["记住思考", "保留对已走着法的思考。"],
  rule: ["搜索方式", "puct 依据对着法的看法；gumbel 一次次淘汰较弱的一半；ucb1 平均尝试所有着法。"],
};

const isExpert = (name: string): name is ExpertField => (EXPERT_FIELDS as readonly string[]).includes(name);

const words = (name: string): Words =>
  isExpert(name) ? (language.value === "zh" ? CHINESE : ENGLISH)[name] : [name, ""];

export const fieldName = ({ name }: { name: string }): string => words(name)[0];
export const fieldAbout = ({ name }: { name: string }): string => words(name)[1];
