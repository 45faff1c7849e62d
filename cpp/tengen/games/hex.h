// Hex: players fill an n × n rhombus of hexagons; X, the first player, connects top and bottom, O left and right.
// A full board always connects exactly one of them, so there are no draws and at most n² stones.
//
//      a b c d               top
//    1  0 1 2 3            +---X---+
//     2  4 5 6 7      left  O       O  right
//      3  8 9 . .            +---X---+
//       4  . . . .            bottom
//
// A stone is bit row · n + col of its colour's set. Each colour keeps two more sets: its stones joined to its first
// edge (top, left) and those joined to its second (bottom, right). A new stone beside one of the two pulls its whole
// chain in; a new stone beside both wins. So until the end no stone is in both, each enters one at most once, and a ply
// costs O(1) over a whole game.
//
// The neighbours of 5 are 1 2 4 6 8 9: rows lean right, so (row, col) touches (row − 1, col + 1), not the other
// diagonal. Transposing the board keeps neighbours and exchanges the players' edges; turning it by 180° keeps both.
//
// With swap=on the second player may answer the first stone by the action `swap` (index n², only at ply 1) instead of a
// stone: X's stone is taken off, an O stone is put on its transposed cell, and X is to move. So the second player has
// taken over the opening, and colours and edges stay with their players. The game may then last n² + 1 plies.
//
// The network always sees the side to move connecting top and bottom: for O the board is transposed. The hash is kept
// for both viewers under both symmetries at once (four lanes), because a position may be asked for in any of them.
#pragma once

#include <algorithm>

#include "tengen/base/bits.h"
#include "tengen/base/rng.h"
#include "tengen/base/symmetry.h"
#include "tengen/base/text.h"
#include "tengen/game.h"

namespace tengen {

// What depends on the size alone. W words hold the board.
template <int W>
struct HexBoard {
  static constexpr int kSmallest = 3, kLargest = W == 2 ? 11 : 19;
  using Lanes = std::array<std::uint64_t, 4>;  // [viewer * 2 + symmetry]
  struct Cell {
    Bits<W> neighbours;
    std::array<Lanes, 2> keys;                   // [colour]
    std::array<std::array<bool, 2>, 2> on_edge;  // [colour][first or second]
  };

  explicit HexBoard(int n) : size(n), turn(n, n) {
    for (int cell = 0; cell < n * n; ++cell) {
      const int row = cell / n, col = cell % n;
      Cell out{};
      constexpr int kSteps[6][2] = {{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}};
      for (const auto& [down, right] : kSteps)
        if (row + down >= 0 && row + down < n && col + right >= 0 && col + right < n)
          out.neighbours.set(cell + down * n + right);
      out.on_edge = {{{row == 0, row == n - 1}, {col == 0, col == n - 1}}};
      for (int colour = 0; colour < 2; ++colour)
        for (int viewer = 0; viewer < 2; ++viewer)
          for (int s = 0; s < 2; ++s)
            out.keys[colour][viewer * 2 + s] = key(shown(viewer, s, cell) * 2 + (colour ^ viewer));
      cells.push_back(out);
      all.set(cell);
    }
  }
  // Made on first use, shared by all positions of the size, never freed.
  static const HexBoard& of(int size) {
    static const auto& boards = *[] {
      auto* all = new std::vector<HexBoard>;
      for (int n = kSmallest; n <= kLargest; ++n) all->emplace_back(n);
      return all;
    }();
    return boards[static_cast<std::size_t>(size - kSmallest)];
  }
  static constexpr std::uint64_t key(int index) { return mix64(kGolden * static_cast<std::uint64_t>(index + 1)); }

  // Where a viewer sees a cell under symmetry s.
  int shown(int viewer, int s, int cell) const {
    return turn[(viewer ? 4 : 0) | (s ? 3 : 0)][static_cast<std::size_t>(cell)];
  }
  const Cell& operator[](int cell) const { return cells[static_cast<std::size_t>(cell)]; }

  int size, count = size * size;
  Bits<W> all;  // every cell
  SymmetryTable turn;
  std::vector<Cell> cells;
};

template <int W>
class Hex {
 public:
  static const GameSpec& spec() {
    static const GameSpec spec{
        "hex",
        "Hex",
        {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
        11,
        true,
        {{"swap", 0, 1, 1, 0, {"off", "on"}, "may the second player take over the first stone?"}},
        {.sgf_number = 11, .goals = {{"top_bottom", "left_right"}}}};
    return spec;
  }
  static bool fits(const GameId& id) { return id.size <= HexBoard<W>::kLargest; }
  explicit Hex(const GameId& id) : board_(&HexBoard<W>::of(id.size)), swap_on_(id.integer("swap") != 0) {}

  int num_actions() const { return cells() + swap_on_; }
  int max_plies() const { return cells() + swap_on_; }
  int ply() const { return ply_; }
  int to_move() const { return ply_ & 1; }
  bool is_legal(Action a) const {
    return a < cells() ? !over_ && !(stones_[0].test(a) || stones_[1].test(a)) : a == cells() && can_swap();
  }
  int legal(Action* out) const {
    if (over_) return 0;
    int n = 0;
    (board_->all - stones_[0] - stones_[1]).for_each([&](int cell) { out[n++] = static_cast<Action>(cell); });
    if (can_swap()) out[n++] = static_cast<Action>(cells());
    return n;
  }
  void apply(Action a) {
    if (a < cells())
      place(a, to_move());
    else
      swap_stone();
    ++ply_;
  }
  bool terminal() const { return over_; }
  Outcome outcome() const { return Outcome::loss; }  // the last stone has won
  bool legal_only_shrinks() const { return !swap_on_ || ply_ > 1; }

  std::uint64_t board_hash() const { return lanes_[0]; }
  std::uint64_t hash(int s) const {
    return lanes_[static_cast<std::size_t>(to_move() * 2 + s)] ^ (can_swap() ? board_->key(2 * cells()) : 0);
  }
  int num_symmetries() const { return 2; }
  int inverse(int s) const { return s; }
  Action transform(int s, Action a) const { return a == cells() ? a : static_cast<Action>(board_->shown(0, s, a)); }
  Action policy_index(int s, Action a) const {
    return a == cells() ? a : static_cast<Action>(board_->shown(to_move(), s, a));
  }

  static std::string_view schema() {
    return "hex/1: own stones, opponent's stones, swap is legal; own edges are top and bottom";
  }
  int num_planes() const { return 3; }
  void encode(int s, float* out) const {
    std::fill(out, out + 2 * cells(), 0.0F);
    std::fill(out + 2 * cells(), out + 3 * cells(), can_swap() ? 1.0F : 0.0F);
    for (int player = 0; player < 2; ++player) {
      float* plane = out + (player == to_move() ? 0 : cells());
      stones_[player].for_each([&](int cell) { plane[board_->shown(to_move(), s, cell)] = 1; });
    }
  }

  Layout layout() const { return {Layout::Kind::hexes, board_->size, board_->size, false}; }
  int stone(int cell) const { return stones_[0].test(cell) ? 1 : stones_[1].test(cell) ? 2 : 0; }
  int landing_cell(Action a) const { return a == cells() ? -1 : a; }
  std::vector<int> winning_line() const;  // a shortest chain, from the winner's first edge to the second
  std::string move_text(Action a) const { return a == cells() ? "swap" : cell_text(layout(), a); }
  std::optional<Action> parse_move(std::string_view text) const {
    if (swap_on_ && text == "swap") return static_cast<Action>(cells());
    const auto cell = parse_cell(layout(), text);
    return cell ? std::optional(static_cast<Action>(*cell)) : std::nullopt;
  }
  // Stones and side tell everything: after a swap X has one stone fewer than it would have.
  std::string position_text() const {
    return write_position(layout(), [this](int cell) { return stone(cell); }, to_move());
  }
  static Hex from_text(const GameId& id, std::string_view text);

 private:
  int cells() const { return board_->count; }
  bool can_swap() const { return swap_on_ && ply_ == 1; }

  void place(int cell, int colour) {
    const auto& at = (*board_)[cell];
    stones_[colour].set(cell);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) lanes_[lane] ^= at.keys[colour][lane];
    const auto& [first, second] = joined_[colour];
    const bool at_first = at.on_edge[colour][0] | (at.neighbours & first).any();
    const bool at_second = at.on_edge[colour][1] | (at.neighbours & second).any();
    if (at_first && at_second)
      over_ = true;
    else if (at_first || at_second)
      join(cell, stones_[colour], joined_[colour][at_second]);
  }
  void join(int cell, const Bits<W>& stones, Bits<W>& joined) const {
    auto apart = stones - joined, waiting = apart & (*board_)[cell].neighbours;
    apart.reset(cell);
    while (waiting.any()) {
      const int next = waiting.pop();
      apart.reset(next);
      waiting |= (*board_)[next].neighbours & apart;
    }
    joined = stones - apart;
  }
  void swap_stone() {
    const int cell = Bits<W>(stones_[0]).pop();
    stones_[0] = joined_[0][0] = joined_[0][1] = {};
    lanes_ = {};
    place(board_->shown(1, 0, cell), 1);
  }

  std::array<Bits<W>, 2> stones_{};                 // [colour]
  std::array<std::array<Bits<W>, 2>, 2> joined_{};  // [colour][edge]
  typename HexBoard<W>::Lanes lanes_{};
  const HexBoard<W>* board_;
  std::uint16_t ply_ = 0;
  bool swap_on_, over_ = false;
};

template <int W>
std::vector<int> Hex<W>::winning_line() const {
  if (!over_) return {};
  const int winner = 1 - to_move();
  std::vector<int> queue, previous(static_cast<std::size_t>(cells()), -1);
  Bits<W> left = stones_[winner];
  for (int cell = 0; cell < cells(); ++cell)
    if (left.test(cell) && (*board_)[cell].on_edge[winner][0]) queue.push_back(cell), left.reset(cell);
  std::size_t head = 0;
  while (!(*board_)[queue[head]].on_edge[winner][1]) {  // over_: the far edge is reached
    const int from = queue[head++];
    const auto reached = (*board_)[from].neighbours & left;
    left = left - reached;
    reached.for_each([&](int cell) { queue.push_back(cell), previous[static_cast<std::size_t>(cell)] = from; });
  }
  std::vector<int> line;
  for (int cell = queue[head]; cell >= 0; cell = previous[static_cast<std::size_t>(cell)]) line.push_back(cell);
  std::ranges::reverse(line);
  return line;
}

template <int W>
Hex<W> Hex<W>::from_text(const GameId& id, std::string_view text) {
  Hex state(id);
  const auto position = parse_position(state.layout(), text);
  const auto count = [&](int stone) { return static_cast<int>(std::ranges::count(position.stones, stone)); };
  const bool swapped = state.swap_on_ && count(2) > 0 && count(1) - count(2) == position.to_move - 1;
  if (!swapped || !position.extra.empty()) require_alternating(position);
  for (const int colour : {position.to_move, 1 - position.to_move}) {
    for (int cell = 0; cell < state.cells(); ++cell)
      if (position.stones[static_cast<std::size_t>(cell)] == colour + 1) state.place(cell, colour);
    if (state.over_ && colour == position.to_move) throw Error("the side to move has already connected its edges");
  }
  state.ply_ = static_cast<std::uint16_t>(count(1) + count(2) + swapped);
  return state;
}

static_assert(BuiltIn<Hex<2>> && Game<Hex<6>>);

}  // namespace tengen
