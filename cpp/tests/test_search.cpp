// The batched search under sanitizers: threads, interruption, full trees, and no allocation once warm.
#include <chrono>
#include <thread>

#include "check.h"
#include "searching.h"

using namespace tengen;
using namespace tengen::test;

TEST(search_is_the_same_for_any_number_of_threads_and_in_one_pass_or_two) {
  for (const char* id : {"connect4", "tictactoe", "tictactoe"}) {
    const auto game = make_game(id);
    std::uint64_t expected = 0;
    for (const int threads : {1, 2, 4}) {
      const auto search = game->make_search(16, small_config(), 7, threads);
      Oracle oracle;
      scatter(*game, *search);
      run(*search, oracle, game->num_actions(), threads > 1);
      for (int t = 0; t < search->trees(); ++t)
        if (search->expanded(t)) search->advance(t, static_cast<Action>(search->best(t)));
      run(*search, oracle, game->num_actions(), threads > 1);
      const auto found = signature(*search);
      CHECK(threads == 1 || found == expected);
      expected = found;
    }
  }
}

TEST(games_of_searches_are_the_same_for_any_number_of_threads_and_in_one_pass_or_two) {
  SelfPlayConfig play;
  play.full_share = 0.5;
  play.fast_sims = 10;
  play.opening_share = 0.8;
  play.opening_plies = 8;
  play.opening_lookahead = 2;
  play.stray_share = 0.2;
  play.label_nodes = 300;
  SearchConfig full = small_config();
  full.leaves = 1;
  full.sims = 20;
  full.threats = 20;
  constexpr std::size_t kGames = 24;
  for (const char* id : {"connect4", "gomoku:6,in_a_row=4"}) {
    const auto game = make_game(id);
    std::vector<std::vector<Action>> expected;
    for (const int threads : {1, 2, 4}) {
      const auto search = game->make_selfplay(8, full, play, 7, threads, 0);
      auto& games = dynamic_cast<AnySelfPlay&>(*search);
      Oracle oracle;
      std::vector<std::vector<Action>> found(kGames);
      search->select();
      for (std::size_t missing = kGames; missing > 0;) {
        step(*search, oracle, game->num_actions(), threads > 1);
        for (const FinishedGame& record : games.take_records()) {
          const auto planned = game->random_plies(play, 7, record.game, record.moves);
          for (std::size_t ply = 0; ply < planned.size(); ++ply) {
            CHECK(planned[ply].has_value() == (record.search[ply] == FinishedGame::Search::none));
            CHECK(planned[ply].value_or(record.moves[ply]) == record.moves[ply]);
          }
          if (record.game < kGames) found[static_cast<std::size_t>(record.game)] = record.moves, --missing;
        }
      }
      CHECK(threads == 1 || found == expected);
      expected = found;
    }
  }
}

TEST(rollouts_are_the_same_for_any_number_of_threads) {
  const auto game = make_game("connect4");
  SearchConfig config = small_config();
  config.rule = Rule::ucb1;
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    const auto search = game->make_search(16, config, 7, threads);
    scatter(*game, *search);
    search->run_rollouts(false);
    CHECK(threads == 1 || signature(*search) == expected);
    expected = signature(*search);
  }
}

TEST(search_stops_when_told_and_goes_on) {
  const auto game = make_game("connect4");
  SearchConfig config = small_config();
  config.sims = 1'000'000'000;
  config.solver = false;
  const auto search = game->make_search(4, config, 7, 2);
  {
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      search->stop();
    });
    Oracle oracle;
    run(*search, oracle, game->num_actions());
  }
  NodeView root;
  CHECK(search->find(0, {}, root) && root.in_flight == 0);
  const auto before = search->visits(0);
  CHECK(before > 0 && before < 1'000'000'000);
  CHECK(search->select() > 0);
  search->cancel();
}

TEST(cancelled_leaves_leave_no_mark) {
  const auto game = make_game("connect4");
  const auto search = game->make_search(2, small_config(), 7, 1);
  Oracle oracle;
  for (int step = 0; search->select(); ++step) {
    if (step % 3 == 1) {
      search->cancel();
      NodeView root;
      CHECK(search->find(0, {}, root) && root.in_flight == 0);
      for (const auto& edge : root.edges) CHECK(edge.in_flight == 0);
      continue;
    }
    oracle.answer(*search, game->num_actions());
    search->backup(oracle.rows());
  }
  CHECK(search->visits(0) == 60);
}

TEST(a_full_tree_is_searched_on_without_growing) {
  const auto game = make_game("connect4");
  SearchConfig config = small_config();
  config.sims = 2000;
  config.max_nodes = 100;
  config.solver = false;
  const auto search = game->make_search(1, config, 7, 1);
  Oracle oracle;
  run(*search, oracle, game->num_actions());
  CHECK(search->nodes(0) == 100);
  CHECK(search->visits(0) == 2000);
}

TEST(no_allocation_once_warm) {
  const auto game = make_game("connect4");
  SearchConfig config = small_config();
  config.sims = 400;
  config.leaves = 8;
  const auto search = game->make_search(4, config, 7, 1);
  Oracle oracle;
  run(*search, oracle, game->num_actions());
  for (int t = 0; t < 4; ++t) search->reset(t, *game->initial(), static_cast<std::uint64_t>(t));
  const auto before = allocations.load();
  run(*search, oracle, game->num_actions());
  CHECK(allocations.load() - before < 20);  // the new roots' noise; not one per simulation
}
