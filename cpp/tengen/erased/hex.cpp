#include "tengen/games/hex.h"

#include "tengen/erased/entry.h"

namespace tengen {

Entry hex_entry() { return make_entry<Hex<2>, Hex<6>>(); }

}  // namespace tengen
