// Connect4: seven columns, six rows, stones fall; four in a row wins, a full board is a draw after 42 plies.
//
//   bit numbers      6 13 20 27 34 41 48     bit 7·col + height; the top row stays empty, so that shifted boards
//                    5 12 19 26 33 40 47     never run from one column into the next
//                    …                       cell numbers (for drawing) run row by row from the top left
//                    0  7 14 21 28 35 42     actions are columns 0 … 6
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "tengen/base/rng.h"
#include "tengen/base/text.h"
#include "tengen/game.h"

namespace tengen {

class Connect4 {
 public:
  static constexpr int kRows = 6, kCols = 7, kCells = kRows * kCols;

  static const GameSpec& spec() {
    static const GameSpec spec{"connect4", "Connect4", {}, 0, false, {}, {.c_ucb = 1.0, .opening_plies = 3}};
    return spec;
  }
  static bool fits(const GameId&) { return true; }
  explicit Connect4(const GameId&) {}

  int num_actions() const { return kCols; }
  int max_plies() const { return kCells; }
  int ply() const { return std::popcount(all_); }
  int to_move() const { return ply() & 1; }
  bool is_legal(Action a) const { return a < kCols && !(all_ & top(a)) && !last_mover_won(); }
  int legal(Action* out) const {
    if (last_mover_won()) return 0;
    int n = 0;
    for (Action a = 0; a < kCols; ++a) {
      out[n] = a;
      n += !(all_ & top(a));
    }
    return n;
  }
  void apply(Action a) {
    own_ ^= all_;              // the opponent's stones become the mover's
    all_ |= all_ + bottom(a);  // carries up to the first empty cell of the column
  }
  bool terminal() const { return all_ == kFull || last_mover_won(); }
  Outcome outcome() const { return last_mover_won() ? Outcome::loss : Outcome::draw; }

  bool sees_wins() const { return true; }
  bool wins_at_once() const { return threats(own_, all_) & landing_cells(all_); }
  int safe(Action* out) const {
    const auto cells = not_losing(all_, threats(own_ ^ all_, all_));
    int n = 0;
    for (Action a = 0; a < kCols; ++a) {
      out[n] = a;
      n += (cells & column(a)) != 0;
    }
    return n;
  }
  int promising(Action* out) const {
    const auto danger = threats(own_ ^ all_, all_), cells = not_losing(all_, danger);
    if ((cells & (cells - 1)) == 0) {  // one or none: often, and then there is nothing to order
      out[0] = static_cast<Action>(std::countr_zero(cells) / 7);
      return cells != 0;
    }
    std::array<Candidate, kCols> moves;
    const std::size_t n = by_threats(own_, all_, danger, cells, moves);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Action>(std::countr_zero(moves[i].cell) / 7);
    return static_cast<int>(n);
  }

  std::uint64_t board_hash() const { return mix64(key(own_, all_)); }
  std::uint64_t hash(int s) const { return mix64(s ? key(mirrored(own_), mirrored(all_)) : key(own_, all_)); }
  int num_symmetries() const { return 2; }
  int inverse(int s) const { return s; }
  Action transform(int s, Action a) const { return s ? static_cast<Action>(kCols - 1 - a) : a; }
  Action policy_index(int s, Action a) const { return transform(s, a); }

  static std::string_view schema() {
    return "connect4/2: own stones, opponent's stones, cells where an own stone would win, where an opponent's would, "
           "ones if the first player is to move";
  }
  int num_planes() const { return 5; }
  // A small network would spend most of its layers on finding threats, and counts stones badly: yet whose turn it is
  // decides who gets the odd rows in the end. docs/connect4.md has what showing both is worth.
  void encode(int s, float* out) const {
    const auto own = s ? mirrored(own_) : own_, all = s ? mirrored(all_) : all_, others = own ^ all;
    const auto first = to_move() == 0 ? kFull : 0;
    for (const auto plane : {own, others, threats(own, all), threats(others, all), first}) {
      write_plane(plane, out);
      out += kCells;
    }
  }

  Layout layout() const { return {Layout::Kind::gravity, kRows, kCols}; }
  int stone(int cell) const {
    const int bit = bit_of(cell / kCols, cell % kCols);
    if (!(all_ >> bit & 1)) return 0;
    return (own_ >> bit & 1) ? 1 + to_move() : 2 - to_move();
  }
  int landing_cell(Action a) const {
    const int height = std::popcount(all_ & column(a));
    return (kRows - 1 - height) * kCols + a;
  }
  std::vector<int> winning_line() const {
    std::vector<int> line;
    const auto stones = own_ ^ all_;
    for (int cell = 0; cell < kCells; ++cell)
      if (fours(stones) >> bit_of(cell / kCols, cell % kCols) & 1) line.push_back(cell);
    return line;
  }
  std::string move_text(Action a) const { return std::string(1, static_cast<char>('1' + a)); }
  std::optional<Action> parse_move(std::string_view text) const {
    if (text.size() != 1 || text[0] < '1' || text[0] > '7') return std::nullopt;
    return static_cast<Action>(text[0] - '1');
  }
  std::string position_text() const {
    return write_position(layout(), [this](int cell) { return stone(cell); }, to_move());
  }
  static Connect4 from_text(const GameId& id, std::string_view text);

  // For proofs: the stones of the side to move, of both, and the arithmetic on such boards.
  std::uint64_t own() const { return own_; }
  std::uint64_t all() const { return all_; }
  static constexpr std::uint64_t bottom(int col) { return std::uint64_t{1} << (7 * col); }
  static constexpr std::uint64_t top(int col) { return std::uint64_t{1} << (7 * col + 5); }
  static constexpr std::uint64_t column(int col) { return std::uint64_t{0x3f} << (7 * col); }
  static constexpr int bit_of(int row, int col) { return 7 * col + kRows - 1 - row; }
  static constexpr int cell_of(int bit) { return (kRows - 1 - bit % 7) * kCols + bit / 7; }
  static constexpr std::uint64_t kBottomRow = 0x0000040810204081ULL;
  static constexpr std::uint64_t kFull = kBottomRow * 0x3f;

  // A position is its stones plus one bit above each column: distinct for distinct positions, in 49 bits.
  static constexpr std::uint64_t key(std::uint64_t own, std::uint64_t all) { return own + all + kBottomRow; }
  static constexpr std::uint64_t mirrored(std::uint64_t b) {
    std::uint64_t out = 0;
    for (int col = 0; col < kCols; ++col) out |= (b >> (7 * col) & 0x7f) << (7 * (kCols - 1 - col));
    return out;
  }
  static constexpr bool has_four(std::uint64_t b) {
    for (const int d : {1, 6, 7, 8}) {
      const auto pairs = b & b >> d;
      if (pairs & pairs >> 2 * d) return true;
    }
    return false;
  }
  static constexpr std::uint64_t landing_cells(std::uint64_t all) { return (all + kBottomRow) & kFull; }
  // Empty cells where a stone would complete a four. Of one board, or of each board in a vector of them.
  template <class Boards>
  static constexpr Boards threats(Boards stones, Boards all) {
    Boards out = stones << 1 & stones << 2 & stones << 3;
    for (const int d : {6, 7, 8}) {
      const auto before = stones << d & stones << 2 * d, after = stones >> d & stones >> 2 * d;
      out |= before & (stones << 3 * d | stones >> d);
      out |= after & (stones >> 3 * d | stones << d);
    }
    return out & kFull & ~all;
  }
  // Where a stone may be put so that the opponent, who has the threats `danger`, does not win at once: where it blocks,
  // and not below a threat.
  static constexpr std::uint64_t not_losing(std::uint64_t all, std::uint64_t danger) {
    const auto landing = landing_cells(all), forced = landing & danger;
    if (forced & (forced - 1)) return 0;
    return (forced ? forced : landing) & ~(danger >> 1);
  }
  // Moves in the order in which a proof should try them: most threats first; then from the centre outwards. A threat
  // above one of the opponent's is worth nothing: whoever is made to play below it, the opponent has won or blocked.
  struct Candidate {
    std::uint64_t cell;
    std::uint64_t threats;  // of the mover, after the move
    int order;
  };
  static std::size_t by_threats(std::uint64_t own, std::uint64_t all, std::uint64_t danger, std::uint64_t moves,
                                std::array<Candidate, kCols>& out) {
    std::array<std::uint64_t, kCols + 1> cells{};
    std::size_t count = 0;
    for (const int col : {3, 2, 4, 1, 5, 0, 6}) {
      cells[count] = moves & column(col);
      count += cells[count] != 0;
    }
    cells[count] = 0;
    // Two at a time, as every processor can: threats are half of what a proof takes.
    using Two [[gnu::vector_size(16)]] = std::uint64_t;
    for (std::size_t i = 0; i < count; i += 2) {
      const Two pair{cells[i], cells[i + 1]};
      const Two made = threats<Two>(own | pair, all | pair);
      for (std::size_t k = i; k < std::min(i + 2, count); ++k) {
        const int value = std::popcount(made[k - i] & ~(danger << 1));
        std::size_t at = k;
        for (; at > 0 && out[at - 1].order < value; --at) out[at] = out[at - 1];
        out[at] = {cells[k], made[k - i], value};
      }
    }
    return count;
  }
  // All stones that belong to some four.
  static constexpr std::uint64_t fours(std::uint64_t b) {
    std::uint64_t out = 0;
    for (const int d : {1, 6, 7, 8}) {
      const auto starts = b & b >> d & b >> 2 * d & b >> 3 * d;
      out |= starts | starts << d | starts << 2 * d | starts << 3 * d;
    }
    return out;
  }

 private:
  bool last_mover_won() const { return has_four(own_ ^ all_); }

  // A row of a plane for each of the 128 sets of stones in it; one float more than there are columns, for alignment.
  static constexpr auto kRowFloats = [] {
    std::array<std::array<float, kCols + 1>, 1 << kCols> rows{};
    for (std::size_t set = 0; set < rows.size(); ++set)
      for (std::size_t col = 0; col < kCols; ++col) rows[set][col] = static_cast<float>(set >> col & 1);
    return rows;
  }();
  // Row by row from a table: faster than stone by stone. The product brings bit 7·col of a row to bit 42 + col.
  static void write_plane(std::uint64_t stones, float* out) {
    for (int row = 0; row < kRows; ++row) {
      const auto spread = stones >> (kRows - 1 - row) & kBottomRow;
      const auto set = (spread * 0x0000041041041040ULL >> 42) & 0x7f;
      std::copy_n(kRowFloats[set].data(), kCols, out + row * kCols);
    }
  }

  std::uint64_t own_ = 0;  // stones of the side to move
  std::uint64_t all_ = 0;
};

inline Connect4 Connect4::from_text(const GameId& id, std::string_view text) {
  Connect4 state(id);
  const auto position = parse_position(state.layout(), text);
  require_alternating(position);
  for (int cell = 0; cell < kCells; ++cell) {
    const int stone = position.stones[static_cast<std::size_t>(cell)];
    const auto bit = std::uint64_t{1} << bit_of(cell / kCols, cell % kCols);
    if (stone) state.all_ |= bit;
    if (stone == position.to_move + 1) state.own_ |= bit;
  }
  if ((state.all_ + kBottomRow) & state.all_) throw Error("a stone floats above an empty cell");
  if (has_four(state.own_)) throw Error("the side to move already has four in a row");
  return state;
}

static_assert(BuiltIn<Connect4>);

}  // namespace tengen
