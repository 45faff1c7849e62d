#include "tengen/games/tictactoe.h"

#include "tengen/registry/entry.h"

namespace tengen {

Entry tictactoe_entry() { return make_entry<TicTacToe>(); }

}  // namespace tengen
