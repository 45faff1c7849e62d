#include "tengen/games/connect4.h"

#include "tengen/erased/entry.h"

namespace tengen {

Entry connect4_entry() { return make_entry<Connect4>(); }

}  // namespace tengen
