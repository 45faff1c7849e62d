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
#include "tengen/search/bounds.h"

namespace tengen {

// Stands where a position's value is not known.
constexpr std::int8_t kUnproven = 2;

// A game in which earlier positions matter (superko): there a table of positions proves nothing.
template <class G>
concept Remembers = requires { G::kRemembers; };

// A plain alpha-beta search with a table of positions. Values are −1, 0 or 1, so every window is a question: can the
// side to move get at least `goal`? It can if some move leaves an opponent who cannot get 1 − goal. The table and the
// moves that answered before serve the next position as well, which is why a game is cheap from its end backwards.
// Connect4: some 12 million positions a second; with 50,000 of them three quarters of the positions after 18 random
// plies are proven.
template <Game G>
class Prover {
 public:
  Prover(const G& start, int most_positions)
      : budget_(most_positions),
        table_(kEntries),
        actions_(static_cast<std::size_t>((start.max_plies() + 1) * start.num_actions())) {
    const Layout layout = start.layout();
    for (auto& tried : worked_) tried.assign(static_cast<std::size_t>(layout.rows * layout.cols + 1), 0);
  }

  // The value for the side to move, or kUnproven when that takes too many positions. Not for a finished game.
  std::int8_t prove(const G& state) {
    left_ = budget_;
    const bool wins = at_least(state, 1, actions_.data());
    const bool holds = wins || (left_ >= 0 && at_least(state, 0, actions_.data()));
    return left_ < 0 ? kUnproven : static_cast<std::int8_t>(wins ? 1 : holds ? 0 : -1);
  }

 private:
  static constexpr std::size_t kEntries = 1 << 14;
  struct Entry {
    std::uint64_t key = 0;
    std::int8_t lo = -1, hi = 1;
    Action best = 0;
    bool used = false;
  };

  // Meaningless once `left_` is below 0.
  bool at_least(const G& state, int goal, Action* moves) {
    if (--left_ < 0) return false;
    // 1. Moves that end the game answer at once, or are out of the question.
    const auto [end, open] = ends(state, moves);
    if (end >= goal) return true;
    // 2. The table may know.
    const std::uint64_t key = state.hash(0);
    Entry& entry = table_[key % kEntries];
    const bool known = entry.used && entry.key == key;
    if (known && entry.lo >= goal) return true;
    if (known && entry.hi < goal) return false;
    // 3. Try the move that was best before, then those that answered most often elsewhere.
    auto& worked = worked_[static_cast<std::size_t>(state.to_move())];
    const auto place = [&](Action a) { return static_cast<std::size_t>(state.landing_cell(a) + 1); };
    const auto promise = [&](Action a) {
      return known && a == entry.best ? std::numeric_limits<int>::max() : worked[place(a)];
    };
    for (int i = 1; i < open; ++i)  // a stable sort that needs no memory
      for (int j = i; j > 0 && promise(moves[j]) > promise(moves[j - 1]); --j) std::swap(moves[j], moves[j - 1]);
    int found = -1;
    for (int i = 0; i < open && found < 0; ++i) {
      G next = state;
      next.apply(moves[i]);
      if (!at_least(next, 1 - goal, moves + state.num_actions())) found = i;
      if (left_ < 0) return false;
    }
    // 4. Remember. The entry may be another position's by now.
    if (!entry.used || entry.key != key) entry = {key, -1, 1, open > 0 ? moves[0] : Action{0}, true};
    if (found < 0) {
      entry.hi = static_cast<std::int8_t>(std::min<int>(entry.hi, goal - 1));
      return false;
    }
    entry.lo = static_cast<std::int8_t>(std::max<int>(entry.lo, goal));
    entry.best = moves[found];
    ++worked[place(moves[found])];
    for (int i = 0; i < found; ++i) --worked[place(moves[i])];
    return true;
  }

  int budget_, left_ = 0;
  std::vector<Entry> table_;
  std::vector<Action> actions_;  // num_actions for each ply
  std::vector<int> worked_[2];   // by side and cell: how often a move there answered, less how often it did not
};

// The value of every position of a game for its side to move, from the last one backwards until one takes more than
// `most_positions` to prove; those before it, which are harder, are kUnproven.
template <Game G>
std::vector<std::int8_t> prove_backwards(const G& start, std::span<const Action> moves, int most_positions) {
  std::vector<std::int8_t> values(moves.size(), kUnproven);
  if (most_positions == 0) return values;
  if (Remembers<G>) throw ConfigError("prove_nodes must be 0 in a game where earlier positions matter");
  std::vector<G> states;
  states.reserve(moves.size());
  for (G state = start; const Action a : moves) {
    states.push_back(state);
    state.apply(a);
  }
  Prover<G> prover(start, most_positions);
  for (std::size_t ply = moves.size(); ply-- > 0;) {
    values[ply] = prover.prove(states[ply]);
    if (values[ply] == kUnproven) break;
  }
  return values;
}

}  // namespace tengen
