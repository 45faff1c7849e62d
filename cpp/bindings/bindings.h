#pragma once

#include <nanobind/nanobind.h>

namespace tengen {

void bind_build(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_solve(nanobind::module_& m);

}  // namespace tengen
