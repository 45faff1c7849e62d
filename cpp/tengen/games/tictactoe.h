// Tic-tac-toe: three in a row on 3×3. A full board without a row is a draw; no game is longer than nine plies.
//
//   cell numbers     0 1 2      a set of cells is nine bits of an integer
//                    3 4 5
//                    6 7 8
#pragma once

#include <array>
#include <bit>

#include "tengen/base/symmetry.h"
#include "tengen/base/text.h"
#include "tengen/game.h"

namespace tengen {

class TicTacToe {
 public:
  static const GameSpec& spec() {
    static const GameSpec spec{"tictactoe", "Tic-tac-toe", {}, 0, false, {}};
    return spec;
  }
  static bool fits(const GameId&) { return true; }
  explicit TicTacToe(const GameId&) {}

  int num_actions() const { return 9; }
  int max_plies() const { return 9; }
  int ply() const { return std::popcount(static_cast<unsigned>(stones_[0] | stones_[1])); }
  int to_move() const { return ply() & 1; }
  bool is_legal(Action a) const { return a < 9 && !terminal() && !((stones_[0] | stones_[1]) >> a & 1); }
  int legal(Action* out) const {
    if (terminal()) return 0;
    int n = 0;
    for (unsigned empty = kFull & ~(stones_[0] | stones_[1]); empty; empty &= empty - 1)
      out[n++] = static_cast<Action>(std::countr_zero(empty));
    return n;
  }
  bool legal_only_shrinks() const { return true; }  // law 10 of game.h
  void apply(Action a) { stones_[to_move()] |= 1u << a; }
  bool terminal() const { return (stones_[0] | stones_[1]) == kFull || has_row(stones_[0]) || has_row(stones_[1]); }
  Outcome outcome() const {
    return has_row(stones_[1 - to_move()]) ? Outcome::loss : has_row(stones_[to_move()]) ? Outcome::win : Outcome::draw;
  }

  std::uint64_t board_hash() const { return mix64(stones_[0] | stones_[1] << 9); }
  std::uint64_t hash(int s) const {
    return mix64(turned(s, stones_[to_move()]) | turned(s, stones_[1 - to_move()]) << 9);
  }
  int num_symmetries() const { return kSymmetries; }
  int inverse(int s) const { return inverse_symmetry(s); }
  Action transform(int s, Action a) const { return static_cast<Action>(transform_cell(s, a, 3, 3)); }
  Action policy_index(int s, Action a) const { return transform(s, a); }

  static std::string_view schema() { return "tictactoe/1: own stones, opponent's stones"; }
  int num_planes() const { return 2; }
  void encode(int s, float* out) const {
    for (int cell = 0; cell < 9; ++cell) {
      const int shown = transform_cell(s, cell, 3, 3);
      out[shown] = static_cast<float>(stones_[to_move()] >> cell & 1);
      out[9 + shown] = static_cast<float>(stones_[1 - to_move()] >> cell & 1);
    }
  }

  Layout layout() const { return {Layout::Kind::cells, 3, 3}; }
  int stone(int cell) const { return (stones_[0] >> cell & 1) ? 1 : (stones_[1] >> cell & 1) ? 2 : 0; }
  int landing_cell(Action a) const { return a; }
  std::vector<int> winning_line() const {
    unsigned won = 0;  // two rows at once may share a cell
    for (const unsigned row : kRows)
      if ((stones_[0] & row) == row || (stones_[1] & row) == row) won |= row;
    std::vector<int> line;
    for (; won; won &= won - 1) line.push_back(std::countr_zero(won));
    return line;
  }
  std::string move_text(Action a) const { return cell_text(layout(), a); }
  std::optional<Action> parse_move(std::string_view text) const {
    const auto cell = parse_cell(layout(), text);
    return cell ? std::optional(static_cast<Action>(*cell)) : std::nullopt;
  }
  std::string position_text() const {
    return write_position(layout(), [this](int cell) { return stone(cell); }, to_move());
  }
  static TicTacToe from_text(const GameId& id, std::string_view text) {
    TicTacToe state(id);
    const auto position = parse_position(state.layout(), text);
    require_alternating(position);
    for (int cell = 0; cell < 9; ++cell)
      if (const int stone = position.stones[static_cast<std::size_t>(cell)]) state.stones_[stone - 1] |= 1u << cell;
    if (has_row(state.stones_[position.to_move])) throw Error("the side to move already has three in a row");
    return state;
  }

 private:
  static constexpr unsigned kFull = 0x1ff;
  static constexpr std::array<unsigned, 8> kRows{0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

  // For each of the 512 sets of cells: does it hold a row? Looked up three times a ply.
  static constexpr std::array<bool, 512> kHasRow = [] {
    std::array<bool, 512> table{};
    for (unsigned stones = 0; stones < table.size(); ++stones)
      for (const unsigned row : kRows) table[stones] = table[stones] || (stones & row) == row;
    return table;
  }();
  static bool has_row(unsigned stones) { return kHasRow[stones]; }
  static std::uint64_t turned(int s, unsigned stones) {
    std::uint64_t out = 0;
    for (; stones; stones &= stones - 1) out |= std::uint64_t{1} << transform_cell(s, std::countr_zero(stones), 3, 3);
    return out;
  }

  std::array<std::uint32_t, 2> stones_{};
};

static_assert(BuiltIn<TicTacToe>);

}  // namespace tengen
