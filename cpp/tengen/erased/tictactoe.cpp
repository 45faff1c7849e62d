#include "tengen/games/tictactoe.h"

#include "tengen/erased/entry.h"

namespace tengen {

Entry tictactoe_entry() { return make_entry<TicTacToe>(); }

}  // namespace tengen
