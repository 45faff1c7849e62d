// Every parameter of self-play beside the search's own: one struct, one table, as in search/config.h.
#pragma once

#include "tengen/search/config.h"

namespace tengen {

struct SelfPlayConfig {
  double full_share = 0.25;
  int fast_sims = 32;
  double opening_share = 0;
  int opening_plies = 8;
  int opening_lookahead = 0;
  double stray_share = 0;
  int label_nodes = 0;
  double resign_below = -1;
  bool vary = false;

  friend bool operator==(const SelfPlayConfig&, const SelfPlayConfig&) = default;
};

std::span<const Field<SelfPlayConfig>> config_table(const SelfPlayConfig*);
inline void validate(const SelfPlayConfig&) {}  // whatever the table allows goes together

// The search of the moves in between: fewer simulations, no exploration for the sake of the record.
SearchConfig fast_search(const SearchConfig& full, const SelfPlayConfig& config);

}  // namespace tengen
