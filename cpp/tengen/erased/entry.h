// Turns a game type into an AnyGame. Each game is compiled in its own small file here, so that builds run side by side.
#pragma once

#include "tengen/base/parallel.h"
#include "tengen/base/text.h"
#include "tengen/erased/any_game.h"
#include "tengen/erased/registry.h"
#include "tengen/selfplay/slots.h"

namespace tengen {

template <Game G>
class StateOf final : public AnyState {
 public:
  explicit StateOf(G game) : game_(std::move(game)) {}
  std::unique_ptr<AnyState> clone() const override { return std::make_unique<StateOf>(*this); }

  int to_move() const override { return game_.to_move(); }
  int ply() const override { return game_.ply(); }
  bool terminal() const override { return game_.terminal(); }
  Outcome outcome() const override { return game_.outcome(); }
  std::vector<Action> legal() const override {
    return listed([this](Action* out) { return game_.legal(out); });
  }
  bool is_legal(int action) const override {
    return action >= 0 && action < game_.num_actions() && game_.is_legal(static_cast<Action>(action));
  }
  std::uint64_t board_hash() const override { return game_.board_hash(); }
  std::uint64_t hash(int symmetry) const override { return game_.hash(symmetry); }
  void encode(int symmetry, float* out) const override { game_.encode(symmetry, out); }
  Action policy_index(int symmetry, Action a) const override { return game_.policy_index(symmetry, a); }
  int stone(int cell) const override { return game_.stone(cell); }
  int landing_cell(Action a) const override { return game_.landing_cell(a); }
  std::vector<int> winning_line() const override { return game_.winning_line(); }
  std::optional<Score> score() const override {
    if constexpr (Counted<G>)
      if (tengen::counted(game_)) return game_.score();
    return std::nullopt;
  }
  std::optional<std::vector<int>> owners() const override {
    if constexpr (Counted<G>)
      if (tengen::counted(game_)) return game_.owners();
    return std::nullopt;
  }
  std::optional<bool> settled() const override {
    if constexpr (Settles<G>) return game_.settled();
    return std::nullopt;
  }
  std::optional<std::array<int, 2>> captures() const override {
    if constexpr (Captures<G>) return captures_;
    return std::nullopt;
  }
  std::optional<std::string> text() const override {
    if constexpr (Pictured<G>) return game_.text();
    return std::nullopt;
  }
  std::optional<std::vector<std::string>> glyphs() const override {
    if constexpr (Pictured<G>) {
      if (!game_.has_glyphs()) return std::nullopt;
      const Layout layout = game_.layout();
      std::vector<std::string> out;
      for (int cell = 0; cell < layout.rows * layout.cols; ++cell) out.push_back(game_.glyph(cell));
      if (std::ranges::all_of(out, &std::string::empty)) return std::nullopt;
      return out;
    }
    return std::nullopt;
  }
  MoveCells move_cells(Action a) const override {
    if constexpr (Pictured<G>) return game_.move_cells(a);
    return {-1, game_.landing_cell(a)};
  }
  std::string move_text(Action a) const override { return game_.move_text(a); }
  std::optional<Action> parse_move(std::string_view text) const override { return game_.parse_move(text); }
  std::string position_text() const override { return game_.position_text(); }
  std::uint64_t perft(int depth, PassCounting passes, bool finished_counts) const override {
    return tengen::perft(game_, depth, passes, finished_counts);
  }
  Bounds prove(int most_positions) const override {
    if (remembers(game_)) return {};
    return Prover<G>(game_, Prover<G>::entries_for(most_positions)).prove(game_, -1, most_positions);
  }
  PlayoutTotals play_outs(std::int64_t games, std::uint64_t seed) const override {
    return tengen::play_outs(game_, games, seed);
  }

  std::optional<Action> sample(Rng& rng) const override {
    if constexpr (Sampling<G>) return game_.sample(rng);
    return {};
  }
  std::optional<bool> legal_only_shrinks() const override {
    if constexpr (Shrinking<G>) return game_.legal_only_shrinks();
    return {};
  }
  std::optional<bool> wins_at_once() const override {
    if constexpr (SeesWins<G>)
      if (game_.sees_wins()) return game_.wins_at_once();
    return {};
  }
  std::optional<std::vector<Action>> safe() const override {
    if constexpr (SeesWins<G>)
      if (game_.sees_wins()) return listed([this](Action* out) { return game_.safe(out); });
    return {};
  }
  std::optional<std::vector<Action>> promising() const override {
    if constexpr (Guides<G>) return listed([this](Action* out) { return game_.promising(out); });
    return {};
  }
  std::optional<std::vector<Action>> forcing() const override {
    if constexpr (Forces<G>)
      if (game_.sees_wins()) return listed([this](Action* out) { return game_.forcing(out); });
    return {};
  }
  const G& game() const { return game_; }

 protected:
  // Prisoners are counted here and not in the game, whose positions are copied and played millions of times.
  void do_apply(Action a) override {
    if constexpr (Captures<G>) {
      const int mover = game_.to_move(), before = count(2 - mover);
      game_.apply(a);
      captures_[static_cast<std::size_t>(mover)] += before - count(2 - mover);
    } else if constexpr (Foreign<G>) {
      G next = game_;
      next.apply(a);
      game_ = std::move(next);
    } else {
      game_.apply(a);
    }
  }

 private:
  template <class Writer>
  std::vector<Action> listed(const Writer& write) const {
    std::vector<Action> out(static_cast<std::size_t>(game_.num_actions()));
    out.resize(static_cast<std::size_t>(write(out.data())));
    return out;
  }
  int count(int stone) const {
    const Layout layout = game_.layout();
    int n = 0;
    for (int cell = 0; cell < layout.rows * layout.cols; ++cell) n += game_.stone(cell) == stone;
    return n;
  }

  G game_;
  std::array<int, 2> captures_{};  // by each side, since the start or since the position was set up
};

template <Game G>
class ProbeOf final : public AnyProbe {
 public:
  explicit ProbeOf(const G& start) : probe_(start) {}
  void limit(int lookahead, int positions, int threats) override { probe_.limit(lookahead, positions, threats); }
  Bounds ask(const AnyState& state, std::optional<double> expected) override {
    return probe_(dynamic_cast<const StateOf<G>&>(state).game(), expected);
  }
  std::optional<Action> win(const AnyState& state) override {
    return probe_.win(dynamic_cast<const StateOf<G>&>(state).game());
  }

 private:
  Probe<G> probe_;
};

// Where a game meets the search.
template <Game G, class Base>
class SearchOf final : public Base {
 public:
  using Base::Base;
  void reset(int tree, const AnyState& state, std::uint64_t game) override {
    this->restart(tree, dynamic_cast<const StateOf<G>&>(state).game(), game);
  }
};

template <Game G>
class GameOf final : public AnyGame {
 public:
  explicit GameOf(const GameId& id) : AnyGame(id, G(id)), start_(id) {}

  std::unique_ptr<AnyState> initial() const override { return std::make_unique<StateOf<G>>(start_); }
  std::unique_ptr<AnyState> from_text(std::string_view text) const override {
    return std::make_unique<StateOf<G>>(G::from_text(id(), text));
  }
  Action transform(int symmetry, Action a) const override { return start_.transform(symmetry, a); }
  int inverse(int symmetry) const override { return start_.inverse(symmetry); }
  std::string_view schema() const override { return start_.schema(); }
  std::size_t state_bytes() const override { return sizeof(G); }
  std::size_t kept_bytes() const override { return tengen::kept_bytes(start_); }

  void replay(const ReplayRequest& request, float* planes, std::uint8_t* legal, int threads) const override {
    const auto plane_floats = static_cast<std::size_t>(num_planes() * layout().rows * layout().cols);
    const auto actions = static_cast<std::size_t>(num_actions());
    const auto held = hold(start_);
    parallel_for(request.game.size(), threads_for(start_, threads), 64, [&](std::size_t i) {
      const G state = replayed(request, i, static_cast<std::size_t>(request.ply[i]));
      const int symmetry = request.symmetry[i];
      state.encode(symmetry, planes + i * plane_floats);
      if (!legal) return;
      std::uint8_t* row = legal + i * actions;
      std::fill(row, row + actions, std::uint8_t{0});
      std::vector<Action> list(actions);
      const int n = state.legal(list.data());
      for (int k = 0; k < n; ++k) row[state.policy_index(symmetry, list[static_cast<std::size_t>(k)])] = 1;
    });
  }
  bool counted() const override { return tengen::counted(start_); }
  void count([[maybe_unused]] const ReplayRequest& request, [[maybe_unused]] float* lead,
             [[maybe_unused]] std::int8_t* owners, [[maybe_unused]] int threads) const override {
    if constexpr (Counted<G>) {
      const auto cells = static_cast<std::size_t>(layout().rows * layout().cols);
      const auto held = hold(start_);
      parallel_for(request.game.size(), threads_for(start_, threads), 64, [&](std::size_t i) {
        const auto game = static_cast<std::size_t>(request.game[i]);
        const auto plies = request.game_start[game + 1] - request.game_start[game];
        const G end = replayed(request, i, static_cast<std::size_t>(plies));
        const int side = request.ply[i] % 2;  // sides alternate every ply
        const Score score = end.score();
        lead[i] = static_cast<float>(side == 0 ? score.first - score.second : score.second - score.first);
        const std::vector<int> owner = end.owners();
        for (std::size_t cell = 0; cell < cells; ++cell)
          owners[i * cells + end.policy_index(request.symmetry[i], static_cast<Action>(cell))] =
              static_cast<std::int8_t>(owner[cell] == 0          ? 0
                                       : owner[cell] == side + 1 ? 1
                                                                 : -1);
      });
    }
  }
  std::unique_ptr<AnySearch> make_search(int trees, const SearchConfig& config, std::uint64_t seed,
                                         int threads) const override {
    return std::make_unique<SearchOf<G, BatchSearch<G>>>(start_, trees, config, seed, threads);
  }
  std::unique_ptr<AnySearch> make_selfplay(int slots, const SearchConfig& full, const SelfPlayConfig& config,
                                           std::uint64_t seed, int threads, std::uint64_t first_game) const override {
    return std::make_unique<SearchOf<G, SelfPlay<G>>>(id(), slots, full, config, seed, threads, first_game);
  }
  std::vector<Action> opening(const SelfPlayConfig& config, std::uint64_t seed, std::uint64_t number) const override {
    return draw_opening(start_, config, seed, number);
  }
  std::unique_ptr<AnyProbe> make_probe() const override { return std::make_unique<ProbeOf<G>>(start_); }
  bool remembers() const override { return tengen::remembers(start_); }
  GameId varied(std::uint64_t seed, std::uint64_t number) const override {
    return tengen::varied<G>(id(), seed, number);
  }
  std::optional<int> counted_after() const override {
    if constexpr (Settles<G>) return start_.counted_after();
    return std::nullopt;
  }
  std::vector<std::int8_t> exact_values(std::span<const Action> moves, std::size_t first,
                                        int most_positions) const override {
    return prove_game(start_, moves, first, most_positions);
  }
  std::vector<std::optional<Action>> random_plies(const SelfPlayConfig& config, std::uint64_t seed,
                                                  std::uint64_t number, std::span<const Action> moves) const override {
    return tengen::random_plies(start_, config, seed, number, moves);
  }

 private:
  // The game of sample `i` after so many of its moves.
  G replayed(const ReplayRequest& request, std::size_t i, std::size_t plies) const {
    const auto game = static_cast<std::size_t>(request.game[i]);
    const auto moves = request.moves.subspan(static_cast<std::size_t>(request.game_start[game]), plies);
    G state = start_;
    for (std::size_t ply = 0; ply < moves.size(); ++ply) {
      if (moves[ply] >= num_actions() || !state.is_legal(moves[ply]))
        throw Error("game " + std::to_string(game) + " has an illegal move at ply " + std::to_string(ply) +
                    ": action " + std::to_string(moves[ply]));
      state.apply(moves[ply]);
    }
    return state;
  }

  G start_;
};

// The registry's entry of a game in one or more storage widths, narrowest first; the first that fits is used.
template <BuiltIn First, BuiltIn... Wider>
Entry make_entry() {
  return {&First::spec(), [](const GameId& id) -> std::unique_ptr<AnyGame> {
            std::unique_ptr<AnyGame> game;
            if (First::fits(id)) return std::make_unique<GameOf<First>>(id);
            ((game == nullptr && Wider::fits(id) ? void(game = std::make_unique<GameOf<Wider>>(id)) : void()), ...);
            return game;
          }};
}

}  // namespace tengen
