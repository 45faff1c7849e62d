// Random play and move counting: the two loops that need nothing but the rules.
#pragma once

#include <array>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/game.h"

namespace tengen {

template <Game G>
Action random_action(const G& position, Rng& rng, Action* scratch) {
  if constexpr (Sampling<G>) {
    return position.sample(rng);
  } else {
    const int n = position.legal(scratch);
    return scratch[rng.below(static_cast<std::uint32_t>(n))];
  }
}

// The rest of such a game: its legal actions in random order, drawn from one list that is never made again.
template <Shrinking G>
int play_out_shrinking(G& state, Rng& rng, Action* scratch) {
  const int start = state.legal(scratch);
  int left = start;
  while (!state.terminal()) {
    Action& drawn = scratch[rng.below(static_cast<std::uint32_t>(left))];
    state.apply(drawn);
    drawn = scratch[--left];
  }
  return start - left;
}

// Plays `state` to its end with uniformly random moves; returns the plies played. `scratch` has room for num_actions().
template <Game G>
int play_out(G& state, Rng& rng, Action* scratch) {
  int plies = 0;
  for (; !state.terminal(); ++plies) {
    if constexpr (Shrinking<G>)
      if (state.legal_only_shrinks()) return plies + play_out_shrinking(state, rng, scratch);
    state.apply(random_action(state, rng, scratch));
  }
  return plies;
}

struct PlayoutTotals {
  std::int64_t plies = 0, first_wins = 0, draws = 0, second_wins = 0;
};

template <Game G>
PlayoutTotals play_outs(const G& start, std::int64_t games, std::uint64_t seed) {
  std::vector<Action> scratch(static_cast<std::size_t>(start.num_actions()));
  PlayoutTotals totals;
  G state = start;
  for (std::int64_t game = 0; game < games; ++game) {
    Rng rng(seed, static_cast<std::uint64_t>(game), 0, Purpose::rollout);
    state = start;
    totals.plies += play_out(state, rng, scratch.data());
    const int value = static_cast<int>(state.outcome()) * (state.to_move() == 0 ? 1 : -1);
    totals.first_wins += value > 0;
    totals.draws += value == 0;
    totals.second_wins += value < 0;
  }
  return totals;
}

// How a pass is counted: as a ply like any other (and a finished position counts as nothing to go on from); not at all
// (`none`: placements only, as in Go tables); or without using up depth (`free`, Othello's other convention).
enum class PassCounting { ply, none, free };

// Move sequences of exactly `depth` plies; games that end earlier do not count. In Othello's tables a position where
// neither side can move counts as one whatever depth is left: that is `finished_counts`.
template <Game G>
std::uint64_t perft(const G& position, int depth, PassCounting passes, bool finished_counts) {
  if (depth == 0) return 1;
  if (position.terminal()) return finished_counts ? 1 : 0;
  std::array<Action, 512> small;
  std::vector<Action> large;
  Action* actions = small.data();
  if (position.num_actions() > static_cast<int>(small.size())) {
    large.resize(static_cast<std::size_t>(position.num_actions()));
    actions = large.data();
  }
  const int n = position.legal(actions);
  std::uint64_t total = 0;
  for (int i = 0; i < n; ++i) {
    const bool is_pass = position.landing_cell(actions[i]) < 0;
    if (is_pass && passes == PassCounting::none) continue;
    if (depth == 1 && !(is_pass && passes == PassCounting::free)) {
      ++total;
      continue;
    }
    G next = position;
    next.apply(actions[i]);
    total += perft(next, is_pass && passes == PassCounting::free ? depth : depth - 1, passes, finished_counts);
  }
  return total;
}

}  // namespace tengen
