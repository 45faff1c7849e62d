// Every parameter of the search: one struct, one table. Flags, TOML keys, JSON, sliders and the docs derive from the
// table.
//
// To add a parameter: a member here, a row in config.cpp (a forgotten row does not compile), its use in search/, its
// line in reference.py.
#pragma once

#include "tengen/base/config_table.h"

namespace tengen {

enum class Rule { puct, ucb1 };
enum class FpuMode { reduction, zero, infinite, scaled };
enum class MlhMode { q, lc0 };
enum class RootMode { puct, gumbel };
enum class VirtualMode { visits, loss };

struct SearchConfig {
  int sims = 400;
  double seconds = 0;
  int leaves = 1;
  Rule rule = Rule::puct;
  double c_init = 1.25;
  double c_base = 500;
  double c_factor = 1;
  double c_ucb = 1.4;
  double prior_temperature = 1;
  FpuMode fpu_mode = FpuMode::reduction;
  double fpu_reduction = 0.4;
  MlhMode mlh_mode = MlhMode::q;
  double mlh_slope = 0;
  double mlh_cap = 0.2;
  double discount = 1;
  bool solver = true;
  int lookahead = 0;
  int prove_nodes = 0;
  bool symmetry = true;
  RootMode root = RootMode::puct;
  int gumbel_m = 16;
  double gumbel_c_visit = 50;
  double gumbel_c_scale = 1;
  double gumbel_scale = 1;
  double noise_epsilon = 0;
  double noise_alpha = 0;
  double noise_total = 10.83;
  bool forced_playouts = false;
  bool target_pruning = false;
  VirtualMode virtual_mode = VirtualMode::visits;
  double virtual_weight = 3;
  double temperature = 1;
  int temperature_plies = 0;
  double temperature_end = 0;
  double target_temperature = 1;
  bool lcb = false;
  double lcb_z = 3;
  double lcb_share = 0.15;
  bool early_stop = false;
  bool tree_reuse = true;
  int max_nodes = 0;
  int memory_mb = 1024;
  int cache_mb = 64;

  friend bool operator==(const SearchConfig&, const SearchConfig&) = default;
};

// The table, chosen by the type of the struct.
std::span<const Field<SearchConfig>> config_table(const SearchConfig*);

// Combinations that contradict each other.
void validate(const SearchConfig& config);  // throws ConfigError

}  // namespace tengen
