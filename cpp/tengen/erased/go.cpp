#include "tengen/games/go.h"

#include "tengen/erased/entry.h"

namespace tengen {

Entry go_entry() { return make_entry<Go<9>, Go<19>>(); }

}  // namespace tengen
