// The extension module `tengen._core`. No logic here: each file binds one part of the core.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "Tengen's C++ core: rules of the games, exact solvers, random streams.";
  tengen::bind_build(m);
  tengen::bind_games(m);
  tengen::bind_rules(m);
  tengen::bind_config(m);
  tengen::bind_search(m);
  tengen::bind_selfplay(m);
  tengen::bind_solve(m);
}
