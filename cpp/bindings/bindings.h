#pragma once

#include <nanobind/nanobind.h>

namespace tengen {

void bind_games(nanobind::module_& m);

}  // namespace tengen
