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
#include "tengen/selfplay/any_selfplay.h"

namespace tengen {

// A game in which earlier positions matter (superko): there a table of positions proves nothing.
template <class G>
concept Remembers = requires { G::kRemembers; };

// A game that sees its wins may also offer `promising(Action* out)`: the moves after which the opponent cannot win at
// once, those first that should be tried first; none if every move loses. To be asked where no move wins at once.
// Proofs of Connect4 then reach three plies further back in the same time.
template <class G>
concept Guides = SeesWins<G> && requires(const G& position, Action* out) {
  { position.promising(out) } -> std::same_as<int>;
};

// A plain alpha-beta search with a table of positions. Values are −1, 0 or 1, so every window is a question: can the
// side to move get at least `goal`, 0 or 1? It can if some move leaves an opponent who cannot get 1 − goal. The table
// and the moves that answered before serve the next position as well, which is why a game is cheap from its end
// backwards. Connect4: some 10 million positions a second; with 300,000 of them half of the positions after 10 plies of
// good play are proven.
template <Game G>
class Prover {
 public:
  explicit Prover(const G& start)
      : table_(kEntries), actions_(static_cast<std::size_t>((start.max_plies() + 1) * start.num_actions())) {
    const Layout layout = start.layout();
    for (auto& tried : worked_) tried.assign(static_cast<std::size_t>(layout.rows * layout.cols + 1), 0);
  }

  // The value for the side to move, who is known to get at least `known`, or kUnproven when it takes more than
  // `most_positions` to find out. Not for a finished game.
  std::int8_t prove(const G& state, int known, int most_positions) {
    left_ = most_positions;
    if constexpr (Guides<G>)
      if (state.wins_at_once()) return 1;
    while (known < 1 && at_least(state, known + 1, actions_.data())) ++known;
    return left_ < 0 ? kUnproven : static_cast<std::int8_t>(known);
  }
  // What the last proof left of its positions; below 0 if it needed more.
  int left() const { return left_; }

 private:
  static constexpr std::size_t kEntries = 1 << 17;  // 2 MB: what a core's cache holds
  struct Entry {
    std::uint64_t key = 0;
    std::int8_t lo = -1, hi = 1;
    bool used = false;
  };

  // Meaningless once `left_` is below 0. Games that guide: only where no move wins at once.
  bool at_least(const G& state, int goal, Action* moves) {
    if (--left_ < 0) return false;
    // 1. Moves that end the game answer at once, or are out of the question; so is what loses at once.
    int open = 0;
    if constexpr (Guides<G>) {
      open = state.promising(moves);
      if (open > 0 && state.ply() + 2 >= state.max_plies()) return goal <= 0;  // nobody wins any more
    } else {
      const auto found = ends(state, moves);
      if (found.best >= goal) return true;
      open = found.open;
    }
    // 2. The table may know, of this position or of one after it.
    const std::uint64_t key = state.hash(0);
    Entry& entry = at(key);
    const bool known = entry.used && entry.key == key;
    if (known && entry.lo >= goal) return true;
    if (known && entry.hi < goal) return false;
    for (int i = 0; i < open; ++i) {
      const std::uint64_t after = child(state, moves[i]).hash(0);
      if (const Entry& other = at(after); other.used && other.key == after && other.hi < 1 - goal) return true;
    }
    // 3. Try every move, those first that answered most often elsewhere if the game has no better order.
    if constexpr (!Guides<G>)
      for (int i = 1; i < open; ++i)  // a stable sort that needs no memory
        for (int j = i; j > 0 && worked(state, moves[j]) > worked(state, moves[j - 1]); --j)
          std::swap(moves[j], moves[j - 1]);
    int found = -1;
    for (int i = 0; i < open && found < 0; ++i) {
      if (!at_least(child(state, moves[i]), 1 - goal, moves + state.num_actions())) found = i;
      if (left_ < 0) return false;
    }
    // 4. Remember. The entry may be another position's by now.
    if (!entry.used || entry.key != key) entry = {key, -1, 1, true};
    if (found < 0) {
      entry.hi = static_cast<std::int8_t>(std::min<int>(entry.hi, goal - 1));
      return false;
    }
    entry.lo = static_cast<std::int8_t>(std::max<int>(entry.lo, goal));
    if constexpr (!Guides<G>) {
      ++worked(state, moves[found]);
      for (int i = 0; i < found; ++i) --worked(state, moves[i]);
    }
    return true;
  }

  static G child(const G& state, Action a) {
    G next = state;
    next.apply(a);
    return next;
  }
  Entry& at(std::uint64_t key) { return table_[key % kEntries]; }
  // How often this move answered, less how often it did not.
  int& worked(const G& state, Action a) {
    return worked_[static_cast<std::size_t>(state.to_move())][static_cast<std::size_t>(state.landing_cell(a) + 1)];
  }

  int left_ = 0;
  std::vector<Entry> table_;
  std::vector<Action> actions_;  // num_actions for each ply
  std::vector<int> worked_[2];   // by side and cell
};

constexpr int kSideEffort = 8;

// The value of every position of a game for its side to move, from the last one backwards until one takes more than
// `most_positions` to prove; those before it, which are harder, are kUnproven. Then the positions beside the game,
// those with the most moves first, until all of them together took kSideEffort times as many.
template <Game G>
std::vector<std::int8_t> prove_game(const G& start, std::span<const Action> moves, int most_positions,
                                    std::span<SidePosition> sides) {
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
  Prover<G> prover(start);
  int known = -1;  // what the move that was played gives
  if (end.terminal()) known = -static_cast<int>(end.outcome());
  for (std::size_t ply = moves.size(); ply-- > 0;) {
    values[ply] = prover.prove(states[ply], known, most_positions);
    if (values[ply] == kUnproven) break;
    known = -values[ply];
  }
  std::vector<SidePosition*> order;
  for (SidePosition& side : sides) order.push_back(&side);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const SidePosition* side) { return side->ply + static_cast<int>(side->moves.size()); });
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
  const std::int8_t value = Prover<G>(state).prove(state, -1, most_positions / kCutEffort);
  return value == kUnproven || state.to_move() == 0 ? value : static_cast<std::int8_t>(-value);
}

}  // namespace tengen
