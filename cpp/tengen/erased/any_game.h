// One type for all games, for code that is not hot: the bindings, the terminal, the app. Type erasure happens here,
// once per call on a whole game or batch; loops over positions are templates behind these virtual functions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/rollout.h"
#include "tengen/game.h"
#include "tengen/search/any_search.h"
#include "tengen/selfplay/any_selfplay.h"

namespace tengen {

// Many positions as prefixes of recorded games: sample i is game[i] after its first ply[i] moves, seen under
// symmetry[i].
struct ReplayRequest {
  std::span<const Action> moves;             // all games, one after the other
  std::span<const std::int64_t> game_start;  // [games + 1] offsets into moves
  std::span<const std::int32_t> game, ply;   // [samples]
  std::span<const std::uint8_t> symmetry;    // [samples]
};

// A position and the moves that led to it.
class AnyState {
 public:
  virtual ~AnyState() = default;
  virtual std::unique_ptr<AnyState> clone() const = 0;

  virtual int to_move() const = 0;
  virtual int ply() const = 0;
  virtual bool terminal() const = 0;
  virtual Outcome outcome() const = 0;
  virtual std::vector<Action> legal() const = 0;
  virtual bool is_legal(int action) const = 0;
  virtual std::uint64_t board_hash() const = 0;
  virtual std::uint64_t hash(int symmetry) const = 0;
  virtual void encode(int symmetry, float* out) const = 0;
  virtual Action policy_index(int symmetry, Action a) const = 0;
  virtual int stone(int cell) const = 0;
  virtual int landing_cell(Action a) const = 0;
  virtual std::vector<int> winning_line() const = 0;
  // What only some games have: Counted, Settles and Captures.
  virtual std::optional<Score> score() const = 0;
  virtual std::optional<std::vector<int>> owners() const = 0;
  virtual std::optional<std::array<int, 2>> captures() const = 0;
  virtual std::optional<bool> settled() const = 0;
  // Pictured: the position in words, a glyph for each cell, and where a move begins and ends.
  virtual std::optional<std::string> text() const = 0;
  virtual std::optional<std::vector<std::string>> glyphs() const = 0;
  virtual MoveCells move_cells(Action a) const = 0;
  virtual std::string move_text(Action a) const = 0;
  virtual std::optional<Action> parse_move(std::string_view text) const = 0;
  virtual std::string position_text() const = 0;
  virtual std::uint64_t perft(int depth, PassCounting passes, bool finished_counts) const = 0;
  virtual Bounds prove(int most_positions) const = 0;  // not for a finished game
  virtual PlayoutTotals play_outs(std::int64_t games, std::uint64_t seed) const = 0;

  // Abilities, laws 9 to 14 of game.h: nothing where the game does not offer them.
  virtual std::optional<Action> sample(Rng& rng) const = 0;
  virtual std::optional<bool> legal_only_shrinks() const = 0;
  virtual std::optional<bool> wins_at_once() const = 0;
  virtual std::optional<std::vector<Action>> safe() const = 0;
  virtual std::optional<std::vector<Action>> promising() const = 0;
  virtual std::optional<std::vector<Action>> forcing() const = 0;

  // The caller has checked that `a` is legal.
  void apply(Action a) {
    const int cell = landing_cell(a);
    moves_.reserve(moves_.size() + 1);
    do_apply(a);  // may fail where rules are somebody else's: then nothing has changed
    moves_.push_back(a);
    last_cell_ = cell;
  }
  const std::vector<Action>& moves() const { return moves_; }
  int last_cell() const { return last_cell_; }  // −1 when nothing was placed

 protected:
  virtual void do_apply(Action a) = 0;

 private:
  std::vector<Action> moves_;
  int last_cell_ = -1;
};

// What a search asks the rules: Probe.
class AnyProbe {
 public:
  virtual ~AnyProbe() = default;
  virtual void limit(int lookahead, int positions, int threats) = 0;
  virtual Bounds ask(const AnyState& state, std::optional<double> expected) = 0;  // not for a finished game
  virtual std::optional<Action> win(const AnyState& state) = 0;                   // neither
};

// A game with its size and options: everything that is the same for all its positions.
class AnyGame {
 public:
  virtual ~AnyGame() = default;

  virtual std::unique_ptr<AnyState> initial() const = 0;
  virtual std::unique_ptr<AnyState> from_text(std::string_view text) const = 0;
  virtual Action transform(int symmetry, Action a) const = 0;
  virtual int inverse(int symmetry) const = 0;
  virtual std::string_view schema() const = 0;
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t kept_bytes() const = 0;  // beside each node of a tree
  // Writes planes [samples, planes, rows, cols] and, unless null, legal moves as 0/1 [samples, actions] in policy
  // order.
  virtual void replay(const ReplayRequest& request, float* planes, std::uint8_t* legal, int threads) const = 0;
  // How the whole games of the samples ended, for the side to move of each sample: its lead in points [samples], and
  // whose every cell was, 1 own, −1 the opponent's, 0 nobody's [samples, rows · cols], in the shown order. Counted
  // games.
  virtual void count(const ReplayRequest& request, float* lead, std::int8_t* owners, int threads) const = 0;
  virtual bool counted() const = 0;
  virtual std::unique_ptr<AnySearch> make_search(int trees, const SearchConfig& config, std::uint64_t seed,
                                                 int threads) const = 0;
  virtual std::unique_ptr<AnyProbe> make_probe() const = 0;
  virtual bool remembers() const = 0;                                         // law 11
  virtual std::optional<int> counted_after() const = 0;                       // law 15
  virtual GameId varied(std::uint64_t seed, std::uint64_t number) const = 0;  // law 16
  // The search it returns is an AnySelfPlay as well.
  virtual std::unique_ptr<AnySearch> make_selfplay(int slots, const SearchConfig& full, const SelfPlayConfig& config,
                                                   std::uint64_t seed, int threads, std::uint64_t first_game) const = 0;
  // The random moves that game `number` of self-play begins with.
  virtual std::vector<Action> opening(const SelfPlayConfig& config, std::uint64_t seed, std::uint64_t number) const = 0;
  // What the positions of a game are worth: prove_game.
  virtual std::vector<std::int8_t> exact_values(std::span<const Action> moves, std::size_t first,
                                                int most_positions) const = 0;
  // The random moves on the way too, in a game of these legal moves: nothing where a move was to be searched.
  virtual std::vector<std::optional<Action>> random_plies(const SelfPlayConfig& config, std::uint64_t seed,
                                                          std::uint64_t number,
                                                          std::span<const Action> moves) const = 0;

  const GameId& id() const { return id_; }
  Layout layout() const { return layout_; }
  int num_actions() const { return num_actions_; }
  int num_planes() const { return num_planes_; }
  int num_symmetries() const { return num_symmetries_; }
  int max_plies() const { return max_plies_; }

 protected:
  template <class G>
  AnyGame(GameId id, const G& start)
      : id_(std::move(id)),
        layout_(start.layout()),
        num_actions_(start.num_actions()),
        num_planes_(start.num_planes()),
        num_symmetries_(start.num_symmetries()),
        max_plies_(start.max_plies()) {}

 private:
  GameId id_;
  Layout layout_;
  int num_actions_, num_planes_, num_symmetries_, max_plies_;
};

}  // namespace tengen
