// Gomoku on a square board: a stone on any empty cell, `in_a_row` stones in line win. A full board, after size² plies
// at the latest, is a draw.
//
//   freestyle   in_a_row or more win
//   exact       exactly in_a_row win; a longer row is legal and wins nothing
//   renju       Black (first) wins with exactly five, White with five or more; Black's overlines, double-fours and
//               double-threes are illegal moves (renju.h). Black to move with forbidden points only: a draw.
//               No opening rules
//
//   cell numbers = actions     0        1  …  size − 1       one bit per cell and colour; bit = cell
//                              size     …                    rows are named from the bottom: a1 is the last row's first
//                              …        …  size² − 1
#pragma once

#include <algorithm>

#include "tengen/base/rng.h"
#include "tengen/base/text.h"
#include "tengen/game.h"
#include "tengen/games/gomoku_board.h"
#include "tengen/games/renju.h"

namespace tengen {

inline const GameSpec& gomoku_spec() {
  static const GameSpec spec{
      "gomoku",
      "Gomoku",
      {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
      15,
      true,
      {{"in_a_row", 3, 6, 1, 5, {}, "stones in a row that win"},
       {"rule", 0, 2, 1, 0, {"freestyle", "exact", "renju"}, "what longer rows are worth; renju restricts Black"}},
      {.sgf_number = 4}};
  return spec;
}

template <int W>
class Gomoku {
 public:
  static const GameSpec& spec() { return gomoku_spec(); }
  static bool fits(const GameId& id) { return id.size * id.size <= 64 * W; }
  explicit Gomoku(const GameId& id)
      : board_(&GomokuBoard::of(id.size)),
        in_a_row_(static_cast<std::uint8_t>(id.integer("in_a_row"))),
        rule_(static_cast<Rule>(id.integer("rule"))) {
    if (rule_ == Rule::renju && in_a_row_ != 5) throw Error("rule=renju needs in_a_row=5");
  }

  int num_actions() const { return board_->cells; }
  int max_plies() const { return board_->cells; }
  int ply() const { return ply_; }
  int to_move() const { return ply_ & 1; }
  bool is_legal(Action a) const {
    return a < board_->cells && state_ == State::running && !is_taken(a) && !(black_is_restricted() && is_forbidden(a));
  }
  int legal(Action* out) const {
    if (state_ != State::running) return 0;
    int n = 0;
    const bool restricted = black_is_restricted();
    empty().for_each([&](int cell) {
      if (!(restricted && is_forbidden(cell))) out[n++] = static_cast<Action>(cell);
    });
    return n;
  }
  void apply(Action a) {
    const int mover = to_move();
    stones_[mover].set(a);
    hash_.toggle(board_->keys[static_cast<std::size_t>(2 * a + mover)]);
    ++ply_;
    if (wins_through(mover, a))
      state_ = State::won;
    else if (is_stuck())
      state_ = State::drawn;
  }
  bool terminal() const { return state_ != State::running; }
  Outcome outcome() const { return state_ == State::won ? Outcome::loss : Outcome::draw; }

  // Uniform over the legal moves: rejection costs cells / legal moves tries, about 1.4 over a random game on 15×15.
  Action sample(Rng& rng) const {
    for (;;) {
      const auto a = static_cast<Action>(rng.below(static_cast<std::uint32_t>(board_->cells)));
      if (is_legal(a)) return a;
    }
  }

  // Renju may end in other ways, where Black has forbidden points only.
  bool sees_wins() const { return rule_ != Rule::renju; }
  bool wins_at_once() const { return winning_cells(to_move()).any(); }
  // One threat must be answered where it is; of two, one is carried out.
  int safe(Action* out) const {
    auto threats = winning_cells(1 - to_move());
    const int count = threats.count();
    if (count == 0) return legal(out);
    if (count == 1) *out = static_cast<Action>(threats.pop());
    return count == 1;
  }

  // Stones that leave one more to a winning row; where the opponent has a threat, only such as answer it.
  int forcing(Action* out) const {
    const int mover = to_move();
    const auto threats = winning_cells(1 - mover);
    const int count = threats.count();
    if (count > 1) return 0;
    Bits<W> fours = cells_of_rows<2>(mover);
    if (count == 1) fours &= threats;
    int n = 0;
    fours.for_each([&](int cell) {
      if (!is_winning_run(mover, in_a_row_ + 1)) {  // the row may be too long, or become so
        Gomoku next = *this;
        next.stones_[mover].set(cell);
        if (!next.winning_cells(mover).any()) return;
      }
      out[n++] = static_cast<Action>(cell);
    });
    return n;
  }

  // The planes name the stones of both sides, the counts of stones name the side to move and the stones name the
  // forbidden points: so one hash serves for both.
  std::uint64_t board_hash() const { return hash_[0]; }
  std::uint64_t hash(int s) const { return hash_[s]; }
  int num_symmetries() const { return kSymmetries; }
  int inverse(int s) const { return inverse_symmetry(s); }
  Action transform(int s, Action a) const { return board_->symmetry[s][a]; }
  Action policy_index(int s, Action a) const { return transform(s, a); }

  static std::string_view schema() {
    return "gomoku/1: own stones, opponent's stones; with rule=renju also: ones when Black moves, points now forbidden";
  }
  int num_planes() const { return rule_ == Rule::renju ? 4 : 2; }
  void encode(int s, float* out) const {
    const int cells = board_->cells;
    const auto& shown = board_->symmetry[s];
    const auto mark = [&](int plane) {
      return [&shown, to = out + plane * cells](int cell) { to[shown[static_cast<std::size_t>(cell)]] = 1; };
    };
    std::fill(out, out + num_planes() * cells, 0.0f);
    stones_[to_move()].for_each(mark(0));
    stones_[1 - to_move()].for_each(mark(1));
    if (!black_is_restricted()) return;
    std::fill(out + 2 * cells, out + 3 * cells, 1.0f);
    empty().for_each([&](int cell) {
      if (is_forbidden(cell)) mark(3)(cell);
    });
  }

  Layout layout() const { return {Layout::Kind::lines, board_->size, board_->size}; }
  int stone(int cell) const { return stones_[0].test(cell) ? 1 : stones_[1].test(cell) ? 2 : 0; }
  int landing_cell(Action a) const { return a; }
  std::vector<int> winning_line() const {
    std::vector<int> cells;
    if (state_ == State::won) winning_stones(1 - to_move()).for_each([&](int cell) { cells.push_back(cell); });
    return cells;
  }
  std::string move_text(Action a) const { return cell_text(layout(), a); }
  std::optional<Action> parse_move(std::string_view text) const {
    const auto cell = parse_cell(layout(), text);
    return cell ? std::optional(static_cast<Action>(*cell)) : std::nullopt;
  }
  std::string position_text() const {
    return write_position(layout(), [this](int cell) { return stone(cell); }, to_move());
  }
  static Gomoku from_text(const GameId& id, std::string_view text) {
    Gomoku state(id);
    const auto position = parse_position(state.layout(), text);
    require_alternating(position);
    for (int cell = 0; cell < state.board_->cells; ++cell) {
      const int stone = position.stones[static_cast<std::size_t>(cell)];
      if (stone == 0) continue;
      state.stones_[stone - 1].set(cell);
      state.hash_.toggle(state.board_->keys[static_cast<std::size_t>(2 * cell + stone - 1)]);
      ++state.ply_;
    }
    if (state.winning_stones(state.to_move()).any()) throw Error("the side to move already has a winning row");
    if (state.winning_stones(1 - state.to_move()).any())
      state.state_ = State::won;
    else if (state.is_stuck())
      state.state_ = State::drawn;
    return state;
  }

 private:
  enum class Rule : std::uint8_t { freestyle, exact, renju };  // in the order of the option's choices
  enum class State : std::uint8_t { running, won, drawn };     // won: by the side that moved last

  bool is_taken(int cell) const { return stones_[0].test(cell) | stones_[1].test(cell); }
  Bits<W> empty() const {
    Bits<W> out;
    for (int i = 0; i < W; ++i) {
      const int cells = std::clamp(board_->cells - 64 * i, 0, 64);
      out.word[static_cast<std::size_t>(i)] = cells == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << cells) - 1;
    }
    return out - stones_[0] - stones_[1];
  }
  bool is_winning_run(int colour, int run) const {
    const bool overline_wins = rule_ == Rule::freestyle || (rule_ == Rule::renju && colour == 1);
    return run == in_a_row_ || (run > in_a_row_ && overline_wins);
  }
  bool wins_through(int colour, int cell) const { return wins_through(stones_[colour], colour, cell); }
  bool wins_through(const Bits<W>& stones, int colour, int cell) const {
    constexpr int kWide = GomokuBoard::kWidest;
    for (auto lines = board_->lines_with_three(stones, cell); lines; lines &= lines - 1) {
      const auto window = board_->template window<kWide>(stones, cell, std::countr_zero(lines));
      if (is_winning_run(colour, run_through_centre<kWide>(window))) return true;
    }
    return false;
  }
  // The empty cells where a stone would win; not of a finished game.
  Bits<W> winning_cells(int colour) const {
    Bits<W> found = cells_of_rows<1>(colour);
    if (is_winning_run(colour, in_a_row_ + 1)) return found;
    Bits<W> out;
    found.for_each([&](int cell) {
      Bits<W> stones = stones_[colour];
      stones.set(cell);
      if (wins_through(stones, colour, cell)) out.set(cell);
    });
    return out;
  }
  // The empty cells of rows of in_a_row cells in line where so many are empty, 1 or 2, and all others have a stone. For
  // all rows of a line at once: a row is named by its first cell, and the i-th of its cells by shifting all cells i
  // back. What comes before the i-th cell and after it is kept apart by how many cells are empty there, none or one.
  template <int Missing>
  Bits<W> cells_of_rows(int colour) const {
    Bits<W> out;
    const auto length = static_cast<std::size_t>(in_a_row_);
    for (int line = 0; line < GomokuBoard::kLines; ++line) {
      const int by = board_->step[static_cast<std::size_t>(line)];
      std::array<Bits<W>, GomokuBoard::kWidest> full, less, stones, free;
      full[0] = board_->template starts<W>(in_a_row_, line);
      stones[0] = stones_[colour];
      if constexpr (Missing == 2) free[0] = empty();
      for (std::size_t i = 1; i < length; ++i) {
        full[i] = full[i - 1] & stones[i - 1];
        stones[i] = stones[i - 1] >> by;
        if constexpr (Missing == 2) {
          less[i] = (less[i - 1] & stones[i - 1]) | (full[i - 1] & free[i - 1]);
          free[i] = free[i - 1] >> by;
        }
      }
      Bits<W> full_after = full[0], less_after, cells;  // cells: i before where they are
      for (std::size_t i = length; i-- > 0; full_after &= stones[i]) {
        if constexpr (Missing == 2) {
          cells = (cells << by) | (((less[i] & full_after) | (full[i] & less_after)) & free[i]);
          less_after = (less_after & stones[i]) | (full_after & free[i]);
        } else {
          cells = (cells << by) | (full[i] & full_after);
        }
      }
      out |= cells;
    }
    return out & empty();
  }
  Bits<W> winning_stones(int colour) const {
    Bits<W> out;
    stones_[colour].for_each([&](int cell) {
      if (wins_through(colour, cell)) out.set(cell);
    });
    return out;
  }
  bool black_is_restricted() const { return rule_ == Rule::renju && to_move() == 0; }
  bool is_forbidden(int cell) const { return renju::is_forbidden(renju::judge(*board_, stones_[0], stones_[1], cell)); }
  // No legal move although nobody has won. Nearly always the first empty cell answers.
  bool is_stuck() const {
    if (!black_is_restricted()) return ply_ == board_->cells;
    for (auto rest = empty(); rest.any();)
      if (!is_forbidden(rest.pop())) return false;
    return true;
  }

  SymmetricHash hash_;
  std::array<Bits<W>, 2> stones_{};
  const GomokuBoard* board_;
  std::uint16_t ply_ = 0;
  std::uint8_t in_a_row_;
  Rule rule_;
  State state_ = State::running;
};

static_assert(BuiltIn<Gomoku<4>> && Game<Gomoku<8>> && Forces<Gomoku<4>>);

}  // namespace tengen
