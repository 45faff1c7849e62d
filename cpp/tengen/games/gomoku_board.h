// What all positions of one Gomoku board size share: lines, symmetries, hash keys. Built once per size, never freed.
//
//   line 0: —    line 1: |    line 2: \    line 3: /        `ahead` runs right or down, `behind` left or up
//
//         behind          `reach` counts the cells between a stone and the edge, so that walks along a
//    · · · ● ● ○ · ·      line never wrap into the next row
//              ahead
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tengen/bits.h"
#include "tengen/symmetry.h"

namespace tengen {

struct GomokuBoard {
  static constexpr int kLines = 4, kSmallest = 6, kLargest = 19;

  int size, cells;
  std::array<int, kLines> step;
  SymmetryTable symmetry;
  std::vector<SymmetricHash> keys;  // [2 * cell + colour]

  static const GomokuBoard& of(int size) {
    static std::array<std::once_flag, kLargest + 1> built;
    static std::array<const GomokuBoard*, kLargest + 1> boards{};
    const auto i = static_cast<std::size_t>(size);
    std::call_once(built[i], [&] { boards[i] = new GomokuBoard(size); });
    return *boards[i];
  }

  int ahead(int cell, int line) const { return reach_[static_cast<std::size_t>(cell)].ahead[line]; }
  int behind(int cell, int line) const { return reach_[static_cast<std::size_t>(cell)].behind[line]; }

  // How many stones stand in an unbroken row through `cell`, itself included.
  template <int W>
  int run(const Bits<W>& stones, int cell, int line) const {
    const int by = step[static_cast<std::size_t>(line)];
    int forward = 0, backward = 0;
    while (forward < ahead(cell, line) && stones.test(cell + (forward + 1) * by)) ++forward;
    while (backward < behind(cell, line) && stones.test(cell - (backward + 1) * by)) ++backward;
    return 1 + forward + backward;
  }

 private:
  struct Reach {
    std::uint8_t ahead[kLines], behind[kLines];
  };
  std::vector<Reach> reach_;

  explicit GomokuBoard(int n)
      : size(n),
        cells(n * n),
        step{1, n, n + 1, n - 1},
        symmetry(n, n),
        keys(symmetric_keys(n, n, 0x60305eedULL + static_cast<std::uint64_t>(n))) {
    for (int cell = 0; cell < cells; ++cell) {
      const int left = cell % n, up = cell / n, right = n - 1 - left, down = n - 1 - up;
      const auto nearest = [](int a, int b) { return static_cast<std::uint8_t>(a < b ? a : b); };
      const auto alone = [](int a) { return static_cast<std::uint8_t>(a); };
      reach_.push_back({{alone(right), alone(down), nearest(right, down), nearest(left, down)},
                        {alone(left), alone(up), nearest(left, up), nearest(right, up)}});
    }
  }
};

}  // namespace tengen
