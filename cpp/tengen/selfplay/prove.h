// What the positions of a finished game were worth, proven from its end backwards by the rules alone: no network, no
// chance. A search that learns has to find out the same over many generations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tengen/config_table.h"
#include "tengen/game.h"
#include "tengen/search/prover.h"
#include "tengen/selfplay/any_selfplay.h"

namespace tengen {

constexpr int kSideEffort = 8;

// The value of every position of a game for its side to move, from the last one backwards to ply `first`, or until one
// takes more than `most_positions` to prove; those before it, which are harder, are kUnproven. Then the positions
// beside the game, those with the most moves first, until all of them together took kSideEffort times as many.
template <Game G>
std::vector<std::int8_t> prove_game(const G& start, std::span<const Action> moves, std::size_t first,
                                    int most_positions, std::span<SidePosition> sides) {
  std::vector<std::int8_t> values(moves.size(), kUnproven);
  if (most_positions == 0) return values;
  if (Remembers<G>) throw ConfigError("prove_nodes must be 0 in a game where earlier positions matter");
  std::vector<G> states;
  states.reserve(moves.size());
  G end = start;
  for (const Action a : moves) {
    states.push_back(end);
    end.apply(a);
  }
  // A larger table would hold hardly more that is asked for again, and take longer to come from memory than to prove.
  Prover<G> prover(start, Prover<G>::entries_for(most_positions));
  int known = -1;  // what the move that was played gives
  if (end.terminal()) known = -static_cast<int>(end.outcome());
  for (std::size_t ply = moves.size(); ply-- > first;) {
    values[ply] = prover.prove(states[ply], known, most_positions);
    if (values[ply] == kUnproven) break;
    known = -values[ply];
  }
  std::vector<SidePosition*> order;
  for (SidePosition& side : sides) order.push_back(&side);
  std::ranges::sort(order, {}, [](const SidePosition* side) {
    return std::pair(-(side->ply + static_cast<int>(side->moves.size())), side);  // among equals as they were drawn
  });
  constexpr int kMost = std::numeric_limits<int>::max();
  int left = static_cast<int>(std::min(std::int64_t{kSideEffort} * most_positions, std::int64_t{kMost}));
  for (SidePosition* side : order) {
    G state = states[static_cast<std::size_t>(side->ply)];
    for (const Action a : side->moves) state.apply(a);
    side->exact = prover.prove(state, -1, left);
    left = prover.left();
    if (left <= 0) break;
  }
  return values;
}

constexpr int kCutEffort = 8;

// The result for the first player where it takes an eighth of `most_positions` at most to prove: what comes then
// teaches less than another game's beginning. Connect4: from ply 14 or so on.
template <Game G>
std::int8_t cut_value(const G& state, int most_positions) {
  const std::int8_t value = Prover<G>(state, Prover<G>::entries_for(most_positions / kCutEffort))
                                .prove(state, -1, most_positions / kCutEffort);
  return value == kUnproven || state.to_move() == 0 ? value : static_cast<std::int8_t>(-value);
}

}  // namespace tengen
