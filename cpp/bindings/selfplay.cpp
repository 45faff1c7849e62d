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

// Moves from a position on, which they change.
std::vector<Action> checked_moves(AnyState& state, const std::vector<int>& moves) {
  std::vector<Action> out;
  for (const int move : moves) {
    if (state.terminal() || !state.is_legal(move)) throw nb::value_error("a game with an illegal move");
    state.apply(static_cast<Action>(move));
    out.push_back(static_cast<Action>(move));
  }
  return out;
}
std::vector<Action> checked_moves(const PyGame& game, const std::vector<int>& moves) {
  return checked_moves(*game.game->initial(), moves);
}

using PySide = std::pair<int, std::vector<int>>;

std::vector<SidePosition> checked_sides(const PyGame& game, const std::vector<Action>& moves,
                                        const std::vector<PySide>& sides) {
  std::vector<SidePosition> out;
  for (const auto& [ply, way] : sides) {
    if (ply < 0 || static_cast<std::size_t>(ply) >= moves.size())
      throw nb::value_error("a position beside a ply that the game does not have");
    auto state = game.game->initial();
    for (int i = 0; i < ply; ++i) state->apply(moves[static_cast<std::size_t>(i)]);
    out.push_back({ply, checked_moves(*state, way), 0, 0});
    if (state->terminal()) throw nb::value_error("a finished game has nothing to prove");
  }
  return out;
}

nb::dict record_dict(const GameRecord& record) {
  nb::dict out;
  out["game"] = record.game;
  out["result"] = record.result;
  static constexpr const char* kEndings[] = {"end", "resigned", "cut"};
  out["ending"] = kEndings[static_cast<std::size_t>(record.ending)];
  out["hopeless"] = static_cast<int>(record.hopeless);
  out["moves"] = array<std::uint16_t>(record.moves);
  out["search"] = array<std::uint8_t>(record.search);
  out["q"] = array<float>(record.q);
  out["d"] = array<float>(record.d);
  out["m"] = array<float>(record.m);
  out["exact"] = array<std::int8_t>(record.exact);
  out["children"] = array<std::int32_t>(record.children);
  out["action"] = array<std::uint16_t>(record.action);
  out["visits"] = array<std::uint32_t>(record.visits);
  out["target"] = array<float>(record.target);
  std::vector<int> side_ply, side_plies, side_exact;
  std::vector<float> side_q, side_d;
  std::vector<Action> side_moves;
  for (const SidePosition& side : record.sides) {
    side_ply.push_back(side.ply);
    side_plies.push_back(static_cast<int>(side.moves.size()));
    side_exact.push_back(side.exact);
    side_q.push_back(side.q);
    side_d.push_back(side.d);
    side_moves.insert(side_moves.end(), side.moves.begin(), side.moves.end());
  }
  out["side_ply"] = array<std::uint16_t>(side_ply);
  out["side_plies"] = array<std::uint16_t>(side_plies);
  out["side_exact"] = array<std::int8_t>(side_exact);
  out["side_q"] = array<float>(side_q);
  out["side_d"] = array<float>(side_d);
  out["side_moves"] = array<std::uint16_t>(side_moves);
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
          [](const PyGame& game, const SelfPlayConfig& config, const std::vector<int>& moves,
             const std::vector<PySide>& sides, std::size_t first) {
            const auto played = checked_moves(game, moves);
            auto beside = checked_sides(game, played, sides);
            auto values = game.game->exact_values(played, first, config.prove_nodes, beside);
            for (const SidePosition& side : beside) values.push_back(side.exact);
            return array<std::int8_t>(values);
          },
          "game"_a, "config"_a, "moves"_a, "sides"_a = std::vector<PySide>{}, "first"_a = 0,
          nb::sig("def exact_values(game: Game, config: SelfPlayConfig, moves: Sequence[int], sides: "
                  "Sequence[tuple[int, Sequence[int]]] = [], first: int = 0) -> NDArray[numpy.int8]"),
          "What each position of a game is worth to its side to move, proven from the last one backwards to ply "
          "`first` with prove_nodes positions each, and then the positions beside it, given by a ply and the moves "
          "from there; 2 where that was not enough.")
      .def_static(
          "cut_value",
          [](const PyGame& game, const SelfPlayConfig& config, const std::vector<int>& moves) {
            return static_cast<int>(game.game->cut_value(checked_moves(game, moves), config.prove_nodes));
          },
          "game"_a, "config"_a, "moves"_a,
          "The result, for the first player, by which a game may be cut short after these moves; 2 if it may not.")
      .def(
          "take_records",
          [](PySelfPlay& self) {
            const auto inside = self.enter();
            std::vector<GameRecord> records;
            {
              const nb::gil_scoped_release release;
              records = self.play().take_records();
            }
            std::vector<nb::dict> out;
            for (const auto& record : records) out.push_back(record_dict(record));
            return out;
          },
          nb::sig("def take_records(self) -> list[dict[str, object]]"),
          "Games finished since the last call, as dicts of arrays: game, result, ending, hopeless, moves, search (0 "
          "random, "
          "1 fast, 2 full), q, d, m, exact, children, action, visits, target, side_ply, side_plies, side_exact, "
          "side_moves.")
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
          "Games, moves, positions to learn from and simulations so far.");
}

}  // namespace tengen
