// Rules that live elsewhere stand behind the same search: the same trees as the built-in game, on several threads that
// share positions; without memory, and with rules that fail, trees stay usable and nothing leaks.
#include <atomic>
#include <memory>
#include <new>

#include "check.h"
#include "searching.h"
#include "tengen/erased/entry.h"
#include "tengen/erased/foreign.h"
#include "tengen/games/connect4.h"

using namespace tengen;
using namespace tengen::test;

namespace {

std::atomic<int> until_rules_fail{-1};
std::atomic<int> alive{0};  // states

RuleFacts facts_of(const Connect4& start, bool own_hash) {
  RuleFacts facts;
  facts.name = facts.title = "elsewhere";
  facts.schema = "elsewhere/1: as Connect4";
  facts.actions = start.num_actions(), facts.most_plies = start.max_plies(), facts.planes = start.num_planes();
  facts.layout = start.layout();
  const auto cells = static_cast<std::size_t>(facts.layout.rows * facts.layout.cols);
  for (int s = 0; s < start.num_symmetries(); ++s) {
    RuleFacts::Permutation symmetry{std::vector<std::uint16_t>(cells), {}, start.inverse(s)};
    for (int cell = 0; cell < static_cast<int>(cells); ++cell) {
      const int col = cell % facts.layout.cols;
      symmetry.cells[static_cast<std::size_t>(cell)] =
          static_cast<std::uint16_t>(s ? cell - col + facts.layout.cols - 1 - col : cell);
    }
    for (Action a = 0; a < facts.actions; ++a) symmetry.actions.push_back(start.transform(s, a));
    facts.symmetries.push_back(symmetry);
  }
  facts.state_bytes = sizeof(Connect4), facts.kept_bytes = 500;
  facts.remembers = false, facts.serial = false, facts.own_hash = own_hash;
  return facts;
}

// Connect4's own rules behind the wall.
class Elsewhere final : public Rules {
 public:
  Elsewhere(const GameId& id, bool own_hash) : Rules(facts_of(Connect4(id), own_hash)), start_(id) {}

  void start(void* state) const override { make(state, start_); }
  void copy(const void* from, void* to) const override { make(to, at(from)); }
  void destroy(void* state) const noexcept override {
    static_cast<Connect4*>(state)->~Connect4();
    --alive;
  }
  void apply(void* state, Action action) const override {
    may_fail();
    static_cast<Connect4*>(state)->apply(action);
  }
  void legal(const void* state, std::vector<Action>& out) const override {
    may_fail();
    out.resize(7);
    out.resize(static_cast<std::size_t>(at(state).legal(out.data())));
  }
  int outcome(const void* state) const override {
    return at(state).terminal() ? static_cast<int>(at(state).outcome()) : kGoesOn;
  }
  void encode(const void* state, float* out) const override { at(state).encode(0, out); }
  std::uint64_t hash(const void* state, int symmetry) const override { return at(state).hash(symmetry); }
  std::string move_text(const void* state, Action action) const override { return at(state).move_text(action); }
  MoveCells move_cells(const void* state, Action action) const override { return {-1, at(state).landing_cell(action)}; }
  std::vector<DrawnCell> cells(const void* state) const override {
    std::vector<DrawnCell> out(42);
    for (int cell = 0; cell < 42; ++cell) out[static_cast<std::size_t>(cell)].owner = at(state).stone(cell);
    return out;
  }
  std::vector<int> line(const void* state) const override { return at(state).winning_line(); }
  std::string text(const void*) const override { return ""; }
  Score score(const void*) const override { return {0, 0}; }
  std::vector<int> owners(const void*) const override { return {}; }

 private:
  static const Connect4& at(const void* state) { return *static_cast<const Connect4*>(state); }
  static void make(void* place, const Connect4& position) {
    ::new (place) Connect4(position);
    ++alive;
  }
  static void may_fail() {
    if (until_rules_fail >= 0 && until_rules_fail-- == 0) throw RulesError("as it was told to");
  }

  Connect4 start_;
};

GameId connect4_id() { return parse_game_id("connect4", {&Connect4::spec()}); }

const ForeignSpec& spec_of(bool own_hash) {
  static const ForeignSpec own(std::make_shared<Elsewhere>(connect4_id(), true));
  static const ForeignSpec planes(std::make_shared<Elsewhere>(connect4_id(), false));
  return own_hash ? own : planes;
}
std::unique_ptr<AnyGame> foreign(bool own_hash) {
  const ForeignSpec& spec = spec_of(own_hash);
  return foreign_entry(spec).make({&spec, 0, {}});
}

SearchConfig config_of(int sims) {
  SearchConfig config = small_config();
  config.sims = sims;
  config.lookahead = 1;
  return config;
}

// Three moves of every tree; what was found after each.
std::vector<std::uint64_t> played(const AnyGame& game, int threads) {
  const auto search = game.make_search(24, config_of(60), 1, threads);
  Oracle oracle;
  std::vector<std::uint64_t> out;
  for (int move = 0; move < 3; ++move) {
    run(*search, oracle, game.num_actions());
    out.push_back(signature(*search));
    for (int t = 0; t < search->trees(); ++t) search->advance(t, static_cast<Action>(search->choose(t)));
  }
  return out;
}

}  // namespace

TEST(search_foreign_rules_give_the_trees_of_the_built_in_game) {
  const auto expected = played(*make_game("connect4"), 1);
  for (const int threads : {1, 2, 4}) CHECK(played(*foreign(true), threads) == expected);
  CHECK(played(*foreign(false), 1) == played(*foreign(false), 4));  // positions shared by threads, planes hashed
}

TEST(search_foreign_rules_that_fail_leave_trees_usable) {
  const auto game = foreign(true);
  const auto expected = [&] {
    const auto search = game->make_search(3, config_of(60), 1, 2);
    Oracle oracle;
    run(*search, oracle, 7);
    return signature(*search);
  }();
  SearchConfig config = config_of(60);
  config.leaves = 1;
  config.cache_mb = 0;
  for (int at = 0; at < 400; at += 7) {
    const auto search = game->make_search(3, config, 1, 2);
    Oracle oracle;
    until_rules_fail = at;
    int failures = 0;
    try {
      run(*search, oracle, 7);
    } catch (const Error& error) {
      ++failures;
      CHECK(std::string_view(error.what()).starts_with("the rules of elsewhere fail "));
    }
    CHECK(failures == 1 || until_rules_fail >= 0);
    until_rules_fail = -1;
    search->cancel();
    run(*search, oracle, 7);
    for (int t = 0; t < 3; ++t) CHECK(search->visits(t) == 60 || search->finished(t));
  }
  CHECK(expected != 0);
}

TEST(search_foreign_rules_survive_the_end_of_memory) {
  const auto game = foreign(false);
  const int before = alive;
  {
    const auto search = game->make_search(2, config_of(20), 1, 1);
    Oracle oracle;
    oracle.answer(*search, 7);
    for (int at = 0; at < 300; at += 3) {
      until_failure = at;
      try {
        if (search->rows() > 0) search->cancel();
        if (search->select() > 0) {
          until_failure = -1;
          oracle.answer(*search, 7);
          until_failure = at;
          search->backup(oracle.rows());
        }
        search->advance(0, static_cast<Action>(search->is_legal(0, 3) ? 3 : 0));
      } catch (const std::bad_alloc&) {
      }
      until_failure = -1;
      if (search->finished(0) || !search->is_legal(0, 0)) search->reset(0, *game->initial(), 0);
    }
  }
  CHECK(alive == before);
}
