#include "tengen/solve/connect4_solver.h"

#include <algorithm>
#include <bit>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tengen {
namespace {

using Board = std::uint64_t;
using Range = Connect4Bounds::Range;

constexpr int kCells = Connect4::kCells;
constexpr Board kBottomRow = Connect4::kBottomRow, kFull = Connect4::kFull;
constexpr Board kOddRows = kBottomRow | kBottomRow << 2 | kBottomRow << 4;  // counted from 1
constexpr Board kEvenRows = kOddRows << 1;

// The shared table is far larger than the caches, and a miss in it costs more than a node. So positions with many
// stones, which are by far the most and the cheapest, go to a table per thread that stays in its core's cache; and
// the shared table is asked about all children of a node together, so that the misses overlap. Measured: three times
// the speed of one table for all.
constexpr int kFirstLocalPly = 28;
constexpr int kLocalBits = 15;

bool single(Board b) { return (b & (b - 1)) == 0; }

Board canonical_key(Board own, Board all) {
  const Board key = Connect4::key(own, all);
  return std::min(key, Connect4::mirrored(key));
}

// The score of winning with the next stone, and of losing to the stone after it.
constexpr int win_now(int ply) { return (kCells + 1 - ply) / 2; }
constexpr int lose_next(int ply) { return -((kCells - ply) / 2); }

// The second player can answer every move in the same column when all free heights are even; the first then never gets
// a cell of an even row. If that leaves the first without a four, the second has at least a draw.
bool second_holds(Board first, Board all) { return !Connect4::has_four(first | (kOddRows & ~all)); }

constexpr std::size_t kHugePage = std::size_t{1} << 21;

}  // namespace

Connect4Bounds::Connect4Bounds(int log2_entries) : shift_(64 - log2_entries) {
  const auto count = std::size_t{1} << log2_entries;
  void* memory = ::operator new(count * sizeof(std::uint64_t), std::align_val_t{kHugePage});
#ifdef __linux__
  // With small pages nearly every probe of a large table would miss the address cache too.
  if (count * sizeof(std::uint64_t) >= kHugePage) madvise(memory, count * sizeof(std::uint64_t), MADV_HUGEPAGE);
#endif
  entries_.reset(static_cast<std::atomic<std::uint64_t>*>(memory));
  std::uninitialized_value_construct_n(entries_.get(), count);
}

void Connect4Bounds::Free::operator()(std::atomic<std::uint64_t>* p) const {
  ::operator delete(p, std::align_val_t{kHugePage});
}

class Connect4Solver::Search {
 public:
  Search(Connect4Bounds& shared, const Connect4Book* book) : shared_(shared), local_(kLocalBits), book_(book) {}

  int solve(Board own, Board all, SolveMode mode) {
    const int ply = std::popcount(all);
    if (Connect4::threats(own, all) & Connect4::landing_cells(all)) return mode == SolveMode::weak ? 1 : win_now(ply);
    const Board danger = Connect4::threats(own ^ all, all);
    int low = lose_next(ply), high = win_now(ply);
    if (mode == SolveMode::weak) low = -1, high = 1;
    while (low < high) {
      // Bisection, but towards 0 first: windows there decide the result, and late wins are the costly ones.
      int middle = low + (high - low) / 2;
      if (middle <= 0 && low / 2 < middle)
        middle = low / 2;
      else if (middle >= 0 && high / 2 > middle)
        middle = high / 2;
      const int bound = search(own, all, ply, middle, danger);
      (bound > middle ? low : high) = bound;
    }
    return mode == SolveMode::weak ? std::clamp(low, -1, 1) : low;
  }

 private:
  Connect4Bounds& table(int ply) { return ply < kFirstLocalPly ? shared_ : local_; }

  // Is the score above `alpha`? Above: the result is a lower bound of the score, itself above alpha. Otherwise it is
  // an upper bound. The side to move must not be able to win at once; `danger` are the opponent's threats.
  int search(Board own, Board all, int ply, int alpha, Board danger) {
    const Board moves = Connect4::not_losing(all, danger);
    if (!moves) return lose_next(ply);
    if (ply >= kCells - 2) return 0;

    // Neither side wins within two plies.
    Range range{lose_next(ply + 2), win_now(ply + 2)};
    if (range.low > alpha) return range.low;
    if (range.high <= alpha) return range.high;

    const Board even = Connect4::landing_cells(all) & kEvenRows;
    if (ply % 2 == 0 ? alpha >= 0 && !even && second_holds(own, all)
                     : alpha < 0 && single(even) && second_holds(own ^ all, all))
      return 0;
    if (book_ && ply == Connect4Book::kPlies)
      if (const auto score = book_->find(own, all)) return *score;

    const Board key = canonical_key(own, all);
    table(ply).read(key, range);
    if (range.low > alpha) return range.low;
    if (range.high <= alpha) return range.high;
    const int best = best_move(own, all, ply, alpha, danger, moves);
    (best > alpha ? range.low : range.high) = best;
    table(ply).write(key, range);
    return best;
  }

  int best_move(Board own, Board all, int ply, int alpha, Board danger, Board moves) {
    std::array<Connect4::Candidate, Connect4::kCols> ordered;
    const auto count = Connect4::by_threats(own, all, danger, moves, ordered);
    const Board opponent = own ^ all;
    if (ply + 1 < kFirstLocalPly) {
      std::array<Board, Connect4::kCols> keys;
      for (std::size_t i = 0; i < count; ++i)
        shared_.prefetch(keys[i] = canonical_key(opponent, all | ordered[i].cell));
      for (std::size_t i = 0; i < count; ++i) {
        Range known{-32, 31};
        shared_.read(keys[i], known);
        if (-known.high > alpha) return -known.high;
      }
    }
    int best = lose_next(ply);
    for (std::size_t i = 0; i < count; ++i) {
      best = std::max(best, -search(opponent, all | ordered[i].cell, ply + 1, -alpha - 1, ordered[i].threats));
      if (best > alpha) break;
    }
    return best;
  }

  Connect4Bounds& shared_;
  Connect4Bounds local_;
  const Connect4Book* book_;
};

// A thread's search object, kept for the next caller: a fresh local table would cost more than an easy position.
class Connect4Solver::Borrowed {
 public:
  explicit Borrowed(Connect4Solver& solver) : solver_(solver) {
    const std::lock_guard lock(solver.idle_mutex_);
    if (!solver.idle_.empty()) {
      search_ = std::move(solver.idle_.back());
      solver.idle_.pop_back();
    } else {
      search_ = std::make_unique<Search>(solver.shared_, solver.book_.get());
    }
  }
  ~Borrowed() {
    const std::lock_guard lock(solver_.idle_mutex_);
    solver_.idle_.push_back(std::move(search_));
  }
  Search* operator->() { return search_.get(); }

 private:
  Connect4Solver& solver_;
  std::unique_ptr<Search> search_;
};

Connect4Solver::Connect4Solver(std::shared_ptr<const Connect4Book> book, int log2_entries)
    : book_(std::move(book)), shared_(log2_entries) {}
Connect4Solver::~Connect4Solver() = default;

namespace {

void require_unfinished(const Connect4& position) {
  if (position.terminal())
    throw Error("the game is over after " + std::to_string(position.ply()) + " plies; there is nothing to solve");
}

}  // namespace

int Connect4Solver::score(const Connect4& position, SolveMode mode) {
  require_unfinished(position);
  return Borrowed(*this)->solve(position.own(), position.all(), mode);
}

Connect4Solver::Columns Connect4Solver::columns(const Connect4& position, SolveMode mode) {
  require_unfinished(position);
  Borrowed search(*this);
  Columns out;
  for (int col = 0; col < Connect4::kCols; ++col) {
    const Board own = position.own(), all = position.all();
    const Board cell = Connect4::landing_cells(all) & Connect4::column(col);
    const int ply = position.ply();
    int score = kFullColumn;
    if (cell & Connect4::threats(own, all))
      score = mode == SolveMode::weak ? 1 : win_now(ply);
    else if (cell)
      score = ply + 1 == kCells ? 0 : -search->solve(own ^ all, all | cell, mode);
    out[static_cast<std::size_t>(col)] = static_cast<std::int8_t>(score);
  }
  return out;
}

}  // namespace tengen
