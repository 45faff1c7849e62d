#include "tengen/games/gomoku.h"

#include "tengen/erased/entry.h"

namespace tengen {

Entry gomoku_entry() { return make_entry<Gomoku<4>, Gomoku<8>>(); }

}  // namespace tengen
