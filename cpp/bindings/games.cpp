// Binds AnyGame and AnyState. Checks what a caller may get wrong, so that the core never sees a bad action or symmetry.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "tengen/base/text.h"
#include "tengen/erased/registry.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<nb::numpy, float>;
using Bytes = nb::ndarray<nb::numpy, std::uint8_t>;
using SignedBytes = nb::ndarray<nb::numpy, std::int8_t>;

// A fresh numpy array that owns its memory.
template <class T>
nb::ndarray<nb::numpy, T> new_array(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const auto n : shape) size *= n;
  auto* data = new T[std::max<std::size_t>(size, 1)];
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

template <class T>
std::span<const T> span_of(const Array1<T>& array) {
  return {array.data(), array.size()};
}

int checked_symmetry(const AnyGame& game, int symmetry) {
  if (symmetry < 0 || symmetry >= game.num_symmetries())
    throw Error("symmetry " + std::to_string(symmetry) + " is not one of 0 to " +
                std::to_string(game.num_symmetries() - 1));
  return symmetry;
}

// A position with moves to ask about.
const AnyState& going_on(const PyState& s) {
  if (s.state->terminal()) throw Error("the game is over: there are no moves");
  return *s.state;
}

Action checked_action(const AnyGame& game, int action) {
  if (action < 0 || action >= game.num_actions())
    throw Error("action " + std::to_string(action) + " is not one of 0 to " + std::to_string(game.num_actions() - 1));
  return static_cast<Action>(action);
}

std::string legal_moves_text(const AnyState& state) {
  constexpr std::size_t kShown = 12;
  const auto legal = state.legal();
  std::string out;
  for (std::size_t i = 0; i < std::min(legal.size(), kShown); ++i) out += (i ? " " : "") + state.move_text(legal[i]);
  return out + (legal.size() > kShown ? " … (" + std::to_string(legal.size()) + " moves)" : "");
}

void require_not_over(const AnyState& state) {
  if (state.terminal())
    throw Error("the game is over after " + std::to_string(state.ply()) + " plies; no move can follow");
}

void apply_checked(PyState& self, int action) {
  require_not_over(*self.state);
  if (!self.state->is_legal(action)) {
    const bool known = action >= 0 && action < self.game->num_actions();
    throw Error((known ? "illegal move " + self.state->move_text(static_cast<Action>(action))
                       : "action " + std::to_string(action) + " is out of range") +
                "; legal moves are " + legal_moves_text(*self.state));
  }
  self.state->apply(static_cast<Action>(action));
}

int parse_move(const PyState& self, std::string_view text) {
  require_not_over(*self.state);
  const auto action = self.state->parse_move(text);
  if (!action) throw Error(quoted(text) + " is not a move; legal moves are " + legal_moves_text(*self.state));
  if (!self.state->is_legal(*action))
    throw Error("illegal move " + self.state->move_text(*action) + "; legal moves are " +
                legal_moves_text(*self.state));
  return *action;
}

// Moves separated by spaces or commas; where every move is one character (Connect4) they may stand together. "-" is
// none.
std::vector<std::string> split_moves(const AnyGame& game, std::string_view text) {
  std::vector<std::string> out;
  if (text == "-") return out;
  const bool single = game.layout().kind == Layout::Kind::gravity;
  for (const char c : text) {
    const bool gap = c == ' ' || c == ',' || c == '\t' || c == '\n';
    if (gap || single || out.empty()) out.emplace_back();
    if (!gap) out.back() += c;
  }
  std::erase(out, "");
  return out;
}

PyState from_moves(const PyGame& self, std::string_view text) {
  PyState state{self.game, self.game->initial()};
  for (const auto& move : split_moves(*self.game, text)) {
    try {
      apply_checked(state, parse_move(state, move));
    } catch (const Error& error) {
      throw Error("move " + std::to_string(state.state->moves().size() + 1) + ": " + error.what());
    }
  }
  return state;
}

std::string moves_text(const PyState& self) {
  auto replayed = self.game->initial();
  const bool single = self.game->layout().kind == Layout::Kind::gravity;
  std::string out;
  for (const Action a : self.state->moves()) {
    if (!out.empty() && !single) out += ' ';
    out += replayed->move_text(a);
    replayed->apply(a);
  }
  return out.empty() ? "-" : out;
}

std::vector<int> highlights(const AnyState& state) {
  auto cells = state.winning_line();
  if (cells.empty() && state.last_cell() >= 0) cells.push_back(state.last_cell());
  return cells;
}

nb::dict layout_dict(const AnyGame& game) {
  static constexpr const char* kKinds[] = {"cells", "gravity", "lines", "hexes", "discs", "text"};
  const Layout layout = game.layout();
  nb::dict out;
  out["kind"] = kKinds[static_cast<int>(layout.kind)];
  out["rows"] = layout.rows;
  out["cols"] = layout.cols;
  out["first_row_at_bottom"] = layout.first_row_at_bottom;
  nb::list names;
  for (int cell = 0; cell < layout.rows * layout.cols; ++cell) names.append(cell_text(layout, cell));
  out["cell_names"] = names;
  return out;
}

Floats planes(const PyState& self, int symmetry) {
  const auto layout = self.game->layout();
  auto out = new_array<float>({static_cast<std::size_t>(self.game->num_planes()), static_cast<std::size_t>(layout.rows),
                               static_cast<std::size_t>(layout.cols)});
  self.state->encode(checked_symmetry(*self.game, symmetry), out.data());
  return out;
}

void check(const AnyGame& rules, const ReplayRequest& request) {
  const auto samples = request.game.size();
  if (request.ply.size() != samples || request.symmetry.size() != samples)
    throw Error("game, ply and symmetry must have one entry per sample");
  const auto games = static_cast<std::int64_t>(request.game_start.size()) - 1;
  for (std::int64_t g = 0; g < games; ++g)
    if (request.game_start[static_cast<std::size_t>(g)] > request.game_start[static_cast<std::size_t>(g) + 1])
      throw Error("game_start must not decrease");
  if (games >= 0 &&
      (request.game_start.front() < 0 || request.game_start.back() > static_cast<std::int64_t>(request.moves.size())))
    throw Error("game_start points outside moves");
  for (std::size_t i = 0; i < samples; ++i) {
    const auto g = request.game[i];
    if (g < 0 || g >= games)
      throw Error("sample " + std::to_string(i) + " names game " + std::to_string(g) + ", which is not there");
    const auto length =
        request.game_start[static_cast<std::size_t>(g) + 1] - request.game_start[static_cast<std::size_t>(g)];
    if (request.ply[i] < 0 || request.ply[i] > length)
      throw Error("sample " + std::to_string(i) + " asks for ply " + std::to_string(request.ply[i]) + " of a game of " +
                  std::to_string(length));
    checked_symmetry(rules, request.symmetry[i]);
  }
}

nb::typed<nb::tuple, Floats, Bytes> replay(const PyGame& self, Array1<std::uint16_t> moves,
                                           Array1<std::int64_t> game_start, Array1<std::int32_t> game,
                                           Array1<std::int32_t> ply, Array1<std::uint8_t> symmetry, int threads) {
  const ReplayRequest request{span_of(moves), span_of(game_start), span_of(game), span_of(ply), span_of(symmetry)};
  check(*self.game, request);
  const auto samples = request.game.size();
  const auto layout = self.game->layout();
  auto out = new_array<float>({samples, static_cast<std::size_t>(self.game->num_planes()),
                               static_cast<std::size_t>(layout.rows), static_cast<std::size_t>(layout.cols)});
  auto legal = new_array<std::uint8_t>({samples, static_cast<std::size_t>(self.game->num_actions())});
  {
    const nb::gil_scoped_release release;
    self.game->replay(request, out.data(), legal.data(), threads);
  }
  return nb::make_tuple(out, legal);
}

nb::typed<nb::tuple, Floats, SignedBytes> count(const PyGame& self, Array1<std::uint16_t> moves,
                                                Array1<std::int64_t> game_start, Array1<std::int32_t> game,
                                                Array1<std::int32_t> ply, Array1<std::uint8_t> symmetry, int threads) {
  const ReplayRequest request{span_of(moves), span_of(game_start), span_of(game), span_of(ply), span_of(symmetry)};
  if (!self.game->counted()) throw Error("games of " + self.game->id().text() + " are not counted");
  check(*self.game, request);
  const auto layout = self.game->layout();
  auto lead = new_array<float>({request.game.size()});
  auto owners = new_array<std::int8_t>({request.game.size(), static_cast<std::size_t>(layout.rows * layout.cols)});
  {
    const nb::gil_scoped_release release;
    self.game->count(request, lead.data(), owners.data(), threads);
  }
  return nb::make_tuple(lead, owners);
}

PassCounting pass_counting(std::string_view passes) {
  if (passes == "ply") return PassCounting::ply;
  if (passes == "none") return PassCounting::none;
  if (passes == "free") return PassCounting::free;
  throw Error("passes must be ply, none or free, not " + quoted(passes));
}

std::vector<nb::dict> describe_registry() {
  std::vector<nb::dict> out;
  for (const auto& entry : registry()) {
    nb::dict game;
    game["name"] = std::string(entry.spec->name);
    game["title"] = std::string(entry.spec->title);
    game["sizes"] = entry.spec->sizes;
    game["default_size"] = entry.spec->default_size;
    nb::list options;
    for (const auto& option : entry.spec->options) {
      nb::dict row;
      row["name"] = std::string(option.name);
      row["values"] = describe(option);  // for people; the numbers behind it follow
      const bool number = option.choices.empty();
      row["low"] = number ? nb::cast(option.low) : nb::none();
      row["high"] = number ? nb::cast(option.high) : nb::none();
      row["step"] = number ? nb::cast(option.step) : nb::none();
      row["choices"] = std::vector<std::string>(option.choices.begin(), option.choices.end());
      row["default"] = number ? nb::cast(option.fallback)
                              : nb::cast(std::string(option.choices[static_cast<std::size_t>(option.fallback)]));
      row["input"] = option.input;
      row["about"] = std::string(option.sentence);
      options.append(row);
    }
    game["options"] = options;
    out.push_back(game);
  }
  return out;
}

}  // namespace

void bind_games(nb::module_& m) {
  // The one exception for wrong user input, raised as tengen.games.GameError (a ValueError).
  nb::exception<Error> game_error(m, "GameError", PyExc_ValueError);
  game_error.attr("__doc__") =
      "Wrong text, id, action or option; the message is one line that says what would be right.";

  m.def("registry", &describe_registry, nb::sig("def registry() -> list[dict[str, typing.Any]]"),
        "One dict per game: name, title, sizes, default_size, options.");

  nb::class_<PyState>(m, "State", "A position of a game, and the moves that led to it.")
      .def(
          "legal_actions", [](const PyState& s) { return s.state->legal(); },
          "The legal actions, ascending; empty when the game is over.")
      .def(
          "is_legal", [](const PyState& s, int action) { return s.state->is_legal(action); }, "action"_a,
          "Whether `action` may be played now.")
      .def("apply", &apply_checked, "action"_a,
           "Plays an action. Raises GameError, and changes nothing, when it is illegal.")
      .def(
          "copy", [](const PyState& s) { return PyState{s.game, s.state->clone(), s.start}; }, "An independent copy.")
      .def("__copy__", [](const PyState& s) { return PyState{s.game, s.state->clone(), s.start}; })
      .def(
          "is_terminal", [](const PyState& s) { return s.state->terminal(); }, "Whether the game is over.")
      .def(
          "outcome",
          [](const PyState& s) {
            if (!s.state->terminal()) throw Error("the game is not over, so it has no outcome yet");
            return static_cast<int>(s.state->outcome());
          },
          "The result for the side to move: 1 win, 0 draw, -1 loss. Raises GameError while the game goes on.")
      .def(
          "to_move", [](const PyState& s) { return s.state->to_move(); }, "0 for the first player, 1 for the second.")
      .def(
          "ply", [](const PyState& s) { return s.state->ply(); }, "Plies played since the start of the game.")
      .def("planes", &planes, "symmetry"_a = 0,
           "What the network sees: float32 [planes, rows, cols], from the side to move.")
      .def(
          "hash", [](const PyState& s, int symmetry) { return s.state->hash(checked_symmetry(*s.game, symmetry)); },
          "symmetry"_a = 0, "Equal for two positions exactly when their planes are equal.")
      .def(
          "board_hash", [](const PyState& s) { return s.state->board_hash(); },
          "Names the stones alone, as repetition rules see them.")
      .def(
          "policy_index",
          [](const PyState& s, int action, int symmetry) {
            return s.state->policy_index(checked_symmetry(*s.game, symmetry), checked_action(*s.game, action));
          },
          "action"_a, "symmetry"_a = 0,
          "Where an action stands in the network's policy when it is shown planes(symmetry).")
      .def(
          "render",
          [](const PyState& s) {
            if (s.game->layout().kind == Layout::Kind::text) return s.state->text().value_or("");
            return draw(s.game->layout(), [&](int cell) { return s.state->stone(cell); }, highlights(*s.state));
          },
          "The board as text; the last move, or the winning line, in brackets.")
      .def(
          "text", [](const PyState& s) { return s.state->text(); },
          "The position in the words of its rules; None in games that are built in.")
      .def(
          "glyphs", [](const PyState& s) { return s.state->glyphs(); },
          "A glyph for each cell, empty where there is none; None in games of stones.")
      .def(
          "move_cells",
          [](const PyState& s, int action) {
            const MoveCells cells = s.state->move_cells(checked_action(*s.game, action));
            return std::make_tuple(cells.from, cells.to);
          },
          "action"_a, "The cells that a move goes from and to; -1 for none.")
      .def(
          "stones",
          [](const PyState& s) {
            const auto layout = s.game->layout();
            std::vector<int> out;
            for (int cell = 0; cell < layout.rows * layout.cols; ++cell) out.push_back(s.state->stone(cell));
            return out;
          },
          "The board as a list of rows * cols: 0 empty, 1 first player's, 2 second player's.")
      .def(
          "highlights",
          [](const PyState& s) {
            nb::dict out;
            out["last"] = s.state->last_cell() >= 0 ? nb::cast(s.state->last_cell()) : nb::none();
            out["line"] = s.state->winning_line();
            return out;
          },
          nb::sig("def highlights(self) -> dict[str, typing.Any]"),
          "Cells to mark in a picture: {'last': cell or None, 'line': the winning line's cells}.")
      .def(
          "score",
          [](const PyState& s) -> std::optional<std::tuple<double, double>> {
            const auto score = s.state->score();
            if (!score) return {};
            return std::make_tuple(score->first, score->second);
          },
          "What each side has by the rules' count if the game ends here: (first, second), komi included. None in games "
          "that are not decided by a count.")
      .def(
          "owners", [](const PyState& s) { return s.state->owners(); },
          "For whom each cell counts in score(): 0 nobody, 1 first player, 2 second player; None as there.")
      .def(
          "settled", [](const PyState& s) { return s.state->settled(); },
          "Is every cell, as owners() has it, out of reach of the other side (law 15 of cpp/tengen/game.h)? Then the "
          "score as it stands is what the position is worth. None in games that do not say.")
      .def(
          "captures",
          [](const PyState& s) -> std::optional<std::tuple<int, int>> {
            const auto taken = s.state->captures();
            if (!taken) return {};
            return std::make_tuple((*taken)[0], (*taken)[1]);
          },
          "Stones that each side has captured since the start, or since the position was set up: (first, second). None "
          "in games without captures.")
      .def(
          "landing_cell",
          [](const PyState& s, int action) -> std::optional<int> {
            const auto a = checked_action(*s.game, action);
            const int cell = s.state->is_legal(a) ? s.state->landing_cell(a) : -1;
            return cell < 0 ? std::nullopt : std::optional(cell);
          },
          "action"_a, "The cell where a legal action puts its stone; None for a pass.")
      .def(
          "move_text", [](const PyState& s, int action) { return s.state->move_text(checked_action(*s.game, action)); },
          "action"_a, "An action as text, such as 'd4'.")
      .def("parse_move", &parse_move, "text"_a, "The legal action that a text names. Raises GameError.")
      .def(
          "position_text", [](const PyState& s) { return s.state->position_text(); },
          "The position as one line; Game.position reads it back.")
      .def(
          "moves", [](const PyState& s) { return s.state->moves(); },
          "The actions played since the start, or since the position was set up.")
      .def(
          "start_text", [](const PyState& s) { return s.start; },
          "The position text this game was set up from; empty when it began at the start.")
      .def("moves_text", &moves_text, "The moves as text ('-' for none); Game.from_moves reads it back.")
      .def(
          "perft",
          [](const PyState& s, int depth, std::string_view passes, bool finished_counts) {
            if (depth < 0) throw Error("depth must be 0 or more, not " + std::to_string(depth));
            const auto counting = pass_counting(passes);
            const auto state = s.state->clone();  // another thread may play on meanwhile
            const nb::gil_scoped_release release;
            return state->perft(depth, counting, finished_counts);
          },
          "depth"_a, "passes"_a = "ply", "finished_counts"_a = false,
          "How many move sequences of exactly `depth` plies there are.")
      .def(
          "prove",
          [](const PyState& s, int positions) -> std::optional<int> {
            if (s.state->terminal()) throw Error("the game is over: there is nothing to prove");
            if (positions <= 0) return {};
            const auto state = s.state->clone();
            const nb::gil_scoped_release release;
            const Bounds found = state->prove(positions);
            if (!found.solved()) return {};
            return found.lo;
          },
          "positions"_a,
          "What the position is worth to the side to move (-1, 0 or 1) if looking at so many positions proves it, else "
          "None; None in games where earlier positions matter (Go).")
      .def(
          "play_outs",
          [](const PyState& s, std::int64_t games, std::uint64_t seed) {
            const auto state = s.state->clone();
            PlayoutTotals totals;
            {
              const nb::gil_scoped_release release;
              totals = state->play_outs(games, seed);
            }
            return std::make_tuple(totals.plies, totals.first_wins, totals.draws, totals.second_wins);
          },
          "games"_a, "seed"_a = 0,
          "Plays random games from here: (plies, first player's wins, draws, second player's wins).")
      .def(
          "sample", [](const PyState& s, Rng& rng) { return going_on(s).sample(rng); }, "rng"_a,
          "A uniformly random legal action, found without listing all. An ability, as the five below: None in games "
          "that do not offer it (laws 9 to 14 of cpp/tengen/game.h).")
      .def(
          "legal_only_shrinks", [](const PyState& s) { return s.state->legal_only_shrinks(); },
          "Does every legal action stay legal until it is played, and is none added?")
      .def(
          "wins_at_once", [](const PyState& s) { return going_on(s).wins_at_once(); },
          "Can the side to move win with its next move?")
      .def(
          "safe", [](const PyState& s) { return going_on(s).safe(); },
          "The legal actions after which the opponent cannot win at once. To be asked where no move wins at once.")
      .def(
          "promising", [](const PyState& s) { return going_on(s).promising(); },
          "The safe actions, those first that a proof should try first.")
      .def(
          "forcing", [](const PyState& s) { return going_on(s).forcing(); },
          "The safe actions that leave the opponent at most one safe answer.")
      .def_prop_ro(
          "game", [](const PyState& s) { return PyGame{s.game}; }, "The game this position belongs to.")
      .def("__repr__",
           [](const PyState& s) { return "<State " + s.game->id().text() + " " + s.state->position_text() + ">"; });

  nb::class_<GameFacts>(m, "GameFacts", "What is known of a game beside its rules; None where it has nothing to say.")
      .def_ro("c_ucb", &GameFacts::c_ucb, "UCB1's constant for pure MCTS.")
      .def_ro("opening_plies", &GameFacts::opening_plies, "Random plies that start the games of a match.")
      .def_ro("finished_counts", &GameFacts::finished_counts,
              "Whether published perft tables count a finished position at any remaining depth.")
      .def_ro("sgf_number", &GameFacts::sgf_number, "GM in its SGF files, if other programs know it.")
      .def_ro("sgf_size", &GameFacts::sgf_size, "The board of SGF files that name none.")
      .def_ro("sgf_rules", &GameFacts::sgf_rules, "RU in its SGF files.")
      .def_prop_ro(
          "goals",
          [](const GameFacts& facts) -> std::optional<std::tuple<std::string_view, std::string_view>> {
            if (!facts.goals) return {};
            return std::make_tuple((*facts.goals)[0], (*facts.goals)[1]);
          },
          "What each side is to do, where that differs: names of phrases (first, second).");

  nb::class_<PyGame>(m, "Game", "A game with its size and options. Made by tengen.games.make.")
      .def_static(
          "parse", [](std::string_view id) { return PyGame{make_game(id)}; }, "id"_a,
          "The game an id names. Raises GameError.")
      .def_prop_ro(
          "id", [](const PyGame& g) { return g.game->id().text(); }, "The canonical id, defaults left out.")
      .def_prop_ro(
          "name", [](const PyGame& g) { return std::string(g.game->id().spec->name); },
          "The game's name in the registry.")
      .def_prop_ro(
          "facts", [](const PyGame& g) { return g.game->id().spec->facts; },
          "What is known of it beside its rules, so that nobody has to ask for it by name.")
      .def_prop_ro(
          "num_actions", [](const PyGame& g) { return g.game->num_actions(); }, "Length of the policy.")
      .def_prop_ro(
          "num_symmetries", [](const PyGame& g) { return g.game->num_symmetries(); },
          "Board symmetries, the identity included.")
      .def_prop_ro(
          "max_plies", [](const PyGame& g) { return g.game->max_plies(); }, "No game is longer.")
      .def_prop_ro(
          "remembers", [](const PyGame& g) { return g.game->remembers(); },
          "Do earlier positions matter that the planes do not show? Then a table of positions proves nothing.")
      .def_prop_ro(
          "counted_after", [](const PyGame& g) { return g.game->counted_after(); },
          "The ply at which self-play scores a game as it stands; None where only the rules end games.")
      .def(
          "varied",
          [](const PyGame& g, std::uint64_t seed, std::uint64_t number) {
            return PyGame{make_game(g.game->varied(seed, number).text())};
          },
          "seed"_a, "number"_a,
          "This game with the options that the network sees drawn at random, as self-play draws them for the game of "
          "this number; the same game where it has no such options.")
      .def_prop_ro(
          "planes_shape",
          [](const PyGame& g) {
            return std::make_tuple(g.game->num_planes(), g.game->layout().rows, g.game->layout().cols);
          },
          "(planes, rows, cols) of what the network sees.")
      .def_prop_ro(
          "schema", [](const PyGame& g) { return std::string(g.game->schema()); },
          "The meaning of the planes, in order.")
      .def_prop_ro(
          "state_bytes", [](const PyGame& g) { return g.game->state_bytes(); }, "Size of one position in memory.")
      .def_prop_ro(
          "kept_bytes", [](const PyGame& g) { return g.game->kept_bytes(); },
          "What a search keeps of a position beside its node: of games whose rules live elsewhere.")
      .def(
          "start", [](const PyGame& g) { return PyState{g.game, g.game->initial()}; }, "The starting position.")
      .def(
          "position",
          [](const PyGame& g, std::string_view text) {
            return PyState{g.game, g.game->from_text(text), std::string(text)};
          },
          "text"_a, "A position from its text. Raises GameError.")
      .def("from_moves", &from_moves, "moves"_a, "The position after a list of moves as text. Raises GameError.")
      .def(
          "transform",
          [](const PyGame& g, int symmetry, int action) {
            return g.game->transform(checked_symmetry(*g.game, symmetry), checked_action(*g.game, action));
          },
          "symmetry"_a, "action"_a, "Where a symmetry of the board takes an action.")
      .def(
          "inverse", [](const PyGame& g, int symmetry) { return g.game->inverse(checked_symmetry(*g.game, symmetry)); },
          "symmetry"_a, "The symmetry that undoes one.")
      .def(
          "layout", [](const PyGame& g) { return layout_dict(*g.game); },
          nb::sig("def layout(self) -> dict[str, typing.Any]"),
          "What a picture needs: kind (cells, gravity, lines, hexes, discs; text: no board), rows, cols, cell names.")
      .def("replay", &replay, "moves"_a, "game_start"_a, "game"_a, "ply"_a, "symmetry"_a, "threads"_a = 0,
           "Replays prefixes of many games at once: (planes [n, planes, rows, cols], legal moves [n, actions] in "
           "policy order).")
      .def_prop_ro(
          "counted", [](const PyGame& g) { return g.game->counted(); },
          "Is the result a count of points? Then there is a lead, and every cell may have an owner.")
      .def("count", &count, "moves"_a, "game_start"_a, "game"_a, "ply"_a, "symmetry"_a, "threads"_a = 0,
           "How the whole games of some samples ended, for the side to move of each: (lead [n] in points, owners "
           "[n, cells] 1 own, -1 the opponent's, 0 nobody's). The samples are those of `replay`.")
      .def(
          "__eq__", [](const PyGame& a, const PyGame& b) { return a.game->id().text() == b.game->id().text(); },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const PyGame& g) { return std::hash<std::string>{}(g.game->id().text()); })
      .def("__repr__", [](const PyGame& g) { return "<Game " + g.game->id().text() + ">"; });
}

}  // namespace tengen
