// Binds self-play: games that play themselves, asking for evaluations like any search.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

struct PySelfPlay : PyLeafSource {
  AnySelfPlay& play() const { return dynamic_cast<AnySelfPlay&>(*search); }
};

// A numpy array that takes over a vector's contents.
template <class To, class From>
nb::object array(const std::vector<From>& values) {
  auto* data = new To[values.size() + 1];
  std::transform(values.begin(), values.end(), data, [](const From& value) { return static_cast<To>(value); });
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<To*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, To, nb::ndim<1>>(data, {values.size()}, owner));
}

std::vector<Action> checked_moves(const PyGame& game, const std::vector<int>& moves) {
  const auto state = game.game->initial();
  std::vector<Action> out;
  for (const int move : moves) {
    if (state->terminal() || !state->is_legal(move)) throw nb::value_error("a game with an illegal move");
    state->apply(static_cast<Action>(move));
    out.push_back(static_cast<Action>(move));
  }
  return out;
}

nb::dict record_dict(const FinishedGame& record) {
  nb::dict out;
  out["game"] = record.game;
  out["id"] = record.id;
  out["result"] = record.result;
  static constexpr const char* kEndings[] = {"end", "resigned", "counted"};
  out["ending"] = kEndings[static_cast<std::size_t>(record.ending)];
  out["hopeless"] = static_cast<int>(record.hopeless);
  out["moves"] = array<std::uint16_t>(record.moves);
  out["search"] = array<std::uint8_t>(record.search);
  out["release"] = array<std::uint32_t>(record.release);
  out["q"] = array<float>(record.q);
  out["d"] = array<float>(record.d);
  out["m"] = array<float>(record.m);
  out["exact"] = array<std::int8_t>(record.exact);
  out["children"] = array<std::int32_t>(record.children);
  out["action"] = array<std::uint16_t>(record.action);
  out["visits"] = array<std::uint32_t>(record.visits);
  out["target"] = array<float>(record.target);
  return out;
}

}  // namespace

void bind_selfplay(nb::module_& m) {
  nb::class_<PySelfPlay, PyLeafSource>(m, "SelfPlay",
                                       "Games that play themselves side by side; finished ones are replaced at once.")
      .def(
          "__init__",
          [](PySelfPlay* self, const PyGame& game, int slots, const SearchConfig& search, const SelfPlayConfig& config,
             std::uint64_t seed, int threads, std::uint64_t first_game) {
            if (slots < 1 || slots > 1'000'000) throw nb::value_error("slots must be from 1 to 1000000");
            if (threads < 0 || threads > 1024) throw nb::value_error("threads must be from 0 (one per core) to 1024");
            new (self)
                PySelfPlay{{game.game, game.game->make_selfplay(slots, search, config, seed, threads, first_game)}};
          },
          "game"_a, "slots"_a, "search"_a, "config"_a, "seed"_a = 0, "threads"_a = 0, "first_game"_a = 0)
      .def_static(
          "opening",
          [](const PyGame& game, const SelfPlayConfig& config, std::uint64_t seed, std::uint64_t number) {
            const auto moves = game.game->opening(config, seed, number);
            return std::vector<int>(moves.begin(), moves.end());
          },
          "game"_a, "config"_a, "seed"_a, "number"_a,
          "The random moves that a game begins with: its number gives them.")
      .def_static(
          "random_plies",
          [](const PyGame& game, const SelfPlayConfig& config, std::uint64_t seed, std::uint64_t number,
             const std::vector<int>& moves) {
            return game.game->random_plies(config, seed, number, checked_moves(game, moves));
          },
          "game"_a, "config"_a, "seed"_a, "number"_a, "moves"_a,
          "Of the moves of a game, those that its number has at random: the action; None where it was searched.")
      .def_static(
          "exact_values",
          [](const PyGame& game, const SelfPlayConfig& config, const std::vector<int>& moves, std::size_t first) {
            return array<std::int8_t>(game.game->exact_values(checked_moves(game, moves), first, config.label_nodes));
          },
          "game"_a, "config"_a, "moves"_a, "first"_a = 0,
          nb::sig("def exact_values(game: Game, config: SelfPlayConfig, moves: Sequence[int], first: int = 0) -> "
                  "NDArray[numpy.int8]"),
          "What each position of a game is worth to its side to move, proven from the last one backwards to ply "
          "`first` with label_nodes positions each; 2 where that was not enough.")
      .def(
          "take_records",
          [](PySelfPlay& self) {
            const auto inside = self.enter();
            std::vector<FinishedGame> records;
            {
              const nb::gil_scoped_release release;
              records = self.play().take_records();
            }
            std::vector<nb::dict> out;
            for (const auto& record : records) out.push_back(record_dict(record));
            return out;
          },
          nb::sig("def take_records(self) -> list[dict[str, object]]"),
          "Games finished since the last call, as dicts of arrays: game, id, result, ending, hopeless, moves, search "
          "(0 "
          "random, "
          "1 fast, 2 full), release, q, d, m, exact, children, action, visits, target.")
      .def(
          "under_way",
          [](const PySelfPlay& self, int most) {
            const auto inside = self.enter();
            std::vector<nb::dict> out;
            for (const auto& record : self.play().under_way(most)) out.push_back(record_dict(record));
            return out;
          },
          "most"_a, nb::sig("def under_way(self, most: int) -> list[dict[str, object]]"),
          "The games of the first slots as they stand, as take_records gives finished ones; between two steps only.")
      .def(
          "drain", [](PySelfPlay& self, bool on) { self.play().drain(on); }, "on"_a,
          "While on, each slot ends the search under way, plays its move, and then rests.")
      .def(
          "play_counts",
          [](const PySelfPlay& self) {
            const auto inside = self.enter();
            const auto counts = self.play().play_counts();
            nb::dict out;
            out["games"] = counts.games;
            out["moves"] = counts.moves;
            out["positions"] = counts.positions;
            out["simulations"] = counts.simulations;
            return out;
          },
          nb::sig("def play_counts(self) -> dict[str, int]"),
          "Games, moves, positions to learn from and simulations so far.")
      .def(
          "set_release", [](PySelfPlay& self, std::uint32_t number) { self.play().set_release(number); }, "number"_a,
          "Moves chosen from now on carry this number, which must not be lower than the one before; between two steps "
          "only.")
      .def(
          "oldest_release", [](const PySelfPlay& self) { return self.play().oldest_release(); },
          "The lowest number in a game that is under way or was not taken yet.");
}

}  // namespace tengen
