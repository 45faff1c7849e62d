// Rules that Python answers, by the methods of tengen.games.Rules, or by functions that were compiled from them or lie
// in a shared library. Everything they say is checked here, so the core never sees a wrong shape or number.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstring>

#include "bindings.h"
#include "tengen/erased/entry.h"
#include "tengen/erased/foreign.h"
#include "tengen/erased/tengen_game.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

constexpr std::size_t kMostText = 20'000, kMostMoveText = 64, kMostGlyph = 32;

// The last place in the user's file, and what was raised there: "ZeroDivisionError: … (nim.py, line 12, in apply)".
std::string told(const nb::python_error& error, const char* method) {
  std::string out = nb::cast<std::string>(error.type().attr("__name__"));
  const auto value = nb::cast<std::string>(nb::str(error.value()));
  if (!value.empty()) out += ": " + value.substr(0, 300);
  for (char& c : out)
    if (c == '\n' || c == '\r') c = ' ';
  try {
    const nb::object frames = nb::module_::import_("traceback").attr("extract_tb")(error.traceback());
    const nb::object frame = frames[nb::int_(-1)];
    const auto told = [](const nb::object& part) { return std::string(nb::str(part).c_str()); };
    const std::string file = told(frame.attr("filename"));
    return out + " (" + file.substr(file.find_last_of("/\\") + 1) + ", line " + told(frame.attr("lineno")) + ", in " +
           told(frame.attr("name")) + ")";
  } catch (const std::exception&) {  // raised by a function without a Python frame
    return out + " (in " + method + ")";
  }
}

// Python's lock, and its exceptions as RulesError. What ends a program (Ctrl-C, no memory) stays what it is.
template <class Question>
auto guarded(const char* method, const Question& question) {
  const nb::gil_scoped_acquire gil;
  try {
    return question();
  } catch (nb::python_error& error) {
    for (PyObject* ends : {PyExc_KeyboardInterrupt, PyExc_SystemExit, PyExc_MemoryError, PyExc_GeneratorExit})
      if (error.matches(ends)) throw;
    throw RulesError(told(error, method));
  } catch (const nb::cast_error&) {
    throw RulesError(std::string(method) + " returned something of another type");
  }
}

[[noreturn]] void refuse(const char* method, const std::string& what) {
  throw RulesError(std::string(method) + ' ' + what);
}

nb::object stolen(PyObject* made) {
  if (!made) throw nb::python_error();
  return nb::steal(made);
}

long whole_number(PyObject* given, const char* method) {
  int overflow = 0;
  if (PyLong_CheckExact(given)) {  // nearly always
    const long value = PyLong_AsLongAndOverflow(given, &overflow);
    if (overflow != 0) refuse(method, "returned a number beyond all bounds");
    return value;
  }
  if (!PyIndex_Check(given))
    refuse(method, "returned a " + std::string(Py_TYPE(given)->tp_name) + " where a whole number belongs");
  return whole_number(stolen(PyNumber_Index(given)).ptr(), method);
}

// One element after the other of whatever can be gone through.
template <class Each>
Py_ssize_t for_each(const nb::object& given, const char* method, const Each& each) {
  const nb::object items = stolen(PySequence_Fast(given.ptr(), method));
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
  for (Py_ssize_t i = 0; i < n; ++i) each(PySequence_Fast_GET_ITEM(items.ptr(), i));
  return n;
}

std::string checked_text(const nb::object& given, const char* method, std::size_t most) {
  if (!PyUnicode_Check(given.ptr())) refuse(method, "must return text");
  auto text = nb::cast<std::string>(given);
  if (text.size() > most) refuse(method, "returned a text of more than " + std::to_string(most) + " bytes");
  return text;
}

class PythonRules : public Rules {
 public:
  PythonRules(nb::object rules, RuleFacts facts)
      : Rules(std::move(facts)),
        start_(rules.attr("start")),
        copy_(rules.attr("copy")),
        legal_(rules.attr("legal")),
        apply_(rules.attr("apply")),
        outcome_(rules.attr("outcome")),
        planes_(rules.attr("planes")),
        hash_(rules.attr("hash")),
        asarray_(nb::module_::import_("numpy").attr("asarray")),
        float32_(nb::module_::import_("numpy").attr("float32")),
        rules_(std::move(rules)) {}

  void start(void* state) const override {
    guarded("start", [&] { held(state) = start_().release().ptr(); });
  }
  void copy(const void* from, void* to) const override {
    guarded("copy", [&] {
      held(to) = copy_.is_none() ? nb::borrow(held(from)).release().ptr() : copy_(held_handle(from)).release().ptr();
    });
  }
  void destroy(void* state) const noexcept override {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire gil;
    Py_XDECREF(held(state));
  }
  void apply(void* state, Action action) const override {
    guarded("apply", [&] {
      nb::object next = apply_(held_handle(state), static_cast<int>(action));
      if (!copy_.is_none()) return;  // it changed its argument
      if (next.is_none()) refuse("apply", "returned None; return the next state, or define copy");
      Py_DECREF(std::exchange(held(state), next.release().ptr()));
    });
  }
  void legal(const void* state, std::vector<Action>& out) const override {
    guarded("legal", [&] {
      for_each(legal_(held_handle(state)), "legal must return a list of actions", [&](PyObject* item) {
        const long action = whole_number(item, "legal");
        if (action < 0 || action >= facts().actions)
          refuse("legal",
                 "names action " + std::to_string(action) + ", and actions = " + std::to_string(facts().actions));
        out.push_back(static_cast<Action>(action));
      });
    });
  }
  int outcome(const void* state) const override {
    return guarded("outcome", [&] {
      const nb::object found = outcome_(held_handle(state));
      if (found.is_none()) return kGoesOn;
      const long value = whole_number(found.ptr(), "outcome");
      if (value < -1 || value > 1) refuse("outcome", "returned " + std::to_string(value) + ", not 1, 0, -1 or None");
      return static_cast<int>(value);
    });
  }
  void encode(const void* state, float* out) const override {
    guarded("planes", [&] { write(planes_(held_handle(state)), out); });
    check_planes(out);
  }
  std::uint64_t hash(const void* state, int symmetry) const override {
    return guarded("hash", [&] {
      const nb::object number = stolen(PyNumber_Index(hash_(held_handle(state), symmetry).ptr()));
      return static_cast<std::uint64_t>(PyLong_AsUnsignedLongLongMask(number.ptr()));
    });
  }

  std::string move_text(const void* state, Action action) const override {
    return guarded("move_text", [&] {
      auto text =
          checked_text(rules_.attr("move_text")(seen(state), static_cast<int>(action)), "move_text", kMostMoveText);
      for (const char c : text)
        if (static_cast<unsigned char>(c) <= ' ' || c == ',' || c == 0x7f)
          refuse("move_text", "must have no spaces, commas or control characters");
      if (text.empty()) refuse("move_text", "returned an empty text");
      return text;
    });
  }
  MoveCells move_cells(const void* state, Action action) const override {
    const Layout layout = facts().layout;
    const int cells = layout.rows * layout.cols;
    return guarded("moves_on", [&]() -> MoveCells {
      const nb::object asked = rules_.attr("moves_on");
      if (asked.is_none())
        return {-1, layout.kind != Layout::Kind::text && action < cells && cells <= facts().actions ? action : -1};
      const nb::object found = asked(seen(state), static_cast<int>(action));
      long from = -1, to = -1;
      if (PyTuple_Check(found.ptr()) || PyList_Check(found.ptr())) {
        if (nb::len(found) != 2) refuse("moves_on", "must return a cell, or a pair of cells");
        from = whole_number(nb::object(found[0]).ptr(), "moves_on");
        to = whole_number(nb::object(found[1]).ptr(), "moves_on");
      } else {
        to = whole_number(found.ptr(), "moves_on");
      }
      if (std::min(from, to) < -1 || std::max(from, to) >= cells) refuse("moves_on", "names a cell beyond the board");
      return {static_cast<int>(from), static_cast<int>(to)};
    });
  }
  std::vector<DrawnCell> cells(const void* state) const override {
    const auto count = static_cast<std::size_t>(facts().layout.rows * facts().layout.cols);
    return guarded("cells", [&] {
      std::vector<DrawnCell> out;
      if (!facts().glyphs) out.resize(count);
      if (facts().glyphs)
        for_each(rules_.attr("cells")(seen(state)), "cells must return a list", [&](PyObject* item) {
          DrawnCell cell;
          const auto given = nb::borrow(item);
          if (PyTuple_Check(item) && nb::len(given) == 2) {
            cell.owner = static_cast<int>(whole_number(nb::object(given[0]).ptr(), "cells"));
            cell.glyph = checked_text(nb::object(given[1]), "cells", kMostGlyph);
          } else {
            cell.owner = static_cast<int>(whole_number(item, "cells"));
          }
          if (cell.owner < 0 || cell.owner > 2) refuse("cells", "names player " + std::to_string(cell.owner));
          out.push_back(std::move(cell));
        });
      if (out.size() != count)
        refuse("cells",
               "returned " + std::to_string(out.size()) + " cells, and the board has " + std::to_string(count));
      return out;
    });
  }
  std::vector<int> line(const void* state) const override {
    return guarded("line", [&] {
      std::vector<int> out;
      const nb::object asked = rules_.attr("line");
      if (asked.is_none()) return out;
      for_each(asked(seen(state)), "line must return a list of cells", [&](PyObject* item) {
        const long cell = whole_number(item, "line");
        if (cell < 0 || cell >= facts().layout.rows * facts().layout.cols)
          refuse("line", "names a cell beyond the board");
        out.push_back(static_cast<int>(cell));
      });
      return out;
    });
  }
  std::string text(const void* state) const override {
    return guarded("text", [&] { return checked_text(rules_.attr("text")(seen(state)), "text", kMostText); });
  }
  Score score(const void* state) const override {
    return guarded("score", [&] {
      const auto [first, second] = nb::cast<std::pair<double, double>>(rules_.attr("score")(seen(state)));
      if (!std::isfinite(first) || !std::isfinite(second)) refuse("score", "returned no finite number");
      return Score{first, second};
    });
  }
  std::vector<int> owners(const void* state) const override {
    return guarded("owners", [&] {
      std::vector<int> out;
      for_each(rules_.attr("owners")(seen(state)), "owners must return a list", [&](PyObject* item) {
        const long owner = whole_number(item, "owners");
        if (owner < 0 || owner > 2) refuse("owners", "names player " + std::to_string(owner));
        out.push_back(static_cast<int>(owner));
      });
      if (out.size() != static_cast<std::size_t>(facts().layout.rows * facts().layout.cols))
        refuse("owners", "must have an entry for every cell");
      return out;
    });
  }
  std::shared_ptr<void> hold() const override {
    return {new nb::gil_scoped_acquire, [](void* lock) { delete static_cast<nb::gil_scoped_acquire*>(lock); }};
  }

 protected:
  // A state as the methods for people see it.
  virtual nb::object seen(const void* state) const { return nb::borrow(held_handle(state)); }
  void check_planes(const float* planes) const {
    for (std::size_t i = 0; i < facts().plane_floats(); ++i)
      if (!std::isfinite(planes[i])) refuse("planes", "have a number that is not finite");
  }
  const nb::object& rules() const { return rules_; }

 private:
  static PyObject*& held(void* state) { return *static_cast<PyObject**>(state); }
  static PyObject* held(const void* state) { return *static_cast<PyObject* const*>(state); }
  static nb::handle held_handle(const void* state) { return {held(state)}; }

  // An array of the right kind is copied as it lies; everything else goes through numpy.
  void write(nb::object given, float* out) const {
    if (copied(given, out)) return;
    const nb::object array = asarray_(given, "dtype"_a = float32_, "order"_a = "C");
    if (!copied(array, out)) {
      const Layout layout = facts().layout;
      const auto shape = [](const nb::object& a) {
        return nb::cast<std::string>(nb::str(nb::object(a.attr("shape"))));
      };
      refuse("planes", "have the shape " + shape(array) + ", not (" + std::to_string(facts().planes) + ", " +
                           std::to_string(layout.rows) + ", " + std::to_string(layout.cols) + ")");
    }
  }
  bool copied(const nb::object& given, float* out) const {
    Py_buffer view;
    if (!PyObject_CheckBuffer(given.ptr())) return false;
    if (PyObject_GetBuffer(given.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      return false;
    }
    const Layout layout = facts().layout;
    const bool fits = view.ndim == 3 && view.format && std::strcmp(view.format, "f") == 0 &&
                      view.shape[0] == facts().planes && view.shape[1] == layout.rows && view.shape[2] == layout.cols;
    if (fits) std::memcpy(out, view.buf, static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
    return fits;
  }

  nb::object start_, copy_, legal_, apply_, outcome_, planes_, hash_, asarray_, float32_, rules_;
};

// The hot half in machine code, called without Python's lock; what people look at comes from Python.
class CompiledRules final : public PythonRules {
 public:
  CompiledRules(nb::object rules, RuleFacts facts, const tengen_game_t& table)
      : PythonRules(std::move(rules), std::move(facts)), table_(table) {}

  void start(void* state) const override {
    std::memset(state, 0, facts().state_bytes);
    table_.start(state);
  }
  void copy(const void* from, void* to) const override { std::memcpy(to, from, facts().state_bytes); }
  void destroy(void*) const noexcept override {}
  void apply(void* state, Action action) const override { table_.apply(state, action); }
  void legal(const void* state, std::vector<Action>& out) const override {
    out.resize(static_cast<std::size_t>(facts().actions));
    const int n = table_.legal(state, out.data());
    if (n < 0 || n > facts().actions) refuse("legal", "failed");
    out.resize(static_cast<std::size_t>(n));
  }
  int outcome(const void* state) const override { return table_.outcome(state); }
  void encode(const void* state, float* out) const override {
    table_.encode(state, out);
    check_planes(out);
  }
  std::uint64_t hash(const void* state, int symmetry) const override { return table_.hash(state, symmetry); }
  std::shared_ptr<void> hold() const override { return nullptr; }
  // A C function cannot raise: Python goes through the game again and finds the user's line.
  std::string explain(std::span<const Action> moves) const override {
    try {
      return guarded("explain", [&]() -> std::string {
        if (!nb::hasattr(rules(), "explain")) return {};
        const std::vector<int> actions(moves.begin(), moves.end());
        return checked_text(rules().attr("explain")(actions), "explain", kMostText);
      });
    } catch (const RulesError&) {
      return {};
    }
  }

 private:
  nb::object seen(const void* state) const override {
    return rules().attr("seen")(nb::bytes(static_cast<const char*>(state), facts().state_bytes));
  }

  const tengen_game_t& table_;
};

int inverse_of(const std::vector<RuleFacts::Permutation>& all, const std::vector<std::uint16_t>& actions,
               const std::vector<std::uint16_t>& cells) {
  const auto undone = [](const auto& there, const auto& back) {
    for (std::size_t i = 0; i < there.size(); ++i)
      if (back[there[i]] != i) return false;
    return true;
  };
  for (std::size_t s = 0; s < all.size(); ++s)
    if (undone(cells, all[s].cells) && undone(actions, all[s].actions)) return static_cast<int>(s);
  throw Error("symmetries must be complete: one of them is not undone by any other");
}

// A game that is made but not entered: its facts have been checked by tengen.games.register.
PyGame foreign_game(nb::object rules, const std::string& name, const std::string& title, const std::string& schema,
                    int actions, int most_plies, int planes, int rows, int cols, int kind,
                    const std::vector<std::pair<std::vector<std::uint16_t>, std::vector<std::uint16_t>>>& symmetries,
                    const std::vector<std::uint16_t>& turned, std::uint64_t table) {
  RuleFacts facts;
  facts.name = name, facts.title = title, facts.schema = schema;
  facts.actions = actions, facts.most_plies = most_plies, facts.planes = planes;
  facts.layout = {static_cast<Layout::Kind>(kind), rows, cols};
  for (const auto& [its_cells, its_actions] : symmetries) facts.symmetries.push_back({its_cells, its_actions});
  for (auto& symmetry : facts.symmetries)
    symmetry.inverse = inverse_of(facts.symmetries, symmetry.actions, symmetry.cells);
  facts.turned = turned;
  facts.remembers = nb::cast<bool>(nb::bool_(rules.attr("remembers")));
  facts.counted = !nb::object(rules.attr("score")).is_none();
  facts.glyphs = !nb::object(rules.attr("cells")).is_none();
  facts.own_hash = !nb::object(rules.attr("hash")).is_none();
  const auto* functions = reinterpret_cast<const tengen_game_t*>(table);
  facts.serial = !functions;
  facts.state_bytes = functions ? static_cast<std::size_t>(functions->state_bytes) : sizeof(PyObject*);
  // A guess for what Python keeps of a position; planes wait there between the hash and the network.
  facts.kept_bytes = sizeof(Snapshot) + 4 * facts.plane_floats() + (functions ? facts.state_bytes : 1024);
  std::shared_ptr<Rules> made;
  if (functions)
    made = std::make_shared<CompiledRules>(std::move(rules), std::move(facts), *functions);
  else
    made = std::make_shared<PythonRules>(std::move(rules), std::move(facts));
  auto spec = std::make_unique<ForeignSpec>(std::move(made));
  GamePtr game = foreign_entry(*spec).make({spec.get(), 0, {}});
  spec.release();  // the game points to it; one that is never entered was refused, and its process ends
  return {std::move(game)};
}

}  // namespace

void bind_rules(nb::module_& m) {
  m.def("foreign_game", &foreign_game, "rules"_a, "name"_a, "title"_a, "schema"_a, "actions"_a, "most_plies"_a,
        "planes"_a, "rows"_a, "cols"_a, "kind"_a, "symmetries"_a, "turned"_a, "table"_a,
        "A game behind the same search as built-in ones. For tengen.games.register.");
  m.def(
      "enter_game",
      [](const PyGame& game, const std::string& schema) {
        const auto* spec = static_cast<const ForeignSpec*>(game.game->id().spec);
        spec->rules->name_schema(schema);
        enter_game(*spec);
      },
      "game"_a, "schema"_a, "Makes a game known by its name. Raises GameError.");
  m.def(
      "leave_game", [](const PyGame& game) { leave_game(*static_cast<const ForeignSpec*>(game.game->id().spec)); },
      "game"_a, "Frees the name of a game that was entered.");
}

}  // namespace tengen
