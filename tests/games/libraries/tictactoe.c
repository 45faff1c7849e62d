/* Tic-tac-toe, to be a game from a shared library. Tests compile it, and break it with -D. */
#include <string.h>

#include "tengen_game.h"

#ifndef ABI
#define ABI TENGEN_GAME_ABI
#endif
#ifndef BYTES
#define BYTES sizeof(Position)
#endif
#ifndef NAME
#define NAME "c_tictactoe"
#endif
#ifndef INPUTS
#define INPUTS "own stones, opponent's stones"
#endif
#ifndef LEGAL
#define LEGAL legal
#endif
#ifndef STONE
#define STONE stone
#endif
#ifndef TABLE
#define TABLE &table
#endif
#ifndef SYMBOL
#define SYMBOL tengen_game
#endif

typedef struct {
  char cells[9]; /* 0, or 1 or 2 */
  char ply;
} Position;

static const int rows[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

static void start(void* state) { memset(state, 0, sizeof(Position)); }

static int32_t legal(const void* state, uint16_t* out) {
  const Position* at = state;
  int32_t n = 0;
  for (int cell = 0; cell < 9; ++cell)
    if (!at->cells[cell]) out[n++] = (uint16_t)cell;
  return n;
}

static void apply(void* state, uint16_t action) {
  Position* at = state;
  at->cells[action] = (char)(1 + at->ply++ % 2);
}

static int32_t outcome(const void* state) {
  const Position* at = state;
  for (int row = 0; row < 8; ++row) {
    const char stone = at->cells[rows[row][0]];
    if (stone && stone == at->cells[rows[row][1]] && stone == at->cells[rows[row][2]]) return -1;
  }
  return at->ply == 9 ? 0 : TENGEN_GAME_GOES_ON;
}

static void encode(const void* state, float* out) {
  const Position* at = state;
  for (int cell = 0; cell < 9; ++cell) {
    out[cell] = at->cells[cell] == 1 + at->ply % 2;
    out[9 + cell] = at->cells[cell] == 2 - at->ply % 2;
  }
}

static int32_t stone(const void* state, int32_t cell) { return ((const Position*)state)->cells[cell]; }

static int32_t move_text(const void* state, uint16_t action, char* out, int32_t room) {
  (void)state, (void)room;
  out[0] = (char)('a' + action % 3), out[1] = (char)('3' - action / 3);
  return 2;
}

static const tengen_game_t table = {ABI,   BYTES, 9,     9,       2,      3, 3,     0,        NAME, INPUTS,
                                    start, LEGAL, apply, outcome, encode, 0, STONE, move_text};

const tengen_game_t* SYMBOL(void) { return TABLE; }
