// What a position is worth by the rules alone, found out by exhaustive search within limits: no network, no chance.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "tengen/proof/lookahead.h"

namespace tengen {

// A plain alpha-beta search with a table of positions. Values are −1, 0 or 1, so every window is a question: can the
// side to move get at least `goal`, 0 or 1? It can if some move leaves an opponent who cannot get 1 − goal. The table
// and the moves that answered before serve the next position as well, which is why a game is cheap from its end
// backwards. Connect4: some 10 million positions a second; with 300,000 of them half of the positions after 10 plies of
// good play are proven.
template <Game G>
class Prover {
 public:
  // A table for proofs of so many positions, with room to spare; at most 2 MB, what a core's cache holds.
  static std::size_t entries_for(std::int64_t most_positions) {
    const auto wanted = std::clamp(2 * most_positions, std::int64_t{1} << 8, std::int64_t{1} << 18);
    return std::bit_ceil(static_cast<std::size_t>(wanted));
  }

  Prover(const G& start, std::size_t entries)
      : table_(entries), actions_(static_cast<std::size_t>((start.max_plies() + 1) * start.num_actions())) {
    const Layout layout = start.layout();
    for (auto& tried : worked_) tried.assign(static_cast<std::size_t>(layout.rows * layout.cols + 1), 0);
  }

  // The value for the side to move, who gets at least `least`; unknown when it takes more than `most_positions` to find
  // out, or once `stop` is overdue. Not for a finished game. Can the mover win, and can it draw: a yes to the first
  // question, or a no to the second, answers both, so `win_expected` says where to begin.
  Bounds prove(const G& state, int least, int most_positions, bool win_expected = false, const Stop* stop = nullptr) {
    left_ = 0;
    rest_ = most_positions;
    stop_ = stop;
    if constexpr (Guides<G>)
      if (state.wins_at_once()) return {1, 1};
    if (win_expected && at_least(state, 1, actions_.data())) return {1, 1};
    const int most = win_expected ? 0 : 1;
    while (least < most && at_least(state, least + 1, actions_.data())) ++least;
    return left_ < 0 ? Bounds{} : Bounds{least, least};
  }
  // As if nothing had been proven yet: what is proven next depends on the position alone.
  void forget() {
    std::ranges::fill(table_, Entry{});
    for (auto& tried : worked_) std::ranges::fill(tried, 0);
  }

 private:
  // What is known of a position, in one word. Its key says where it lies, and so its lowest bits make room for the
  // bounds:
  //
  //   63 … 4 the key's | 3 2: lo + 2 | 1 0: hi + 1       0 where nothing is kept, which no position has
  class Entry {
   public:
    Entry() = default;
    Entry(std::uint64_t key, int lo, int hi)
        : word_((key & ~kBounds) | static_cast<std::uint64_t>(4 * (lo + 2) + hi + 1)) {}
    bool of(std::uint64_t key) const { return ((word_ ^ key) & ~kBounds) == 0 && word_ != 0; }
    int lo() const { return static_cast<int>(word_ >> 2 & 3) - 2; }
    int hi() const { return static_cast<int>(word_ & 3) - 1; }

   private:
    static constexpr std::uint64_t kBounds = 15;
    std::uint64_t word_ = 0;
  };

  // Meaningless once `left_` is below 0. Games that guide: only where no move wins at once.
  // Flattened: with a call for every list of promising moves, a proof takes some 4 % longer.
  [[gnu::flatten]] bool at_least(const G& state, int goal, Action* moves) {
    if (--left_ < 0 && !next_portion()) return false;
    // 1. The table may know.
    const std::uint64_t key = state.hash(0);
    Entry& entry = at(key);
    if (entry.of(key) && entry.lo() >= goal) return true;
    if (entry.of(key) && entry.hi() < goal) return false;
    // 2. Moves that end the game answer at once, or are out of the question; so is what loses at once. The table may
    // know a position after one of the others.
    int open = 0;
    if constexpr (Guides<G>) {
      open = state.promising(moves);
      if (open > 0 && state.ply() + 2 >= state.max_plies()) return goal <= 0;  // nobody wins any more
    } else {
      const auto found = ends(state, moves);
      if (found.best >= goal) return true;
      open = found.open;
    }
    if (open == 0) return false;
    for (int i = 0; i < open; ++i) {
      const std::uint64_t after = child(state, moves[i]).hash(0);
      if (const Entry& other = at(after); other.of(after) && other.hi() < 1 - goal) return true;
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
    const int lo = entry.of(key) ? entry.lo() : -1, hi = entry.of(key) ? entry.hi() : 1;
    entry = found < 0 ? Entry(key, lo, std::min(hi, goal - 1)) : Entry(key, std::max(lo, goal), hi);
    if (found < 0) return false;
    if constexpr (!Guides<G>) {
      ++worked(state, moves[found]);
      for (int i = 0; i < found; ++i) --worked(state, moves[i]);
    }
    return true;
  }

  // Positions are counted in portions, and the stop is looked at between two: so it costs a proof nothing.
  bool next_portion() {
    if (rest_ <= 0 || (stop_ && stop_->overdue())) {
      rest_ = 0;
      return false;
    }
    const int portion = std::min(rest_, kPortion);
    rest_ -= portion;
    left_ = portion - 1;
    return true;
  }

  static G child(const G& state, Action a) {
    G next = state;
    next.apply(a);
    return next;
  }
  Entry& at(std::uint64_t key) { return table_[key & (table_.size() - 1)]; }
  // How often this move answered, less how often it did not.
  int& worked(const G& state, Action a) {
    return worked_[static_cast<std::size_t>(state.to_move())][static_cast<std::size_t>(state.landing_cell(a) + 1)];
  }

  static constexpr int kPortion = 1024;
  int left_ = 0, rest_ = 0;  // positions: of this portion, and after it
  const Stop* stop_ = nullptr;
  std::vector<Entry> table_;
  std::vector<Action> actions_;  // num_actions for each ply
  std::vector<int> worked_[2];   // by side and cell
};

}  // namespace tengen
