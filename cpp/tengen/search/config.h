// Every parameter of the search: one struct, one table. Flags, TOML keys, JSON, sliders and the docs derive from the
// table.
//
// To add a parameter: a member here, a row in config.cpp (a forgotten row does not compile), its use in search/, its
// line in reference.py.
#pragma once

#include "tengen/base/config_table.h"

namespace tengen {

enum class Rule { puct, gumbel, ucb1 };
enum class FpuMode { reduction, zero, infinite, scaled };
enum class MlhMode { q, lc0 };
enum class VirtualMode { visits, loss };

struct SearchConfig {
  int sims = 400;
  double seconds = 0;
  int leaves = 1;
  Rule rule = Rule::puct;
  double c_init = 1.25;
  double c_base = 500;
  double c_factor = 1;
  double prior_temperature = 1;
  FpuMode fpu_mode = FpuMode::reduction;
  double fpu_reduction = 0.4;
  MlhMode mlh_mode = MlhMode::q;
  double mlh_slope = 0;
  double mlh_cap = 0.2;
  double lead_slope = 0;
  double discount = 1;
  bool solver = true;
  int lookahead = 0;
  int threats = 0;
  int prove_nodes = 0;
  double noise_epsilon = 0;
  double noise_alpha = 0;
  VirtualMode virtual_mode = VirtualMode::visits;
  double virtual_weight = 3;
  double temperature = 1;
  int temperature_plies = 0;
  double temperature_end = 0;
  bool tree_reuse = true;
  int max_nodes = 0;
  int cache_mb = 64;

  friend bool operator==(const SearchConfig&, const SearchConfig&) = default;
};

// The table, chosen by the type of the struct.
std::span<const Field<SearchConfig>> config_table(const SearchConfig*);

// Combinations that contradict each other.
void validate(const SearchConfig& config);  // throws ConfigError

}  // namespace tengen
