// Binds the settings, the random streams and the mathematics that the search uses. Everything about a parameter comes
// from its table.
#include "tengen/selfplay/config.h"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bindings.h"
#include "tengen/base/draws.h"
#include "tengen/base/elementary.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

template <class Config>
using Kind = typename Field<Config>::Kind;

template <class Config>
std::span<const Field<Config>> table() {
  return config_table(static_cast<const Config*>(nullptr));
}

template <class Config>
nb::object value_object(const Config& config, const Field<Config>& field) {
  const double value = field.get(config);
  switch (field.kind) {
    case Kind<Config>::integer:
      return nb::int_(static_cast<long long>(value));
    case Kind<Config>::real:
      return nb::float_(value);
    case Kind<Config>::toggle:
      return nb::bool_(value != 0);
    case Kind<Config>::choice:
      break;
  }
  return nb::str(value_text(config, field).c_str());
}

template <class Config>
void assign(Config& config, const Field<Config>& field, nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return set_text(config, field, nb::cast<std::string>(value));
  double number = 0;
  if (field.kind == Kind<Config>::choice || !nb::try_cast(value, number))
    return set_text(config, field, nb::cast<std::string>(nb::str(value)));
  set_number(config, field, number);
}

template <class Config>
std::string repr(const Config& config, const char* name) {
  std::string out;
  for (const auto& field : table<Config>())
    if (field.get(config) != field.get(Config{}))
      out += (out.empty() ? "" : ", ") + std::string(field.name) + "=" + value_text(config, field);
  return std::string(name) + "(" + out + ")";
}

template <class Config>
std::vector<nb::dict> field_rows() {
  static constexpr const char* kKinds[] = {"integer", "real", "toggle", "choice"};
  std::vector<nb::dict> out;
  for (const auto& field : table<Config>()) {
    nb::dict row;
    row["name"] = std::string(field.name);
    row["kind"] = kKinds[static_cast<int>(field.kind)];
    row["low"] = field.low;
    row["high"] = field.high;
    row["choices"] = field.choices;
    row["default"] = value_object(Config{}, field);
    row["about"] = std::string(field.sentence);
    out.push_back(row);
  }
  return out;
}

// An immutable class with a property for each row of the table. `word` ("search") names it in errors.
template <class Config>
void bind_config(nb::module_& m, const char* name, const char* word, const char* doc) {
  const auto changed = [word](Config config, const nb::kwargs& options) {
    for (const auto& [key, value] : options)
      assign(config, find_field(table<Config>(), word, nb::cast<std::string>(key)), value);
    validate(config);
    return config;
  };
  const std::string replace_signature =
      std::string("def replace(self, **changes: int | float | bool | str) -> ") + name;
  nb::class_<Config> config(m, name, doc);
  config
      .def(
          "__init__", [changed](Config* self, const nb::kwargs& options) { new (self) Config(changed({}, options)); },
          "options"_a, nb::sig("def __init__(self, **options: int | float | bool | str) -> None"))
      .def("replace", changed, "changes"_a, nb::sig(replace_signature.c_str()), "A copy with some options changed.")
      .def(
          "to_dict",
          [](const Config& self) {
            nb::dict out;
            for (const auto& field : table<Config>()) out[std::string(field.name).c_str()] = value_object(self, field);
            return out;
          },
          nb::sig("def to_dict(self) -> dict[str, int | float | bool | str]"), "All options by name.")
      .def_static("fields", &field_rows<Config>, nb::sig("def fields() -> list[dict[str, object]]"),
                  "The table: name, kind, low, high, choices, default, about.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [name](const Config& self) { return std::hash<std::string>{}(repr(self, name)); })
      .def("__repr__", [name](const Config& self) { return repr(self, name); });
  for (const auto& field : table<Config>()) {
    const std::string field_name(field.name), about(field.sentence);
    const auto bind = [&]<class T>(T (*convert)(const Config&, const Field<Config>&)) {
      config.def_prop_ro(
          field_name.c_str(), [&field, convert](const Config& self) { return convert(self, field); }, about.c_str());
    };
    using F = Field<Config>;
    switch (field.kind) {
      case Kind<Config>::integer:
        bind(+[](const Config& self, const F& f) { return static_cast<long long>(f.get(self)); });
        break;
      case Kind<Config>::real:
        bind(+[](const Config& self, const F& f) { return f.get(self); });
        break;
      case Kind<Config>::toggle:
        bind(+[](const Config& self, const F& f) { return f.get(self) != 0; });
        break;
      case Kind<Config>::choice:
        bind(+[](const Config& self, const F& f) { return value_text(self, f); });
        break;
    }
  }
}

Purpose purpose_of(std::string_view name) {
  static constexpr std::string_view kNames[] = {"noise",   "gumbel", "temperature", "symmetry", "rollout",
                                                "opening", "cap",    "resign",      "stray",    "vary"};
  for (std::uint64_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<Purpose>(i + 1);
  throw std::invalid_argument(
      "purpose must be noise, gumbel, temperature, symmetry, rollout, opening, cap, resign or stray");
}

}  // namespace

void bind_config(nb::module_& m) {
  nb::exception<ConfigError> config_error(m, "ConfigError", PyExc_ValueError);
  config_error.attr("__doc__") =
      "An unknown option or a value out of range; the message is one line that says what would be right.";

  bind_config<SearchConfig>(m, "SearchConfig", "search",
                            "Every parameter of the search. Immutable; SearchConfig(sims=100, fpu_mode='zero').");
  bind_config<SelfPlayConfig>(m, "SelfPlayConfig", "selfplay",
                              "Every parameter of self-play beside the search's own. Immutable.");

  nb::class_<Rng>(m, "Rng", "A counter-based random stream, named by (seed, game, ply, purpose).")
      .def(
          "__init__",
          [](Rng* self, std::uint64_t seed, std::uint64_t game, std::uint64_t ply, std::string_view purpose) {
            new (self) Rng(seed, game, ply, purpose_of(purpose));
          },
          "seed"_a, "game"_a, "ply"_a, "purpose"_a)
      .def("next", &Rng::next, "64 random bits.")
      .def("below", &Rng::below, "n"_a, "Uniform in 0 … n − 1.")
      .def("uniform", &Rng::uniform, "Uniform in [0, 1).")
      .def(
          "gumbel", [](Rng& self) { return gumbel(self); }, "A standard Gumbel number.")
      .def(
          "dirichlet",
          [](Rng& self, double alpha, int n) {
            if (!(alpha > 0 && std::isfinite(alpha)) || n < 1)
              throw std::invalid_argument("dirichlet needs a finite alpha > 0 and n >= 1");
            std::vector<double> out(static_cast<std::size_t>(n));
            dirichlet(self, alpha, out.data(), n);
            return out;
          },
          "alpha"_a, "n"_a, "A symmetric Dirichlet sample of length n.");
  m.def("mix64", &mix64, "x"_a, "SplitMix64's finaliser.");
  m.def("exp", [](double x) { return elementary::exp(x); }, "x"_a, "e^x, the same on every machine.");
  m.def(
      "log", [](double x) { return elementary::log(x); }, "x"_a,
      "The natural logarithm, the same on every machine; -inf of 0, NaN of a negative number.");
  m.def(
      "pow", [](double x, double y) { return elementary::pow(x, y); }, "x"_a, "y"_a,
      "x^y, the same on every machine; NaN for a negative x.");
}

}  // namespace tengen
