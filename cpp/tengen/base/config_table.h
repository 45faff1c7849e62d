// A table of parameters: the rows that make a plain struct readable and settable by name. Flags, TOML keys, JSON,
// sliders and docs derive from such tables; search/config.h and selfplay/config.h are the structs.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tengen/base/number.h"
#include "tengen/base/text.h"

namespace tengen {

struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One row. Values travel as doubles; a choice travels as the index of its word, a switch as 0 or 1.
template <class Config>
struct Field {
  enum class Kind { integer, real, toggle, choice };
  std::string_view name;
  Kind kind;
  double low, high;
  std::vector<std::string_view> choices;
  std::string_view sentence;
  double (*get)(const Config&);
  void (*assign)(Config&, double);
};

template <class Config, auto Member>
Field<Config> make_field(std::string_view name, double low, double high, std::string_view sentence,
                         std::vector<std::string_view> choices = {}) {
  using Value = std::remove_reference_t<decltype(std::declval<Config&>().*Member)>;
  using Kind = typename Field<Config>::Kind;
  const auto kind = std::is_same_v<Value, bool>     ? Kind::toggle
                    : std::is_same_v<Value, int>    ? Kind::integer
                    : std::is_same_v<Value, double> ? Kind::real
                                                    : Kind::choice;
  return {name,
          kind,
          low,
          high,
          std::move(choices),
          sentence,
          [](const Config& config) { return static_cast<double>(config.*Member); },
          [](Config& config, double value) {
            if constexpr (std::is_enum_v<Value>)
              config.*Member = static_cast<Value>(static_cast<int>(value));
            else if constexpr (std::is_same_v<Value, bool>)
              config.*Member = value != 0;
            else
              config.*Member = static_cast<Value>(value);
          }};
}

// How many members an aggregate has: a struct whose table lacks a row must not compile.
namespace detail {
struct Anything {
  template <class T>
  operator T() const;
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(void(I), Anything{})...}; };
}
}  // namespace detail
template <class T, std::size_t N = 0>
constexpr std::size_t arity() {
  if constexpr (!detail::takes<T>(std::make_index_sequence<N + 1>{}))
    return N;
  else
    return arity<T, N + 1>();
}

inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])}));
  }
  return row.back();
}

template <class Config>
ConfigError refusal(const Field<Config>& field, std::string_view given) {
  using Kind = typename Field<Config>::Kind;
  std::string range;
  if (field.kind == Kind::toggle) {
    range = "on or off";
  } else if (field.kind == Kind::choice) {
    for (const auto word : field.choices) range += (range.empty() ? "one of " : ", ") + std::string(word);
  } else {
    range = (field.kind == Kind::integer ? "a whole number from " : "a number from ") + number_text(field.low) +
            " to " + number_text(field.high);
  }
  return ConfigError(std::string(field.name) + " must be " + range + ", not " + quoted(given));
}

// The row of a name; `what` ("search") names the table in the error, which suggests the nearest name.
template <class Config>
const Field<Config>& find_field(std::span<const Field<Config>> table, std::string_view what, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Field<Config>::name);
  if (found != table.end()) return *found;
  const auto nearest = std::ranges::min_element(
      table, {}, [&](const auto& field) { return edit_distance(name.substr(0, 64), field.name); });
  throw ConfigError("unknown " + std::string(what) + " option " + quoted(name) + "; did you mean '" +
                    std::string(nearest->name) + "'?");
}

template <class Config>
void set_number(Config& config, const Field<Config>& field, double value) {
  using Kind = typename Field<Config>::Kind;
  const double high = field.kind == Kind::choice ? static_cast<double>(field.choices.size()) - 1 : field.high;
  if (!(value >= field.low && value <= high) || (field.kind != Kind::real && value != std::floor(value)))
    throw refusal(field, number_text(value));
  field.assign(config, value);
}

// "0.3", "on", "zero"
template <class Config>
void set_text(Config& config, const Field<Config>& field, std::string_view text) {
  using Kind = typename Field<Config>::Kind;
  if (field.kind == Kind::choice) {
    const auto found = std::ranges::find(field.choices, text);
    if (found == field.choices.end()) throw refusal(field, text);
    return field.assign(config, static_cast<double>(found - field.choices.begin()));
  }
  if (field.kind == Kind::toggle) {
    const bool on = text == "on" || text == "true" || text == "1";
    if (!on && text != "off" && text != "false" && text != "0") throw refusal(field, text);
    return field.assign(config, on);
  }
  double value = 0;
  if (!parse_number(text, value)) throw refusal(field, text);
  set_number(config, field, value);
}

template <class Config>
std::string value_text(const Config& config, const Field<Config>& field) {
  using Kind = typename Field<Config>::Kind;
  const double value = field.get(config);
  if (field.kind == Kind::choice) return std::string(field.choices[static_cast<std::size_t>(value)]);
  if (field.kind == Kind::toggle) return value != 0 ? "on" : "off";
  return number_text(value);
}

}  // namespace tengen
