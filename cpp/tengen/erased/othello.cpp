#include "tengen/games/othello.h"

#include "tengen/erased/entry.h"

namespace tengen {

Entry othello_entry() { return make_entry<Othello>(); }

}  // namespace tengen
