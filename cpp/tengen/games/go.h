// Go: area scoring, positional superko, no suicide. Black (X) begins; White gets `komi`. Two passes in a row end the
// game; so does ply 4·size², where it is scored as it stands. Dead stones are not removed: they must be captured.
//
// Positional superko: a placement may not recreate any earlier board, whoever was to move there. Passes are always
// legal. A placement of a stone on p can only recreate a board on which that colour stood on p, and it can only have
// gone from there by capture; so everything is settled by one bit unless a stone of the mover's colour has been
// captured on p before. Only then the hash of the resulting board is computed (without playing) and looked up in the
// history, behind a one-hash Bloom filter that spares most walks through it.
//
//   board_     stones, chains, liberties, captured points (go_board.h)
//   history_   [h0 h1 h2 …]   board hashes after each placement; copy assignment reuses its memory
//   seen_      [..1..1.1....] bit `hash mod size` of every hash in history_
//
// Position text may add `passes=N` (passes just before), `ply=N` and `ko=d4,e5`: the placements that superko forbids
// now. So a position set up from text has the same legal moves; what earlier boards forbid later on only the list of
// moves tells.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tengen/base/draws.h"
#include "tengen/base/rng.h"
#include "tengen/base/text.h"
#include "tengen/game.h"
#include "tengen/games/go_alive.h"
#include "tengen/games/go_board.h"

namespace tengen {

template <int N>
class Go {
 public:
  static constexpr bool kRemembers = true;  // superko: earlier boards matter
  static constexpr bool kCaptures = true;
  static constexpr double kKomi = 6.5;
  using Board = GoBoard<N>;

  static const GameSpec& spec() {
    static const GameSpec spec{"go",
                               "Go",
                               {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
                               9,
                               true,
                               {{"komi", -361, 361, 0.5, kKomi, {}, "points added to White's score", true}},
                               {.sgf_number = 1, .sgf_size = 19, .sgf_rules = "Chinese"}};
    return spec;
  }
  // Near the usual komi, where games are close; one game in ten shows what a large one does.
  static void vary(GameId& id, Rng& rng) {
    const double size = id.size, spread = rng.uniform() < 0.1 ? 2 * size : size / 2;
    const double komi = std::floor(2 * (kKomi + spread * normal(rng)) + 0.5) / 2;
    id.set("komi", std::clamp(komi, -size * size, size * size));
  }
  static bool fits(const GameId& id) { return id.size <= N; }
  explicit Go(const GameId& id) : board_(id.size), doubled_komi_(static_cast<int>(2 * id.value("komi"))) {
    history_.reserve(static_cast<std::size_t>(max_plies()) + 1);
    remember(board_hash());
  }

  int num_actions() const { return pass() + 1; }
  int max_plies() const { return 4 * size() * size(); }
  int ply() const { return ply_; }
  int to_move() const { return ply_ & 1; }
  bool is_legal(Action a) const { return !terminal() && (a == pass() || (a < pass() && can_play(point(a)))); }
  int legal(Action* out) const {
    if (terminal()) return 0;
    int n = 0;
    for (Action a = 0; a < pass(); ++a)
      if (can_play(point(a))) out[n++] = a;
    out[n++] = pass();
    return n;
  }
  // Uniform over the legal actions, by rejection: most empty points are legal, and a pass always is.
  Action sample(Rng& rng) const {
    for (;;) {
      const int i = static_cast<int>(rng.below(static_cast<std::uint32_t>(board_.num_empty() + 1)));
      if (i == board_.num_empty()) return pass();
      if (const int p = board_.empty(i); is_allowed(p)) return board_.shared().cell[p];
    }
  }
  void apply(Action a) {
    if (a == pass()) {
      ++passes_;
    } else {
      passes_ = 0;
      board_.play(point(a), to_move());
      remember(board_hash());
    }
    ++ply_;
  }
  bool terminal() const { return passes_ >= 2 || ply_ >= max_plies(); }
  Outcome outcome() const {
    const int black_lead = doubled_score();
    return black_lead == 0 ? Outcome::draw : (black_lead > 0) == (to_move() == 0) ? Outcome::win : Outcome::loss;
  }
  typename Board::Area area() const { return board_.area(); }
  Score score() const {
    const auto [black, white] = board_.area();
    return {static_cast<double>(black), white + doubled_komi_ / 2.0};
  }
  std::vector<int> owners() const {
    const auto owner = board_.owners();
    std::vector<int> out;
    for (int cell = 0; cell < pass(); ++cell) out.push_back((owner[point(cell)] + 1) % 3);
    return out;
  }

  // Each empty point may be played on and answered once before the limit cuts that short.
  bool settled() const { return ply_ + 2 * board_.num_empty() < max_plies() && all_settled(board_); }
  int counted_after() const { return max_plies() / 2; }

  std::uint64_t board_hash() const { return board_.hash()[0]; }
  std::uint64_t hash(int s) const {
    std::uint64_t out = board_.hash()[s] ^ (to_move() ? mix64(kGolden) : 0) ^ (passes_ ? mix64(2 * kGolden) : 0);
    for_each_forbidden([&](int p) { out ^= mix64(board_.shared().keys[2 * p][s]); });
    if (doubled_komi_ != 2 * kKomi) out ^= mix64(3 * kGolden + static_cast<std::uint64_t>(doubled_komi_));
    return out;
  }
  int num_symmetries() const { return kSymmetries; }
  int inverse(int s) const { return inverse_symmetry(s); }
  Action transform(int s, Action a) const {
    return a == pass() ? a : static_cast<Action>(transform_cell(s, a, size(), size()));
  }
  Action policy_index(int s, Action a) const { return transform(s, a); }

  static std::string_view schema() {
    return "go/1: own stones, opponent's stones, chains with 1 liberty, with 2, with 3, forbidden by superko, "
           "the previous move was a pass, Black is to move, komi for the side to move / 15";
  }
  int num_planes() const { return 9; }
  void encode(int s, float* out) const;

  Layout layout() const { return {.kind = Layout::Kind::lines, .rows = size(), .cols = size(), .skip_letter_i = true}; }
  int stone(int cell) const { return (board_.colour(point(cell)) + 1) % 3; }
  int landing_cell(Action a) const { return a == pass() ? -1 : a; }
  std::vector<int> winning_line() const { return {}; }
  std::string move_text(Action a) const { return a == pass() ? "pass" : cell_text(layout(), a); }
  std::optional<Action> parse_move(std::string_view text) const {
    if (text == "pass") return pass();
    const auto cell = parse_cell(layout(), text);
    return cell ? std::optional(static_cast<Action>(*cell)) : std::nullopt;
  }
  std::string position_text() const;
  static Go from_text(const GameId& id, std::string_view text);

 private:
  static constexpr int kFilterWords = N <= 9 ? 32 : 128;  // several bits for each of the boards of a full-length game

  int size() const { return board_.shared().size; }
  Action pass() const { return static_cast<Action>(size() * size()); }
  int point(int cell) const { return board_.shared().point[cell]; }
  // Black's lead, twice, so that half points are whole numbers.
  int doubled_score() const {
    const auto [black, white] = board_.area();
    return 2 * (black - white) - doubled_komi_;
  }

  bool can_play(int p) const { return board_.colour(p) == Board::kEmpty && is_allowed(p); }
  bool is_allowed(int empty) const { return board_.can_place(empty, to_move()) && !repeats(empty); }
  bool repeats(int empty) const {
    return board_.captured(to_move()).test(empty) && was_seen(board_.hash_after(empty, to_move()));
  }
  bool was_seen(std::uint64_t hash) const {
    return seen_.test(filter_bit(hash)) && std::ranges::find(history_, hash) != history_.end();
  }
  void remember(std::uint64_t hash) {
    history_.push_back(hash);
    seen_.set(filter_bit(hash));
  }
  static constexpr int filter_bit(std::uint64_t hash) { return static_cast<int>(hash % (64 * kFilterWords)); }

  // Calls f with every point where only superko forbids a stone of the side to move, in ascending order.
  template <class F>
  void for_each_forbidden(F&& f) const {
    board_.captured(to_move()).for_each([&](int p) {
      if (board_.colour(p) == Board::kEmpty && board_.can_place(p, to_move()) && repeats(p)) f(p);
    });
  }

  int least_ply(int side, int passes) const;
  void forbid(std::string_view points);

  Board board_;
  int doubled_komi_;
  std::int16_t ply_ = 0;
  std::int16_t passes_ = 0;  // in a row, up to now
  Bits<kFilterWords> seen_;
  std::vector<std::uint64_t> history_;
};

template <int N>
void Go<N>::encode(int s, float* out) const {
  enum Plane { own, opponent, liberties, forbidden = 5, passed, black, komi };
  const int cells = size() * size();
  const auto set = [&](int plane, int p) {
    out[plane * cells + transform_cell(s, board_.shared().cell[p], size(), size())] = 1;
  };
  const auto fill = [&](int plane, float value) { std::fill_n(out + plane * cells, cells, value); };
  std::fill_n(out, passed * cells, 0.0f);
  board_.for_each_chain([&](int chain, int count) {
    const int side = board_.colour(chain) == to_move() ? own : opponent;
    board_.for_each_stone(chain, [&](int p) {
      set(side, p);
      if (count <= 3) set(liberties + count - 1, p);
    });
  });
  for_each_forbidden([&](int p) { set(forbidden, p); });
  fill(passed, passes_ ? 1.0f : 0.0f);
  fill(black, to_move() == 0 ? 1.0f : 0.0f);
  fill(komi, static_cast<float>(to_move() ? doubled_komi_ : -doubled_komi_) / 30);
}

template <int N>
std::string Go<N>::position_text() const {
  std::vector<std::string> words;
  if (passes_) words.push_back("passes=" + std::to_string(passes_));
  if (ply_ != least_ply(to_move(), passes_)) words.push_back("ply=" + std::to_string(ply_));
  std::string ko;
  for_each_forbidden([&](int p) { ko += (ko.empty() ? "ko=" : ",") + cell_text(layout(), board_.shared().cell[p]); });
  if (!ko.empty()) words.push_back(ko);
  return write_position(layout(), [this](int cell) { return stone(cell); }, to_move(), words);
}

// The fewest plies that can lead to these stones, this side to move and the last `passes` plies being passes.
template <int N>
int Go<N>::least_ply(int side, int passes) const {
  std::array<int, 2> stones{};
  for (int cell = 0; cell < pass(); ++cell)
    if (const int colour = board_.colour(point(cell)); colour != Board::kEmpty) ++stones[colour];
  const int plies = std::max({2 * stones[Board::kBlack] - 1, 2 * stones[Board::kWhite], 0}) + passes;
  return plies + ((plies & 1) != side);
}

// Puts the boards that stones on these points would make into the history.
template <int N>
void Go<N>::forbid(std::string_view points) {
  for (bool more = true; more;) {
    const auto name = points.substr(0, points.find(','));
    more = name.size() < points.size();
    points.remove_prefix(name.size() + more);
    const auto cell = parse_cell(layout(), name);
    if (!cell || board_.colour(point(*cell)) != Board::kEmpty || !board_.can_place(point(*cell), to_move()))
      throw Error("ko=… lists empty points where a stone would have a liberty, such as ko=d4,e5; " + quoted(name) +
                  " is none");
    board_.mark_captured(point(*cell), to_move());
    remember(board_.hash_after(point(*cell), to_move()));
  }
}

template <int N>
Go<N> Go<N>::from_text(const GameId& id, std::string_view text) {
  Go state(id);
  const auto position = parse_position(state.layout(), text);
  for (int cell = 0; cell < state.pass(); ++cell)
    if (const int stone = position.stones[cell]) state.board_.put(state.point(cell), stone - 1);
  for (int cell = 0; cell < state.pass(); ++cell)
    if (state.stone(cell) && !state.board_.has_liberty(state.point(cell)))
      throw Error("the stone on " + cell_text(state.layout(), cell) + " has no liberty");
  state.remember(state.board_hash());

  std::array<std::optional<std::string_view>, 3> values;
  constexpr std::array<std::string_view, 3> kWords{"passes=", "ply=", "ko="};
  for (const std::string_view word : position.extra) {
    const auto found = std::ranges::find_if(kWords, [&](auto prefix) { return word.starts_with(prefix); });
    const auto index = found - kWords.begin();
    if (found == kWords.end() || values[index])
      throw Error("after the side to move may stand passes=N, ply=N and ko=d4,e5, each once, not " + quoted(word));
    values[index] = word.substr(found->size());
  }
  const auto number = [](std::string_view name, std::string_view digits, int low, int high) {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < low || value > high)
      throw Error(std::string(name) + std::to_string(low) + " to " + std::to_string(high) +
                  " is what these stones and this side to move allow, not " + quoted(digits));
    return static_cast<std::int16_t>(value);
  };
  if (values[0]) state.passes_ = number(kWords[0], *values[0], 0, 2);
  const int least = state.least_ply(position.to_move, state.passes_);
  state.ply_ = values[1] ? number(kWords[1], *values[1], least, state.max_plies()) : static_cast<std::int16_t>(least);
  if (state.to_move() != position.to_move)
    throw Error("ply=" + std::to_string(state.ply_) + " is " + (state.to_move() ? "O" : "X") + "'s turn");
  if (values[2]) state.forbid(*values[2]);
  return state;
}

static_assert(BuiltIn<Go<9>> && Game<Go<19>> && Settles<Go<9>> && Varies<Go<9>> && Captures<Go<9>>);

}  // namespace tengen
