// Binds SearchConfig and the random streams. Everything about a parameter comes from the table in config.cpp.
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "tengen/draws.h"
#include "tengen/search/config.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

nb::object value_object(const SearchConfig& config, const Field& field) {
  const double value = field.get(config);
  switch (field.kind) {
    case Field::Kind::integer:
      return nb::int_(static_cast<long long>(value));
    case Field::Kind::real:
      return nb::float_(value);
    case Field::Kind::toggle:
      return nb::bool_(value != 0);
    case Field::Kind::choice:
      break;
  }
  return nb::str(value_text(config, field).c_str());
}

void assign(SearchConfig& config, const Field& field, nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return set_text(config, field, nb::cast<std::string>(value));
  double number = 0;
  if (field.kind == Field::Kind::choice || !nb::try_cast(value, number))
    return set_text(config, field, nb::cast<std::string>(nb::str(value)));
  set_number(config, field, number);
}

SearchConfig changed(SearchConfig config, const nb::kwargs& options) {
  for (const auto& [key, value] : options) assign(config, search_field(nb::cast<std::string>(key)), value);
  validate(config);
  return config;
}

nb::dict to_dict(const SearchConfig& config) {
  nb::dict out;
  for (const auto& field : search_fields()) out[std::string(field.name).c_str()] = value_object(config, field);
  return out;
}

std::string repr(const SearchConfig& config) {
  std::string out;
  for (const auto& field : search_fields())
    if (field.get(config) != field.get(SearchConfig{}))
      out += (out.empty() ? "" : ", ") + std::string(field.name) + "=" + value_text(config, field);
  return "SearchConfig(" + out + ")";
}

std::vector<nb::dict> field_table() {
  static constexpr const char* kKinds[] = {"integer", "real", "toggle", "choice"};
  std::vector<nb::dict> out;
  for (const auto& field : search_fields()) {
    nb::dict row;
    row["name"] = std::string(field.name);
    row["kind"] = kKinds[static_cast<int>(field.kind)];
    row["low"] = field.low;
    row["high"] = field.high;
    row["choices"] = field.choices;
    row["default"] = value_object(SearchConfig{}, field);
    row["about"] = std::string(field.sentence);
    out.push_back(row);
  }
  return out;
}

Purpose purpose_of(std::string_view name) {
  static constexpr std::string_view kNames[] = {"noise", "gumbel", "temperature", "symmetry", "rollout", "opening"};
  for (std::uint64_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<Purpose>(i + 1);
  throw std::invalid_argument("purpose must be noise, gumbel, temperature, symmetry, rollout or opening");
}

}  // namespace

void bind_search_config(nb::module_& m) {
  static const nb::exception<ConfigError> config_error(m, "ConfigError", PyExc_ValueError);

  nb::class_<SearchConfig> config(m, "SearchConfig",
                                  "Every parameter of the search. Immutable; SearchConfig(sims=100, fpu_mode='zero').");
  config
      .def(
          "__init__",
          [](SearchConfig* self, const nb::kwargs& options) { new (self) SearchConfig(changed({}, options)); },
          "options"_a, nb::sig("def __init__(self, **options: int | float | bool | str) -> None"))
      .def(
          "replace", [](const SearchConfig& self, const nb::kwargs& options) { return changed(self, options); },
          "changes"_a, nb::sig("def replace(self, **changes: int | float | bool | str) -> SearchConfig"),
          "A copy with some options changed.")
      .def("to_dict", &to_dict, nb::sig("def to_dict(self) -> dict[str, int | float | bool | str]"),
           "All options by name.")
      .def_static("fields", &field_table, nb::sig("def fields() -> list[dict[str, object]]"),
                  "The table: name, kind, low, high, choices, default, about.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const SearchConfig& self) { return std::hash<std::string>{}(repr(self)); })
      .def("__repr__", &repr);
  for (const auto& field : search_fields()) {
    const std::string name(field.name), about(field.sentence);
    const auto bind = [&]<class T>(T (*convert)(const SearchConfig&, const Field&)) {
      config.def_prop_ro(
          name.c_str(), [&field, convert](const SearchConfig& self) { return convert(self, field); }, about.c_str());
    };
    switch (field.kind) {
      case Field::Kind::integer:
        bind(+[](const SearchConfig& self, const Field& f) { return static_cast<long long>(f.get(self)); });
        break;
      case Field::Kind::real:
        bind(+[](const SearchConfig& self, const Field& f) { return f.get(self); });
        break;
      case Field::Kind::toggle:
        bind(+[](const SearchConfig& self, const Field& f) { return f.get(self) != 0; });
        break;
      case Field::Kind::choice:
        bind(+[](const SearchConfig& self, const Field& f) { return value_text(self, f); });
        break;
    }
  }

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
            if (!(alpha > 0) || n < 1) throw std::invalid_argument("dirichlet needs alpha > 0 and n >= 1");
            std::vector<double> out(static_cast<std::size_t>(n));
            dirichlet(self, alpha, out.data(), n);
            return out;
          },
          "alpha"_a, "n"_a, "A symmetric Dirichlet sample of length n.");
  m.def("mix64", &mix64, "x"_a, "SplitMix64's finaliser.");
}

}  // namespace tengen
