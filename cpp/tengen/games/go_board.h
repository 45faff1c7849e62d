// The stones of a Go board: chains, captures and liberties, without turns or history.
//
//   points of a 3×3 board        #  #  #  #      0  1  2  3     Each row has one border point on its left; the right
//   where N = 3                  #  a  b  c      4  5  6  7     neighbour of its last point is the border of the next
//                                #  d  e  f      8  9 10 11     row. So the four neighbours of a point are ±1 and
//                                #  g  h  i     12 13 14 15     ±(N+1), never off the array, and no edge is a special
//                                #  #  #  #     16 17 18 19     case. A board smaller than N just has more border.
//
//   a chain, here b-e-d          head_: b e d → e               A stone's chain is named by one of its stones. Its
//                                next_: b → e → d → b           stones form a circle of links, so that two chains
//                                                               are joined by swapping two links.
//
// Liberties are counted per chain as *pseudo-liberties*: pairs of a stone and an empty point beside it. They change by
// one per neighbour when a stone comes or goes (true liberties would need a search), and still answer everything the
// rules ask: a chain is captured when they reach 0, and the empty point p is its last liberty exactly when all of its
// pseudo-liberties are at p, which is at most four comparisons. Border and empty points have head 0: counting for that
// chain, which nobody reads, saves a branch in the loops.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>

#include "tengen/base/bits.h"
#include "tengen/base/symmetry.h"

namespace tengen {

template <int N>
class GoBoard {
 public:
  static constexpr int kStride = N + 1, kPoints = kStride * (N + 2);
  static constexpr std::array<int, 4> kNeighbours{-kStride, -1, 1, kStride};
  // Holds a point, and a number of pseudo-liberties: no more than the 2N(N−1) edges of the grid.
  using Point = std::conditional_t<(kPoints <= 256 && 2 * N * (N - 1) < 256), std::uint8_t, std::uint16_t>;
  using Points = Bits<(kPoints + 63) / 64>;
  enum Colour : std::uint8_t { kBlack, kWhite, kEmpty, kBorder };
  struct Area {
    int black, white;
  };

  // What all boards of one size share.
  struct Tables {
    explicit Tables(int board_size) : size(board_size) {
      const auto cell_keys = symmetric_keys(size, size, kSalt);
      for (int cell = 0; cell < size * size; ++cell) {
        const int p = (cell / size + 1) * kStride + cell % size + 1;
        point[cell] = static_cast<Point>(p);
        this->cell[p] = static_cast<std::uint16_t>(cell);
        for (int colour = 0; colour < 2; ++colour) keys[2 * p + colour] = cell_keys[2 * cell + colour];
      }
    }
    int size;
    std::array<Point, N * N> point{};               // of a cell
    std::array<std::uint16_t, kPoints> cell{};      // of a point
    std::array<SymmetricHash, 2 * kPoints> keys{};  // [2 * point + colour]
  };
  static const Tables& tables(int size) {
    static std::array<std::once_flag, N + 1> once;
    static std::array<std::unique_ptr<const Tables>, N + 1> all;
    std::call_once(once[size], [size] { all[size] = std::make_unique<const Tables>(size); });
    return *all[size];
  }

  explicit GoBoard(int size) : tables_(&tables(size)) {
    colour_.fill(kBorder);
    for (int cell = 0; cell < size * size; ++cell) {
      colour_[tables_->point[cell]] = kEmpty;
      add_empty(tables_->point[cell]);
    }
  }

  const Tables& shared() const { return *tables_; }
  int colour(int p) const { return colour_[p]; }
  int chain(int stone) const { return head_[stone]; }
  int num_empty() const { return num_empty_; }
  int empty(int i) const { return empty_[i]; }  // the empty points, in no particular order
  // Which colours stand beside the point: 1 Black, 2 White, 3 both.
  int touched(int p) const {
    int colours = 0;
    for (const int step : kNeighbours)
      if (const int colour = colour_[p + step]; colour < kEmpty) colours |= 1 << colour;
    return colours;
  }
  const SymmetricHash& hash() const { return hash_; }
  // The points where a stone of this colour has been captured at some time.
  const Points& captured(int colour) const { return captured_[colour]; }
  void mark_captured(int p, int colour) { captured_[colour].set(p); }

  // Would a stone of `colour` on the empty point p have a liberty, after captures?
  bool can_place(int p, int colour) const {
    if (empty_neighbours(p)) return true;
    // An own chain with another liberty, or one of the opponent's without. No branches: they would be mispredicted.
    bool placeable = false;
    for (const int step : kNeighbours) {
      const int q = p + step;
      placeable |= (colour_[q] != kBorder) & ((colour_[q] == colour) != is_last_liberty(p, head_[q]));
    }
    return placeable;
  }

  // hash()[0] as it would be after play(p, colour).
  std::uint64_t hash_after(int p, int colour) const {
    std::uint64_t result = hash_[0] ^ key(p, colour)[0];
    std::array<int, 4> taken;
    int chains = 0;
    for (const int step : kNeighbours) {
      const int q = p + step, chain = head_[q];
      if (colour_[q] != (colour ^ 1) || !is_last_liberty(p, chain)) continue;
      bool again = false;
      for (int i = 0; i < chains; ++i) again |= taken[i] == chain;
      if (again) continue;
      taken[chains++] = chain;
      for_each_stone(chain, [&](int stone) { result ^= key(stone, colour ^ 1)[0]; });
    }
    return result;
  }

  void play(int p, int colour) {
    put(p, colour);
    bool captures = false;  // one well-predicted branch instead of four bad ones
    for (const int step : kNeighbours) captures |= (colour_[p + step] == (colour ^ 1)) & !has_liberty(p + step);
    if (!captures) return;
    for (const int step : kNeighbours)
      if (const int q = p + step; colour_[q] == (colour ^ 1) && !has_liberty(q)) capture(q);
  }

  // A stone on the empty point p, joined with its neighbours; captures nothing.
  void put(int p, int colour) {
    colour_[p] = static_cast<Colour>(colour);
    remove_empty(p);
    hash_.toggle(key(p, colour));
    head_[p] = next_[p] = static_cast<Point>(p);
    stones_[p] = 1;
    pseudo_[p] = static_cast<Point>(empty_neighbours(p));
    for (const int step : kNeighbours) --pseudo_[head_[p + step]];
    for (const int step : kNeighbours)
      if (colour_[p + step] == colour && head_[p + step] != head_[p]) join(head_[p + step], head_[p]);
  }

  bool has_liberty(int stone) const { return pseudo_[head_[stone]] != 0; }

  // Calls f(first stone of a chain, its true liberties) for every chain; O(stones), for what the network sees.
  template <class F>
  void for_each_chain(F&& f) const {
    for (int cell = 0; cell < tables_->size * tables_->size; ++cell) {
      const int p = tables_->point[cell];
      if (colour_[p] == kEmpty || head_[p] != p) continue;
      Points liberties;
      for_each_stone(p, [&](int stone) {
        for (const int step : kNeighbours)
          if (colour_[stone + step] == kEmpty) liberties.set(stone + step);
      });
      f(p, liberties.count());
    }
  }
  template <class F>
  void for_each_stone(int chain, F&& f) const {
    int stone = chain;
    do f(stone);
    while ((stone = next_[stone]) != chain);
  }

  // Stones, and empty regions that touch stones of one colour only.
  Area area() const {
    std::array<int, 2> points{};
    Points seen;
    for (int cell = 0; cell < tables_->size * tables_->size; ++cell) {
      const int p = tables_->point[cell];
      if (colour_[p] != kEmpty) {
        ++points[colour_[p]];
      } else if (!seen.test(p)) {
        const auto [region, touches] = flood(p, seen);
        if (touches == 1) points[kBlack] += region;
        if (touches == 2) points[kWhite] += region;
      }
    }
    return {points[kBlack], points[kWhite]};
  }
  // For whom each point counts in area(): a colour, or kEmpty.
  std::array<Colour, kPoints> owners() const {
    auto out = colour_;
    Points seen;
    for (int cell = 0; cell < tables_->size * tables_->size; ++cell) {
      const int p = tables_->point[cell];
      if (colour_[p] != kEmpty || seen.test(p)) continue;
      Points region;
      const int touches = flood(p, region).second;
      if (touches == 1 || touches == 2) region.for_each([&](int q) { out[q] = touches == 1 ? kBlack : kWhite; });
      seen |= region;
    }
    return out;
  }

 private:
  static constexpr std::uint64_t kSalt = 0x676f;  // "go"

  const SymmetricHash& key(int p, int colour) const { return tables_->keys[2 * p + colour]; }

  int empty_neighbours(int p) const {
    int n = 0;
    for (const int step : kNeighbours) n += colour_[p + step] == kEmpty;
    return n;
  }

  bool is_last_liberty(int p, int chain) const {
    int here = 0;
    for (const int step : kNeighbours) here += head_[p + step] == chain;
    return pseudo_[chain] == here;
  }

  void join(int a, int b) {
    if (stones_[a] < stones_[b]) std::swap(a, b);
    for_each_stone(b, [&](int stone) { head_[stone] = static_cast<Point>(a); });
    std::swap(next_[a], next_[b]);
    stones_[a] = static_cast<Point>(stones_[a] + stones_[b]);
    pseudo_[a] = static_cast<Point>(pseudo_[a] + pseudo_[b]);
  }

  void capture(int chain) {
    const int colour = colour_[chain];
    int stone = chain;
    do {
      colour_[stone] = kEmpty;
      head_[stone] = 0;
      captured_[colour].set(stone);
      add_empty(stone);
      hash_.toggle(key(stone, colour));
      for (const int step : kNeighbours) ++pseudo_[head_[stone + step]];
    } while ((stone = next_[stone]) != chain);
  }

  // The size of the empty region around p, and which colours it touches: 1 Black, 2 White, 3 both.
  std::pair<int, int> flood(int p, Points& seen) const {
    std::array<Point, N * N> stack;
    int size = 0, todo = 0, touches = 0;
    const auto visit = [&](int q) {
      seen.set(q);
      stack[todo++] = static_cast<Point>(q);
      ++size;
    };
    visit(p);
    while (todo) {
      const int at = stack[--todo];
      for (const int step : kNeighbours) {
        const int q = at + step, colour = colour_[q];
        if (colour < kEmpty) touches |= 1 << colour;
        if (colour == kEmpty && !seen.test(q)) visit(q);
      }
    }
    return {size, touches};
  }

  void add_empty(int p) {
    slot_[p] = static_cast<Point>(num_empty_);
    empty_[num_empty_++] = static_cast<Point>(p);
  }
  void remove_empty(int p) {
    const Point last = empty_[--num_empty_];
    empty_[slot_[p]] = last;
    slot_[last] = slot_[p];
  }

  const Tables* tables_;
  SymmetricHash hash_;
  int num_empty_ = 0;
  std::array<Points, 2> captured_{};
  std::array<Colour, kPoints> colour_;
  std::array<Point, kPoints> head_{};    // of a stone: its chain; else 0
  std::array<Point, kPoints> next_{};    // of a stone
  std::array<Point, kPoints> stones_{};  // of a chain
  std::array<Point, kPoints> pseudo_{};  // of a chain
  std::array<Point, kPoints> slot_{};    // of an empty point: its place in empty_
  std::array<Point, N * N> empty_{};
};

}  // namespace tengen
