// What must not harm a search: memory that runs out in any thread, a stop in the midst of a proof, lent planes that are
// kept. Trees stay usable.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.h"
#include "searching.h"
#include "tengen/base/parallel.h"
#include "tengen/games/connect4.h"
#include "tengen/proof/prover.h"

using namespace tengen;
using namespace tengen::test;

namespace {

void check_no_marks(const AnySearch& search) {
  for (int t = 0; t < search.trees(); ++t) {
    NodeView root;
    CHECK(search.find(t, {}, root) && root.in_flight == 0);
    for (const auto& edge : root.edges) CHECK(edge.in_flight == 0);
  }
}

// Goes on until it is done; on the way memory runs out at the first allocation, then at the second after that, and so
// on. How often it did.
template <class Go>
int without_memory(AnySearch& search, const Go& go) {
  for (int failures = 0;; ++failures) {
    until_failure = failures;
    try {
      go();
      until_failure = -1;
      return failures;
    } catch (const std::bad_alloc&) {
      until_failure = -1;
    }
    search.cancel();  // for leaves that were handed out; those of a step that failed are forgotten already
    check_no_marks(search);
  }
}

SearchConfig proving_config() {
  SearchConfig config = small_config();
  config.leaves = 1;  // so that a search that was disturbed comes to the same end
  config.cache_mb = 0;
  config.noise_epsilon = 0;
  config.prove_nodes = 100;
  config.lookahead = 1;
  return config;
}

}  // namespace

TEST(search_threads_hand_an_exception_to_the_caller_and_work_on) {
  ThreadPool pool(4);
  for (std::size_t round = 0; round < 16; ++round) {
    std::atomic<int> done{0};
    bool thrown = false;
    try {
      pool.run(64, 1, [&](std::size_t i) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));  // so that no thread does the others' work
        if (i >= 16 && i % 16 == round) throw std::runtime_error("in the shares of three");
        ++done;
      });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    CHECK(thrown && done <= 63);
    std::atomic<std::size_t> sum{0};
    pool.run(64, 1, [&](std::size_t i) { sum += i; });
    CHECK(sum == 64 * 63 / 2);
  }
}

TEST(search_without_memory_goes_on_as_if_nothing_had_been) {
  for (const char* id : {"connect4", "gomoku:6,in_a_row=4", "go:5"})
    for (const auto rule : {Rule::puct, Rule::gumbel}) {
      const auto game = make_game(id);
      SearchConfig config = proving_config();
      config.rule = rule;
      const auto whole = game->make_search(8, config, 7, 1), search = game->make_search(8, config, 7, 3);
      Oracle oracle;
      scatter(*game, *whole);
      scatter(*game, *search);
      run(*whole, oracle, game->num_actions());
      CHECK(without_memory(*search, [&] { run(*search, oracle, game->num_actions()); }) > 10);
      CHECK(signature(*search) == signature(*whole));
      for (int t = 0; t < search->trees(); ++t) CHECK(search->visits(t) == whole->visits(t));
    }
}

TEST(search_with_many_leaves_and_rollouts_without_memory_leaves_no_mark) {
  const auto game = make_game("go:5");
  SearchConfig config = proving_config();
  config.leaves = 8;
  for (const bool rollouts : {false, true}) {
    const auto search = game->make_search(8, config, 7, 3);
    Oracle oracle;
    const auto go = [&] {
      if (rollouts)
        search->run_rollouts(true);
      else
        run(*search, oracle, game->num_actions());
    };
    CHECK(without_memory(*search, go) > 10);
    for (int t = 0; t < search->trees(); ++t) CHECK(search->visits(t) == 60);
  }
}

TEST(search_of_games_without_memory_plays_the_same_games) {
  const auto game = make_game("go:5");
  SearchConfig full = proving_config();
  full.sims = 6;
  full.prove_nodes = 0;
  SelfPlayConfig play;
  constexpr std::size_t kGames = 8;
  std::vector<std::vector<Action>> expected;
  for (const bool disturbed : {false, true}) {
    const auto search = game->make_selfplay(4, full, play, 7, 3, 0);
    auto& games = dynamic_cast<AnySelfPlay&>(*search);
    Oracle oracle;
    std::vector<std::vector<Action>> found(kGames);
    std::size_t missing = kGames;
    const auto play_on = [&] {
      for (int rows = search->select(); missing > 0;
           rows = rows ? step(*search, oracle, game->num_actions(), true) : search->select()) {
        const auto left = until_failure.exchange(-1);
        for (const FinishedGame& record : games.take_records()) {
          CHECK(record.q.size() == record.moves.size() && record.children.size() == record.moves.size());
          if (record.game < kGames) found[static_cast<std::size_t>(record.game)] = record.moves, --missing;
        }
        until_failure = left;
      }
    };
    if (!disturbed) play_on();
    CHECK(!disturbed || without_memory(*search, play_on) > 10);
    CHECK(!disturbed || found == expected);
    expected = found;
  }
}

TEST(search_proofs_that_are_cut_short_claim_nothing_false) {
  Connect4 start(parse_game_id("connect4", {&Connect4::spec()}));
  for (const Action column : {3, 3, 3, 3, 3, 2, 3, 2}) start.apply(column);
  constexpr int kEnough = 10'000'000, kValue = -1;  // some million positions prove it
  Prover<Connect4> prover(start, Prover<Connect4>::entries_for(kEnough));
  int cut = 0;
  for (int tries = 0; tries < 20; ++tries) {
    Stop stop(std::chrono::nanoseconds(0));
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * tries));
      stop.request();
    });
    const Bounds found = prover.prove(start, -1, kEnough, tries % 2 == 1, &stop);
    CHECK(!found.solved() || found.lo == kValue);
    cut += !found.solved();
  }
  CHECK(cut > 0);
  CHECK(prover.prove(start, -1, kEnough).lo == kValue && prover.prove(start, -1, kEnough).solved());
}

// One batch of this search takes a minute, without a sanitizer.
TEST(search_stops_inside_proofs_and_inside_plies_of_full_search) {
  const auto game = make_game("gomoku:15");
  for (const bool proofs : {true, false}) {
    SearchConfig config = small_config();
    config.sims = 100'000;
    config.leaves = 64;
    config.prove_nodes = proofs ? 1'000'000 : 0;
    config.lookahead = proofs ? 0 : 4;
    const auto search = game->make_search(1, config, 7, 1);
    Oracle oracle;
    search->select();
    if (proofs) step(*search, oracle, game->num_actions(), true);  // the root; its leaves are proven once answered
    const auto began = std::chrono::steady_clock::now();
    const std::jthread other([&](const std::stop_token& ended) {
      while (!ended.stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        search->stop();
      }
    });
    for (int rows = search->rows(); rows > 0;) rows = step(*search, oracle, game->num_actions(), true);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
    check_no_marks(*search);
  }
}

TEST(search_rows_that_were_lent_outlive_it) {
  const auto game = make_game("connect4");
  auto search = game->make_search(2, small_config(), 7, 1);
  CHECK(search->select() > 0);
  const auto lent = search->lent();
  SearchConfig wider = small_config();
  wider.leaves = 512;
  search->configure(0, wider);
  CHECK(search->lent() != lent);
  search.reset();
  const int cells = game->num_planes() * game->layout().rows * game->layout().cols;
  float sum = 0;
  for (int i = 0; i < cells; ++i) sum += lent->planes[static_cast<std::size_t>(i)];
  CHECK(sum >= 0 && lent->keys[0] == game->initial()->hash(0));
}
