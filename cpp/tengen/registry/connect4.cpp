#include "tengen/games/connect4.h"

#include "tengen/registry/entry.h"

namespace tengen {

Entry connect4_entry() { return make_entry<Connect4>(); }

}  // namespace tengen
