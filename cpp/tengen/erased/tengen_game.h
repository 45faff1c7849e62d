/* A game in C, C++, Rust or anything else that makes a shared library: `tengen train ./game.so`.
 *
 * The library exports one function, `tengen_game`, which returns a table like this one, valid for ever:
 *
 *     static const tengen_game_t table = {TENGEN_GAME_ABI, "mygame", …};
 *     const tengen_game_t* tengen_game(void) { return &table; }
 *
 * A position is `state_bytes` bytes, at most TENGEN_GAME_MOST_BYTES, aligned to 16; it is copied by memcpy, so it may
 * hold no pointers into itself. Functions are called from many threads at once, each with positions of its own, and
 * must not throw. What they mean is what the methods of tengen.games.Rules mean; values are for the side to move.
 * Loading such a file runs its code: Tengen only does it when a person names the file on the command line.
 */
#ifndef TENGEN_GAME_H
#define TENGEN_GAME_H

#include <stdint.h>

#define TENGEN_GAME_ABI 1
#define TENGEN_GAME_GOES_ON 2
#define TENGEN_GAME_MOST_BYTES 65536

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tengen_game_t {
  int32_t abi;         /* TENGEN_GAME_ABI */
  int32_t state_bytes; /* of a position */
  int32_t actions, most_plies;
  int32_t planes, rows, cols;
  int32_t remembers;  /* 0: what follows depends on nothing but the planes */
  const char* name;   /* a lower-case letter, then lower-case letters, digits and _ */
  const char* inputs; /* what each plane shows, separated by ", " */

  void (*start)(void* state);
  int32_t (*legal)(const void* state, uint16_t* out); /* ascending; returns how many; not asked of a finished game */
  void (*apply)(void* state, uint16_t action);        /* in place */
  int32_t (*outcome)(const void* state);              /* TENGEN_GAME_GOES_ON, or 1, 0, -1 for the side to move */
  void (*encode)(const void* state, float* out);      /* planes * rows * cols numbers */

  /* May be null. */
  uint64_t (*hash)(const void* state, int32_t symmetry); /* null: the planes are hashed */
  int32_t (*stone)(const void* state, int32_t cell);     /* 0, or 1 or 2 for a player's stone */
  int32_t (*move_text)(const void* state, uint16_t action, char* out, int32_t room); /* returns the length */
} tengen_game_t;

#ifdef __cplusplus
}
#endif

#endif
