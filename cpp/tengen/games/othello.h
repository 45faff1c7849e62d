// Othello on 8×8 or 6×6: a move must enclose and flip enemy discs; most discs win. Black, the first player, is X.
//
//       a  b  c  d  e  f  g  h
//   1   0  1  2  3  4  5  6  7      bit 8·row + col, row 1 on top, for both sizes. The small board is the upper left
//   2   8  9 10 11 12 13 14 15      corner: its bits in columns g h and rows 7 8 are never set.
//   3  16 17 18 19 20 21 |22 23
//   4  24 25 26  O  X 29 |30 31     Actions are cells, row · size + col, and one more for the pass, which is legal
//   5  32 33 34  X  O 37 |38 39     exactly when the mover can place nothing but the opponent can. When neither side
//   6  40 41 42 43 44 45 |46 47     can place the game is over.
//      ------------------/
//   7  48 49 50 51 52 53  54 55
//   8  56 57 58 59 60 61  62 63
//
// Rays run over enemy discs only, and those are first masked to columns b … g: so a ray that leaves the left or right
// edge ends there instead of wrapping into the next row. On 6×6 a ray that leaves column f ends in g, which is empty.
//
// Length: there are size² − 4 placements, each followed by at most one pass (two in a row would be the end), so no game
// has more than 2 · (size² − 4) plies.
//
// Symmetries: the rules commute with all eight, and the network may see all eight. The starting position is unchanged
// by 0 3 4 7 only; 1 2 5 6 exchange its colours, so positions turned by those are set up with `from_text`, never
// reached from the start.
#pragma once

#include <bit>
#include <charconv>

#include "tengen/base/rng.h"
#include "tengen/base/symmetry.h"
#include "tengen/base/text.h"
#include "tengen/game.h"

namespace tengen {

class Othello {
 public:
  static const GameSpec& spec() {
    static const GameSpec spec{
        "othello", "Othello", {6, 8}, 8, false, {}, {.c_ucb = 1.0, .finished_counts = true, .sgf_number = 2}};
    return spec;
  }
  static bool fits(const GameId&) { return true; }
  explicit Othello(const GameId& id) : size_(static_cast<std::uint8_t>(id.size)) {
    const int middle = size_ / 2;
    own_ = bit(middle - 1, middle) | bit(middle, middle - 1);
    opponent_ = bit(middle - 1, middle - 1) | bit(middle, middle);
    find_placements();
  }

  int num_actions() const { return size_ * size_ + 1; }
  int max_plies() const { return 2 * (size_ * size_ - 4); }
  int ply() const { return ply_; }
  int to_move() const { return ply_ & 1; }
  bool is_legal(Action a) const { return a == pass() ? must_pass() : a < pass() && (placements_ >> bit_of(a) & 1); }
  int legal(Action* out) const {
    int n = 0;
    for (auto rest = placements_; rest; rest &= rest - 1) out[n++] = action_of(std::countr_zero(rest));
    if (must_pass()) out[n++] = pass();
    return n;
  }
  void apply(Action a) {
    std::uint64_t flipped = 0, placed = 0;
    if (a != pass()) {
      const int at = bit_of(a);
      flipped = flips(at, own_, opponent_);
      placed = std::uint64_t{1} << at;
    }
    const auto mover = own_ | placed | flipped;
    own_ = opponent_ & ~flipped;
    opponent_ = mover;
    ++ply_;
    find_placements();
  }
  bool terminal() const { return over_; }
  Outcome outcome() const {
    const int lead = std::popcount(own_) - std::popcount(opponent_);
    return lead > 0 ? Outcome::win : lead < 0 ? Outcome::loss : Outcome::draw;
  }
  Score score() const {
    const double own = std::popcount(own_), theirs = std::popcount(opponent_);
    return to_move() == 0 ? Score{own, theirs} : Score{theirs, own};
  }
  std::vector<int> owners() const {
    std::vector<int> out;
    for (int cell = 0; cell < pass(); ++cell) out.push_back(stone(cell));
    return out;
  }
  // Uniform over the legal actions.
  Action sample(Rng& rng) const {
    if (!placements_) return pass();
    auto rest = placements_;
    for (auto skip = rng.below(static_cast<std::uint32_t>(std::popcount(rest))); skip; --skip) rest &= rest - 1;
    return action_of(std::countr_zero(rest));
  }

  std::uint64_t board_hash() const { return to_move() ? key(opponent_, own_) : key(own_, opponent_); }
  std::uint64_t hash(int s) const { return key(turned(s, own_), turned(s, opponent_)); }
  int num_symmetries() const { return kSymmetries; }
  int inverse(int s) const { return inverse_symmetry(s); }
  Action transform(int s, Action a) const {
    return a == pass() ? a : static_cast<Action>(transform_cell(s, a, size_, size_));
  }
  Action policy_index(int s, Action a) const { return transform(s, a); }

  static std::string_view schema() { return "othello/1: own discs, opponent's discs"; }
  int num_planes() const { return 2; }
  void encode(int s, float* out) const {
    for (const auto discs : {turned(s, own_), turned(s, opponent_)})
      for (int row = 0; row < size_; ++row)
        for (int col = 0; col < size_; ++col) *out++ = static_cast<float>(discs >> (8 * row + col) & 1);
  }

  Layout layout() const { return {Layout::Kind::discs, size_, size_, false}; }
  int stone(int cell) const {
    const int at = bit_of(cell);
    return own_ >> at & 1 ? 1 + to_move() : opponent_ >> at & 1 ? 2 - to_move() : 0;
  }
  int landing_cell(Action a) const { return a == pass() ? -1 : a; }
  std::vector<int> winning_line() const { return {}; }
  std::string move_text(Action a) const { return a == pass() ? "pass" : cell_text(layout(), a); }
  std::optional<Action> parse_move(std::string_view text) const {
    if (text == "pass") return pass();
    const auto cell = parse_cell(layout(), text);
    return cell ? std::optional(static_cast<Action>(*cell)) : std::nullopt;
  }
  // The word `ply=N` follows the side when there have been more passes than the board and the side to move tell.
  std::string position_text() const {
    const auto word = "ply=" + std::to_string(ply_);
    return write_position(
        layout(), [this](int cell) { return stone(cell); }, to_move(),
        ply_ == fewest_plies(to_move()) ? std::vector<std::string>{} : std::vector{word});
  }
  static Othello from_text(const GameId& id, std::string_view text);

 private:
  static constexpr std::uint64_t kInnerColumns = 0x7e7e7e7e7e7e7e7eULL;
  static constexpr std::uint64_t kSmallBoard = 0x00003f3f3f3f3f3fULL;

  static constexpr std::uint64_t bit(int row, int col) { return std::uint64_t{1} << (8 * row + col); }
  static constexpr std::uint64_t key(std::uint64_t a, std::uint64_t b) { return mix64(mix64(a + kGolden) + b); }
  int bit_of(int cell) const { return size_ == 8 ? cell : cell / 6 * 8 + cell % 6; }
  Action action_of(int at) const { return static_cast<Action>(size_ == 8 ? at : (at >> 3) * 6 + (at & 7)); }
  Action pass() const { return static_cast<Action>(size_ * size_); }
  bool must_pass() const { return !placements_ && !over_; }
  int placed() const { return std::popcount(own_ | opponent_) - 4; }
  // Every placement is a ply; if the wrong side would be to move then, there has been a pass.
  int fewest_plies(int side) const { return placed() + ((placed() ^ side) & 1); }

  // Both rays of a line that start beside `from` and run over `through`: one disc, two, four, six (never more).
  struct Rays {
    std::uint64_t up, down;
  };
  static constexpr Rays rays(int step, std::uint64_t from, std::uint64_t through) {
    auto up = through & from << step, down = through & from >> step;
    up |= through & up << step;
    down |= through & down >> step;
    const auto up2 = through & through << step, down2 = through & through >> step;
    up |= up2 & up << 2 * step;
    down |= down2 & down >> 2 * step;
    up |= up2 & up << 2 * step;
    down |= down2 & down >> 2 * step;
    return {up, down};
  }
  template <int step>
  static constexpr std::uint64_t crossable(std::uint64_t discs) {
    return step == 8 ? discs : discs & kInnerColumns;
  }
  template <int step>
  static constexpr std::uint64_t line_ends(std::uint64_t own, std::uint64_t enemy) {
    const auto [up, down] = rays(step, own, crossable<step>(enemy));
    return up << step | down >> step;
  }
  template <int step>
  static constexpr std::uint64_t line_flips(std::uint64_t placed, std::uint64_t own, std::uint64_t enemy) {
    const auto [up, down] = rays(step, placed, crossable<step>(enemy));
    return (own & up << step ? up : 0) | (own & down >> step ? down : 0);
  }
  static constexpr std::uint64_t flips(int at, std::uint64_t own, std::uint64_t enemy) {
    const auto placed = std::uint64_t{1} << at;
    return line_flips<1>(placed, own, enemy) | line_flips<7>(placed, own, enemy) | line_flips<8>(placed, own, enemy) |
           line_flips<9>(placed, own, enemy);
  }
  std::uint64_t placements(std::uint64_t own, std::uint64_t enemy) const {
    const auto ends =
        line_ends<1>(own, enemy) | line_ends<7>(own, enemy) | line_ends<8>(own, enemy) | line_ends<9>(own, enemy);
    return ends & ~(own | enemy) & (size_ == 8 ? ~std::uint64_t{0} : kSmallBoard);
  }
  void find_placements() {
    placements_ = placements(own_, opponent_);
    over_ = !placements_ && !placements(opponent_, own_);
  }

  // The board under symmetry s, by swaps of bit blocks (Knuth, The Art of Computer Programming 4A, 7.1.3).
  static constexpr std::uint64_t swap_blocks(std::uint64_t b, int distance, std::uint64_t mask) {
    const auto difference = (b ^ b >> distance) & mask;
    return b ^ difference ^ difference << distance;
  }
  std::uint64_t turned(int s, std::uint64_t b) const {
    const int unused = 8 - size_;
    if (s & 4) {
      b = swap_blocks(b, 7, 0x00aa00aa00aa00aaULL);
      b = swap_blocks(b, 14, 0x0000cccc0000ccccULL);
      b = swap_blocks(b, 28, 0x00000000f0f0f0f0ULL);
    }
    if (s & 1) {
      b = swap_blocks(b, 1, 0x5555555555555555ULL);
      b = swap_blocks(b, 2, 0x3333333333333333ULL);
      b = swap_blocks(b, 4, 0x0f0f0f0f0f0f0f0fULL) >> unused;
    }
    if (s & 2) {
      b = swap_blocks(b, 8, 0x00ff00ff00ff00ffULL);
      b = swap_blocks(b, 16, 0x0000ffff0000ffffULL);
      b = swap_blocks(b, 32, 0x00000000ffffffffULL) >> 8 * unused;
    }
    return b;
  }

  std::uint64_t own_ = 0, opponent_ = 0;
  std::uint64_t placements_ = 0;  // of the side to move: asked for several times per position, so found once
  std::uint8_t size_, ply_ = 0;
  bool over_ = false;
};

inline Othello Othello::from_text(const GameId& id, std::string_view text) {
  Othello state(id);
  const auto centre = state.own_ | state.opponent_;
  const auto position = parse_position(state.layout(), text);
  state.own_ = state.opponent_ = 0;
  for (int cell = 0; cell < state.size_ * state.size_; ++cell)
    if (const int stone = position.stones[static_cast<std::size_t>(cell)])
      (stone == position.to_move + 1 ? state.own_ : state.opponent_) |= std::uint64_t{1} << state.bit_of(cell);
  if (centre & ~(state.own_ | state.opponent_))
    throw Error("the four cells in the middle of the board are never empty");

  const int fewest = state.fewest_plies(position.to_move), most = 2 * state.placed();
  int ply = fewest;
  if (!position.extra.empty()) {
    const auto& word = position.extra[0];
    const auto [end, error] =
        std::from_chars(word.data() + std::min<std::size_t>(4, word.size()), word.data() + word.size(), ply);
    if (position.extra.size() > 1 || !word.starts_with("ply=") || error != std::errc{} ||
        end != word.data() + word.size())
      throw Error("only ply=NUMBER may follow the side to move, but there is " + quoted(word));
  }
  if (ply < fewest || ply > most || (ply ^ position.to_move) & 1)
    throw Error("with " + std::to_string(state.placed() + 4) + " discs and " + (position.to_move ? "O" : "X") +
                " to move the ply is " + std::to_string(fewest) + " to " + std::to_string(most) +
                " in steps of 2, not " + std::to_string(ply));
  state.ply_ = static_cast<std::uint8_t>(ply);
  state.find_placements();
  return state;
}

static_assert(BuiltIn<Othello> && Counted<Othello>);

}  // namespace tengen
