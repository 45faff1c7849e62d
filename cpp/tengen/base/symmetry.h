// The eight symmetries of a rectangle's grid, and tables of them for a board.
//
// A symmetry is three bits, applied in this order:  4: transpose   1: mirror the columns   2: mirror the rows.
// A game lists the ones its rules allow (Connect4 0 1; Hex 0 3; square boards 0 … 7); transposing needs rows == cols.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tengen/base/rng.h"

namespace tengen {

constexpr int kSymmetries = 8;

constexpr int transform_cell(int symmetry, int cell, int rows, int cols) {
  int row = cell / cols, col = cell % cols;
  if (symmetry & 4) std::swap(row, col);
  if (symmetry & 1) col = cols - 1 - col;
  if (symmetry & 2) row = rows - 1 - row;
  return row * cols + col;
}

// Only the two quarter turns are not their own inverse.
constexpr int inverse_symmetry(int symmetry) { return symmetry == 5 ? 6 : symmetry == 6 ? 5 : symmetry; }

// `cells[s][cell]` is where symmetry s takes a cell. Built once per board size and shared by all its positions.
struct SymmetryTable {
  SymmetryTable(int rows, int cols) {
    for (int s = 0; s < (rows == cols ? kSymmetries : 4); ++s)
      for (int cell = 0; cell < rows * cols; ++cell)
        cells[static_cast<std::size_t>(s)].push_back(static_cast<std::uint16_t>(transform_cell(s, cell, rows, cols)));
  }
  const std::vector<std::uint16_t>& operator[](int s) const { return cells[static_cast<std::size_t>(s)]; }

 private:
  std::array<std::vector<std::uint16_t>, kSymmetries> cells;
};

// A position's Zobrist hash under all eight symmetries at once. The eight keys of a (cell, colour) lie side by side, so
// placing a stone is one 64-byte xor: the canonical orientation of a position costs nothing to find.
struct SymmetricHash {
  alignas(32) std::array<std::uint64_t, kSymmetries> lane{};

  void toggle(const SymmetricHash& key) {
    for (std::size_t s = 0; s < kSymmetries; ++s) lane[s] ^= key.lane[s];
  }
  std::uint64_t operator[](int s) const { return lane[static_cast<std::size_t>(s)]; }
};

// keys[2 * cell + colour] for a board; the key of a stone under symmetry s is the plain key of its transformed cell.
inline std::vector<SymmetricHash> symmetric_keys(int rows, int cols, std::uint64_t salt) {
  std::vector<SymmetricHash> keys(static_cast<std::size_t>(rows * cols * 2));
  const SymmetryTable table(rows, cols);
  const int count = rows == cols ? kSymmetries : 4;
  for (int cell = 0; cell < rows * cols; ++cell)
    for (int colour = 0; colour < 2; ++colour)
      for (int s = 0; s < count; ++s) {
        const auto image = static_cast<std::uint64_t>(table[s][static_cast<std::size_t>(cell)] * 2 + colour);
        keys[static_cast<std::size_t>(cell * 2 + colour)].lane[static_cast<std::size_t>(s)] =
            mix64(salt + kGolden * (image + 1));
      }
  return keys;
}

}  // namespace tengen
