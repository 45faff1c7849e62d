// What tests of the batched search have in common: an evaluator, a loop, and memory that runs out when told.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/erased/registry.h"

namespace tengen::test {

inline std::atomic<std::int64_t> allocations{0};
inline std::atomic<std::int64_t> until_failure{-1};  // memory runs out once after so many allocations; −1: never

// Answers that are a pure function of what is shown.
struct Oracle {
  std::vector<float> policy, wdl, moves_left, lead;
  EvaluatedRows rows() const { return {policy.data(), wdl.data(), moves_left.data(), lead.data()}; }
  void answer(const AnySearch& search, int actions) {
    const std::span<const std::uint64_t> keys(search.lent()->keys.get(), static_cast<std::size_t>(search.rows()));
    policy.resize(keys.size() * static_cast<std::size_t>(actions));
    wdl.resize(keys.size() * 3);
    moves_left.resize(keys.size());
    lead.resize(keys.size());
    for (std::size_t row = 0; row < keys.size(); ++row) {
      Rng rng(keys[row]);
      for (int a = 0; a < actions; ++a)
        policy[row * static_cast<std::size_t>(actions) + static_cast<std::size_t>(a)] =
            static_cast<float>(rng.uniform());
      const float win = static_cast<float>(rng.uniform()) / 2, draw = static_cast<float>(rng.uniform()) / 2;
      wdl[row * 3] = win, wdl[row * 3 + 1] = draw, wdl[row * 3 + 2] = 1 - win - draw;
      moves_left[row] = static_cast<float>(rng.below(40));
      lead[row] = static_cast<float>(rng.below(40)) - 20;
    }
  }
};

// Answers a batch; how many rows the next one has. `in_one`: by `step`, else by `backup` and `select`.
inline int step(AnySearch& search, Oracle& oracle, int actions, bool in_one) {
  oracle.answer(search, actions);
  if (in_one) return search.step(oracle.rows());
  search.backup(oracle.rows());
  return search.select();
}

inline void run(AnySearch& search, Oracle& oracle, int actions, bool in_one = true) {
  for (int rows = search.select(); rows > 0;) rows = step(search, oracle, actions, in_one);
}

// A number that changes when any visit of any root changes.
inline std::uint64_t signature(const AnySearch& search) {
  std::uint64_t sum = 0;
  for (int t = 0; t < search.trees(); ++t) {
    NodeView root;
    search.find(t, {}, root);
    for (const auto& edge : root.edges) sum = mix64(sum + edge.visits) + static_cast<std::uint64_t>(edge.action);
    sum = mix64(sum + static_cast<std::uint64_t>(root.q * 1e15));
  }
  return sum;
}

inline SearchConfig small_config() {
  SearchConfig config;
  config.sims = 60;
  config.leaves = 3;
  config.cache_mb = 1;
  config.max_nodes = 10000;
  config.noise_epsilon = 0.25;
  return config;
}

// Trees at different positions, so that they do not all do the same.
inline void scatter(const AnyGame& game, AnySearch& search) {
  for (int t = 0; t < search.trees(); ++t) {
    auto state = game.initial();
    for (int i = 0; i < t % 4; ++i)
      state->apply(state->legal()[static_cast<std::size_t>(t + i) % state->legal().size()]);
    search.reset(t, *state, static_cast<std::uint64_t>(t));
  }
}

}  // namespace tengen::test
