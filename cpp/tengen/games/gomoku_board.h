// What all positions of one Gomoku board size share: lines, symmetries, hash keys. Built once per size, never freed.
//
//   line 0: —    line 1: |    line 2: \    line 3: /
//
// A window is a stretch of a line around a cell as bits of an integer, R cells on each side:
//
//   bit 0 … R − 1      before the cell (left of it, or above)      cells off the board are 0
//   bit R              the cell itself
//   bit R + 1 … 2R     after it
//
// Windows are gathered without branches: on a board with many stones a walk from cell to cell is mispredicted so often
// that it takes longer. Three in a row are found in the 5 × 5 cells around a stone, read row by row:
//
//    0  1  2  3  4
//    5  6  7  8  9        bit 12 is the stone; a line steps by 1, 5, 6 or 4 bits
//   10 11 12 13 14
//   15 16 17 18 19
//   20 21 22 23 24
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tengen/base/bits.h"
#include "tengen/base/symmetry.h"

namespace tengen {

struct GomokuBoard {
  static constexpr int kLines = 4, kLargest = 20;
  static constexpr int kWords = 8;   // of a set of cells of the largest board
  static constexpr int kWidest = 6;  // six in a row and no more: the longest look any rule takes

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

  // The cells where a row of so many cells in a line can begin.
  template <int W>
  Bits<W> starts(int length, int line) const {
    const auto& all = starts_[static_cast<std::size_t>(length)][static_cast<std::size_t>(line)];
    Bits<W> out;
    std::copy_n(all.word.begin(), W, out.word.begin());
    return out;
  }

  // The cells of the window that exist.
  template <int R>
  unsigned on_board(int cell, int line) const {
    constexpr unsigned kAll = (2u << 2 * R) - 1;
    return on_board_[static_cast<std::size_t>(cell)][static_cast<std::size_t>(line)] >> (kWidest - R) & kAll;
  }

  template <int R, int W>
  unsigned window(const Bits<W>& stones, int cell, int line) const {
    static_assert(std::has_single_bit(static_cast<unsigned>(W)));  // cells off the board are read somewhere in the set
    const int by = step[static_cast<std::size_t>(line)];
    unsigned out = 0;
    for (int i = 0; i <= 2 * R; ++i) {
      const unsigned bit = stones.test((cell + (i - R) * by) & (64 * W - 1));
      out |= bit << i;
    }
    return out & on_board<R>(cell, line);
  }

  // The lines, as a set of bits, in which three or more stand in a row through the stone on `cell`. Near an edge a line
  // may be named wrongly (the cells beyond are read from elsewhere), but none is left out: a filter before `window`.
  template <int W>
  unsigned lines_with_three(const Bits<W>& stones, int cell) const {
    unsigned near = 0;
    for (int row = 0; row < 5; ++row) near |= five_bits(stones, cell + (row - 2) * size - 2) << 5 * row;
    unsigned lines = 0;
    for (int line = 0; line < kLines; ++line) {
      constexpr std::array<int, kLines> kStep{1, 5, 6, 4};
      const int by = kStep[static_cast<std::size_t>(line)];
      const unsigned starts = 1u << 12 | 1u << (12 - by) | 1u << (12 - 2 * by);
      lines |= static_cast<unsigned>((near & near >> by & near >> 2 * by & starts) != 0) << line;
    }
    return lines;
  }

 private:
  std::vector<std::array<std::uint16_t, kLines>> on_board_;
  std::array<std::array<Bits<kWords>, kLines>, kWidest + 1> starts_{};  // [length][line]

  template <int W>
  static unsigned five_bits(const Bits<W>& stones, int first) {
    const auto at = static_cast<std::size_t>(first & (64 * W - 1)), word = at >> 6, shift = at & 63;
    const auto low = stones.word[word] >> shift, high = stones.word[(word + 1) & (W - 1)] << 1 << (63 - shift);
    return (low | high) & 0x1f;
  }

  explicit GomokuBoard(int n)
      : size(n),
        cells(n * n),
        step{1, n, n + 1, n - 1},
        symmetry(n, n),
        keys(symmetric_keys(n, n, 0x60305eedULL + static_cast<std::uint64_t>(n))),
        on_board_(static_cast<std::size_t>(n * n)) {
    constexpr std::array<int, kLines> kDown{0, 1, 1, 1}, kRight{1, 0, 1, -1};
    const auto inside = [n](int i) { return i >= 0 && i < n; };
    for (int cell = 0; cell < cells; ++cell)
      for (std::size_t line = 0; line < kLines; ++line)
        for (int i = -kWidest; i <= kWidest; ++i)
          if (inside(cell / n + i * kDown[line]) && inside(cell % n + i * kRight[line]))
            on_board_[static_cast<std::size_t>(cell)][line] |= static_cast<std::uint16_t>(1 << (kWidest + i));
    for (std::size_t length = 1; length <= kWidest; ++length)
      for (int cell = 0; cell < cells; ++cell)
        for (std::size_t line = 0; line < kLines; ++line)
          if (on_board_[static_cast<std::size_t>(cell)][line] >> (kWidest - 1 + length) & 1)
            starts_[length][line].set(cell);
  }
};

// Set bits in an unbroken row through bit R of a window, itself included (it must be set).
template <int R>
constexpr int run_through_centre(unsigned window) {
  return std::countr_one(window >> R) + std::countl_one(window << (32 - R));
}

}  // namespace tengen
