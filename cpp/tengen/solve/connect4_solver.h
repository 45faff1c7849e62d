// Exact Connect4 results: alpha-beta with null windows on bitboards.
//
// The score of a position is 22 − the number of stones the winner has played at the end under perfect play, negative
// when the side to move loses, 0 for a draw; so sooner wins score higher. Techniques, all of them common knowledge:
// moves that lose at once are never tried; moves that make more threats come first; bounds are kept in a hash table by
// position, mirror images together; the score is found by bisection of its range. How the parts cost is said in the
// .cpp, beside them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tengen/games/connect4.h"
#include "tengen/solve/connect4_book.h"

namespace tengen {

enum class SolveMode {
  strong,  // the score
  weak,    // its sign only: 1 win, 0 draw, −1 loss; about twice as fast
};

// Bounds on scores. Entries are single words, so threads share a table without locks: a race loses an entry at worst.
//
//   bits 63 … 12  the position's key (49 bits, so never mistaken for another)
//   bits 11 … 6   lower bound + 32
//   bits  5 … 0   upper bound + 32
class Connect4Bounds {
 public:
  struct Range {
    int low, high;
  };

  explicit Connect4Bounds(int log2_entries);
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&entries_[index(key)]); }
  // Narrows `range` to what is known of the position.
  void read(std::uint64_t key, Range& range) const {
    const auto entry = entries_[index(key)].load(std::memory_order_relaxed);
    if (entry >> 12 == key) range = {static_cast<int>(entry >> 6 & 63) - 32, static_cast<int>(entry & 63) - 32};
  }
  void write(std::uint64_t key, Range range) {
    const auto bits = static_cast<std::uint64_t>(range.low + 32) << 6 | static_cast<std::uint64_t>(range.high + 32);
    entries_[index(key)].store(key << 12 | bits, std::memory_order_relaxed);
  }

 private:
  struct Free {
    void operator()(std::atomic<std::uint64_t>* p) const;
  };
  std::size_t index(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15ULL >> shift_; }

  int shift_;
  std::unique_ptr<std::atomic<std::uint64_t>[], Free> entries_;
};

// One solver serves any number of threads. What it has learnt stays valid for every later position.
class Connect4Solver {
 public:
  static constexpr std::int8_t kFullColumn = -128;
  using Columns = std::array<std::int8_t, Connect4::kCols>;  // the score after each move, for the side that moves

  // The shared table takes 8 << log2_entries bytes. Without a book, positions with few stones take minutes.
  explicit Connect4Solver(std::shared_ptr<const Connect4Book> book = nullptr, int log2_entries = 23);
  ~Connect4Solver();

  // Both throw Error when the game is over.
  int score(const Connect4& position, SolveMode mode = SolveMode::strong);
  Columns columns(const Connect4& position, SolveMode mode = SolveMode::strong);

 private:
  class Search;
  class Borrowed;

  std::shared_ptr<const Connect4Book> book_;
  Connect4Bounds shared_;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<Search>> idle_;
};

}  // namespace tengen
