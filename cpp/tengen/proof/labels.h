// What the positions of a finished game were worth, proven from its end backwards by the rules alone: no network, no
// chance. A search that learns has to find out the same over many generations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tengen/base/config_table.h"
#include "tengen/proof/prover.h"

namespace tengen {

// Stands where a position's value is not known, here and in records.
constexpr std::int8_t kUnsolved = 2;

// The value of every position of a game for its side to move, from the last one backwards to ply `first`, or until one
// takes more than `most_positions` to prove; those before it, which are harder, are kUnsolved.
template <Game G>
std::vector<std::int8_t> prove_game(const G& start, std::span<const Action> moves, std::size_t first,
                                    int most_positions) {
  std::vector<std::int8_t> values(moves.size(), kUnsolved);
  if (most_positions == 0) return values;
  if (remembers(start)) throw ConfigError("label_nodes must be 0 in a game where earlier positions matter");
  std::vector<G> states;
  states.reserve(moves.size());
  G end = start;
  for (const Action a : moves) {
    states.push_back(end);
    end.apply(a);
  }
  // A larger table would hold hardly more that is asked for again, and take longer to come from memory than to prove.
  Prover<G> prover(start, Prover<G>::entries_for(most_positions));
  int least = -1;  // what the move that was played gives
  if (end.terminal()) least = -static_cast<int>(end.outcome());
  for (std::size_t ply = moves.size(); ply-- > first;) {
    const Bounds found = prover.prove(states[ply], least, most_positions);
    if (!found.solved()) break;
    values[ply] = static_cast<std::int8_t>(found.lo);
    least = -found.lo;
  }
  return values;
}

}  // namespace tengen
