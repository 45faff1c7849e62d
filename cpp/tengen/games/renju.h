// Renju's forbidden moves for Black, by the recursive definition of the Renju International Federation's rules
// (9.2, 9.3).
//
//   five         exactly five black stones in a row: wins, and is never forbidden, whatever else the move makes
//   overline     six or more in a row: forbidden
//   four         four stones among five cells in line, the fifth empty, and a stone there makes exactly five. One line
//                can hold two: ● _ ● ● ● _ ●. Two or more fours made by one move: forbidden
//   straight     _ ● ● ● ● _ where either end makes exactly five (this is one four, not two)
//   three        three stones in line which one more black stone makes a straight four, where that stone makes no five
//                and is itself not forbidden (judged with the first stone on the board: the recursion).
//                Threes made in two or more lines by one move: forbidden
//
// Everything a stone can make in a line is decided by the five cells on each side of it:
//
//   bit of the window   0 1 2 3 4 [5] 6 7 8 9 10        off the board: neither black nor empty
#pragma once

#include <array>
#include <bit>

#include "tengen/games/gomoku_board.h"

namespace tengen::renju {

enum class Verdict { allowed, five, overline, double_four, double_three };

constexpr bool is_forbidden(Verdict verdict) { return verdict >= Verdict::overline; }

constexpr int kCentre = 5;

struct Window {
  unsigned black, empty;
};

constexpr bool holds(unsigned set, int bit) { return set >> bit & 1; }

// Distinct groups of four stones; a straight four completes at both ends but is one group.
constexpr int count_fours(Window w) {
  int count = 0;
  unsigned last = 0;
  for (int start = 1; start <= kCentre; ++start) {
    const unsigned cells = 0x1fu << start, stones = w.black & cells;
    const bool completes =
        std::popcount(stones) == 4 && (w.empty & cells) && !holds(w.black, start - 1) && !holds(w.black, start + 5);
    if (completes && stones != last) ++count, last = stones;
  }
  return count;
}

// The cells where one more stone makes a straight four with the centre stone.
constexpr unsigned straight_four_points(Window w) {
  unsigned points = 0;
  for (int start = 2; start <= kCentre; ++start) {
    const unsigned cells = 0xfu << start;
    if (std::popcount(w.black & cells) == 3 && holds(w.empty, start - 1) && holds(w.empty, start + 4) &&
        !holds(w.black, start - 2) && !holds(w.black, start + 5))
      points |= w.empty & cells;
  }
  return points;
}

// What Black's stone on the empty `cell` would make.
template <int W>
Verdict judge(const GomokuBoard& board, Bits<W> black, const Bits<W>& white, int cell) {
  constexpr std::size_t kLines = GomokuBoard::kLines;
  black.set(cell);
  std::array<unsigned, kLines> own;
  int promising = 0;  // a line needs three stones to count towards anything, and five to be enough alone
  for (std::size_t line = 0; line < kLines; ++line) {
    own[line] = board.window<kCentre>(black, cell, static_cast<int>(line));
    const int stones = std::popcount(own[line]);
    promising += (stones >= 3) + (stones >= 5);
  }
  if (promising < 2) return Verdict::allowed;

  std::array<unsigned, kLines> points{};
  bool five = false, overline = false;
  int fours = 0, lines_with_points = 0;
  for (std::size_t line = 0; line < kLines; ++line) {
    const int l = static_cast<int>(line);
    const Window w{own[line], board.on_board<kCentre>(cell, l) & ~own[line] & ~board.window<kCentre>(white, cell, l)};
    const int run = run_through_centre<kCentre>(w.black);
    five |= run == 5;
    overline |= run > 5;
    fours += count_fours(w);
    points[line] = straight_four_points(w);
    lines_with_points += points[line] != 0;
  }
  if (five) return Verdict::five;
  if (overline) return Verdict::overline;
  if (fours >= 2) return Verdict::double_four;
  if (lines_with_points < 2) return Verdict::allowed;

  int threes = 0;
  for (std::size_t line = 0; line < kLines; ++line)
    for (unsigned rest = points[line]; rest; rest &= rest - 1) {
      const int next = cell + (std::countr_zero(rest) - kCentre) * board.step[line];
      if (judge(board, black, white, next) != Verdict::allowed) continue;
      ++threes;
      break;
    }
  return threes >= 2 ? Verdict::double_three : Verdict::allowed;
}

}  // namespace tengen::renju
