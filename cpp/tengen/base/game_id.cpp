#include "tengen/base/game_id.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tengen/base/number.h"
#include "tengen/base/text.h"
#include "tengen/game.h"

namespace tengen {
namespace {

template <class Range, class ToText>
std::string join(const Range& range, ToText to_text) {
  std::string out;
  for (const auto& item : range) {
    if (!out.empty()) out += ", ";
    out += to_text(item);
  }
  return out;
}

std::string sizes_text(const GameSpec& spec) {
  const bool consecutive = spec.sizes.back() - spec.sizes.front() + 1 == static_cast<int>(spec.sizes.size());
  if (consecutive && spec.sizes.size() > 2)
    return std::to_string(spec.sizes.front()) + " to " + std::to_string(spec.sizes.back());
  return join(spec.sizes, [](int size) { return std::to_string(size); });
}

int parse_size(const GameSpec& spec, std::string_view text) {
  if (spec.sizes.empty()) throw Error(std::string(spec.name) + " has one board and takes no size");
  int size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size() || !std::ranges::binary_search(spec.sizes, size))
    throw Error("size " + quoted(text) + " is not one of " + std::string(spec.name) + "'s: " + sizes_text(spec));
  return size;
}

double parse_value(const OptionSpec& option, std::string_view text) {
  const auto refuse = [&] {
    return Error(std::string(option.name) + " must be " + describe(option) + ", not " + quoted(text));
  };
  if (!option.choices.empty()) {
    const auto found = std::ranges::find(option.choices, text);
    if (found == option.choices.end()) throw refuse();
    return static_cast<double>(found - option.choices.begin());
  }
  double value = 0;
  // "nan" is read as a number, and no comparison with it holds.
  if (!parse_number(text, value) || !(value >= option.low && value <= option.high)) throw refuse();
  if (std::fmod(value, option.step) != 0) throw refuse();
  return value == 0 ? 0 : value;  // no "-0" in canonical ids
}

std::size_t index_of(const GameSpec& spec, std::string_view option) {
  for (std::size_t i = 0; i < spec.options.size(); ++i)
    if (spec.options[i].name == option) return i;
  throw std::logic_error("no such option in the game's table: " + std::string(option));
}

}  // namespace

std::string describe(const OptionSpec& option) {
  if (!option.choices.empty()) return "one of " + join(option.choices, [](auto word) { return std::string(word); });
  const std::string range = "from " + number_text(option.low) + " to " + number_text(option.high);
  return option.step == 1 ? range : range + " in steps of " + number_text(option.step);
}

double GameId::value(std::string_view option) const { return values[index_of(*spec, option)]; }
void GameId::set(std::string_view option, double value) { values[index_of(*spec, option)] = value == 0 ? 0 : value; }

std::string GameId::text() const {
  std::string out(spec->name);
  if (!spec->sizes.empty() && (spec->size_always_shown || size != spec->default_size))
    out += ":" + std::to_string(size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const OptionSpec& option = spec->options[i];
    if (values[i] == option.fallback) continue;
    out += "," + std::string(option.name) + "=";
    out += option.choices.empty() ? number_text(values[i])
                                  : std::string(option.choices[static_cast<std::size_t>(values[i])]);
  }
  return out;
}

GameId parse_game_id(std::string_view text, const std::vector<const GameSpec*>& specs) {
  // A name that is entered later may hold whatever separates the parts of an id.
  if (const auto whole = std::ranges::find(specs, text, &GameSpec::name);
      whole != specs.end() && (*whole)->options.empty())
    return {*whole, (*whole)->default_size, {}};
  const auto head = text.substr(0, text.find(','));
  const auto colon = head.find(':');
  const auto name = head.substr(0, colon);
  const auto found = std::ranges::find(specs, name, &GameSpec::name);
  if (found == specs.end())
    throw Error("unknown game " + quoted(name) + "; the games are " +
                join(specs, [](const GameSpec* spec) { return std::string(spec->name); }) +
                "; your own are named by --rules FILE.py");

  GameId id{*found, (*found)->default_size, {}};
  if (colon != std::string_view::npos) id.size = parse_size(*id.spec, head.substr(colon + 1));
  for (const auto& option : id.spec->options) id.values.push_back(option.fallback);

  std::vector<bool> given(id.values.size(), false);
  for (auto rest = text.substr(head.size()); !rest.empty();) {
    rest.remove_prefix(1);  // the comma
    const auto pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(pair.size());
    const auto equals = pair.find('=');
    const auto key = pair.substr(0, equals);
    const auto option = std::ranges::find(id.spec->options, key, &OptionSpec::name);
    if (option == id.spec->options.end()) {
      const auto names = join(id.spec->options, [](const OptionSpec& o) { return std::string(o.name); });
      throw Error("unknown option " + quoted(key) + " of " + std::string(name) +
                  (names.empty() ? "; it has none" : "; its options are " + names));
    }
    if (equals == std::string_view::npos)
      throw Error("option '" + std::string(key) + "' needs a value: " + std::string(key) + "=…, " + describe(*option));
    const auto index = static_cast<std::size_t>(option - id.spec->options.begin());
    if (given[index]) throw Error("option '" + std::string(key) + "' is given twice");
    given[index] = true;
    id.values[index] = parse_value(*option, pair.substr(equals + 1));
  }
  return id;
}

}  // namespace tengen
