#include "tengen/games/othello.h"

#include "tengen/registry/entry.h"

namespace tengen {

Entry othello_entry() { return make_entry<Othello>(); }

}  // namespace tengen
