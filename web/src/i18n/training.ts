/** Names of what training measures; only the training screen needs them. */
import { language, t } from "./i18n";
import { duration } from "./numbers";

const NAMES: Record<string, [en: string, zh: string]> = {
  mistakes: ["Mistakes against perfect play", "相对完美对弈的失误率"],
  mistakes_0: ["network alone", "仅网络"],
  elo_title: ["Elo above random play", "等级分（随机走子为 0）"],
  elo: ["Elo with search", "等级分（带搜索）"],
  elo_alone: ["Elo of the network alone", "等级分（仅网络）"],
  alone: ["Score of the network alone", "仅网络的得分率"],
  alone_random: ["random play", "随机走子"],
  elo_error: ["Elo, half of its interval", "等级分误差"],
  score_low: ["Score, lowest plausible", "得分率下限"],
  score_high: ["Score, highest plausible", "得分率上限"],
  progress: ["Share of the run", "训练进度"],
  multiplier: ["Multiplier of the learning rate", "学习率倍数"],
  unread_chunks: ["Chunks left out", "未读取的数据块"],
  score: ["Score against plain search", "对纯搜索的得分率"],
  level: ["Plain search matched (simulations)", "相当的纯搜索（模拟次数）"],
  against_previous: ["Score against the previous network", "对上一网络的得分率"],
  value_error: ["Error of the value", "价值误差"],
  losses: ["Losses", "损失"],
  loss: ["Loss", "总损失"],
  policy_loss: ["policy", "策略"],
  value_loss: ["value", "价值"],
  moves_left_loss: ["moves left", "剩余手数"],
  entropy: ["Entropy of the policy", "策略熵"],
  explained_variance: ["Results explained by the value", "价值解释的胜负"],
  kl: ["Change per release (KL)", "每次发布的变化（KL）"],
  gradient_norm: ["Gradient norm", "梯度范数"],
  rate: ["Learning rate", "学习率"],
  work: ["Work per second", "每秒工作量"],
  evaluations_per_second: ["evaluations", "网络评估"],
  simulations_per_second: ["simulations", "模拟"],
  samples_per_second: ["Samples learned per second", "每秒学习样本"],
  games_per_second: ["Games per second", "每秒对局"],
  moves_per_second: ["Moves per second", "每秒着法"],
  batch_fill: ["Batch fill", "批次填充率"],
  without_network: ["Simulations without the network (cache, proofs)", "无需网络的模拟（缓存、证明）"],
  seconds: ["Seconds per turn", "每轮秒数"],
  playing_seconds: ["playing", "对弈"],
  learning_seconds: ["learning", "学习"],
  game_length: ["Game length (plies)", "对局长度（手）"],
  first_player_score: ["First player’s score", "先手得分率"],
  draws: ["Draws", "和棋率"],
  data: ["Positions", "局面数"],
  window: ["window", "窗口"],
  positions: ["all", "全部"],
  replay_age: ["Age of samples (positions)", "样本年龄（局面）"],
  total_games: ["Games played", "累计对局"],
  games: ["Games per turn", "每轮对局"],
  resignations_checked: ["Resignations checked", "已检验的认输"],
  resignations_wrong: ["Resignations that were wrong", "误判的认输"],
  workers: ["Players elsewhere", "别处的棋手"],
  value_start: ["Value of the start", "开局的价值"],
  health_loss: ["Policy loss, now ÷ at first", "策略损失（现在 ÷ 最初）"],
  health_kl: ["Change per release (KL)", "每次发布的变化（KL）"],
  health_replay_age: ["Age of samples, share of the run", "样本年龄（占全程）"],
  health_draws: ["Draws", "和棋率"],
  health_first_player: ["First player’s score", "先手得分率"],
  health_playing_share: ["Time spent playing", "对弈时间占比"],
};

export function measureName(name: string): string {
  const known = NAMES[name];
  if (known) return known[language.value === "zh" ? 1 : 0];
  const sims = /^mistakes_(\d+)$/.exec(name)?.[1];
  if (sims) return language.value === "zh" ? `${sims} 次模拟` : `${sims} simulations`;
  const playouts = /^alone_mcts:(\d+)$/.exec(name)?.[1];
  if (playouts) return language.value === "zh" ? `纯搜索 ${playouts} 次` : `plain search, ${playouts}`;
  const kept = /^keeping_(\d+)$/.exec(name)?.[1];
  if (kept) return language.value === "zh" ? `${kept} 次模拟的正确率` : `Right moves, ${kept} simulations`;
  const move = /^value_(\w+)$/.exec(name)?.[1];
  if (move) return language.value === "zh" ? `走 ${move} 后的价值` : `Value after ${move}`;
  return name.replaceAll("_", " ");
}

/** A check of health measures some numbers in another way than the curve of that name. */
export const checkName = (name: string): string => measureName(`health_${name}` in NAMES ? `health_${name}` : name);

export function durationWords(minutes: number): string {
  const [n, unit] = duration(minutes);
  return t(`time.${unit}`, { n });
}
