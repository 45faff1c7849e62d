/** The search's options by name. English explanations come with the table itself; Chinese ones are here. */
import type { Field } from "../api";
import { language } from "./i18n";

const ENGLISH: Record<string, string> = {
  c_init: "Exploration",
  fpu_mode: "First-play urgency",
  fpu_reduction: "First-play reduction",
  mlh_slope: "Moves-left slope",
  mlh_cap: "Moves-left cap",
  mlh_mode: "Moves-left mode",
  noise_epsilon: "Noise",
  temperature: "Temperature",
};

const CHINESE: Record<string, [name: string, about: string]> = {
  sims: ["模拟次数", "每手的模拟次数，上次搜索留下的访问计算在内。0：只用网络。"],
  seconds: ["时间", "每手的时间；0：只限模拟次数。"],
  leaves: ["叶节点批量", "询问网络前一棵树收集的叶节点数：自我对弈为 1，单局为 8。"],
  rule: ["选择规则", "如何选择着法：puct；gumbel 在根节点逐轮减半，其下用 puct；纯 MCTS 用 ucb1。"],
  c_init: ["探索系数", "首次访问时的探索常数；ucb1 每次访问都用它。"],
  c_base: ["探索增长基数", "访问多少次后探索明显增强。"],
  c_factor: ["探索增长", "探索随访问增强的程度；0：固定不变。"],
  prior_temperature: ["先验温度", "网络策略作为先验时的温度；大于 1 时影响较小。"],
  fpu_mode: ["首访估值方式", "未访问过的着法按什么价值估计。"],
  fpu_reduction: ["首访折减", "未访问过的着法比父节点估低多少。"],
  mlh_mode: ["剩余手数方式", "剩余手数如何影响选择：q 随价值缩放，lc0 只在胜负已定时生效。"],
  mlh_slope: ["剩余手数斜率", "每手对快胜与慢败的偏好；0：关闭。"],
  mlh_cap: ["剩余手数上限", "剩余手数对得分的最大影响。"],
  discount: ["折扣", "每手保留的价值；小于 1 时近处的结果更重要。"],
  solver: ["证明", "在树中证明胜、和、负，并加以利用。"],
  lookahead: ["提前察看", "询问网络之前，向前察看几手以寻找终局。"],
  noise_epsilon: ["噪声", "根节点先验中狄利克雷噪声的比例：自我对弈为 0.25，对局为 0。"],
  noise_alpha: ["噪声集中度", "噪声的集中度；0：10.83 除以合法着法数。"],
  virtual_mode: ["虚拟方式", "进行中的下探算作什么：访问，或失败的访问。"],
  virtual_weight: ["虚拟权重", "loss 方式下，进行中的下探算作几次失败。"],
  temperature: ["温度", "在“温度手数”之前选择着法的温度。"],
  temperature_plies: ["温度手数", "开局起使用该温度的手数。"],
  temperature_end: ["末段温度", "此后的温度；0：总走最佳着法。"],
  tree_reuse: ["保留子树", "下一次搜索保留已走着法的子树。"],
  max_nodes: ["节点上限", "一棵树的最多节点数，满了之后不再生长但继续搜索；0：一批树合计 1 GB。"],
  cache_mb: ["缓存", "记住网络答案的内存（MB）；0：关闭。"],
};

const spaced = (name: string): string => name[0]!.toUpperCase() + name.slice(1).replaceAll("_", " ");

export function fieldName({ name }: Field): string {
  if (language.value === "zh") return CHINESE[name]?.[0] ?? name;
  return ENGLISH[name] ?? spaced(name);
}

export const fieldAbout = ({ name, sentence }: Field): string =>
  language.value === "zh" ? (CHINESE[name]?.[1] ?? sentence) : sentence;
