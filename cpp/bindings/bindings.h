#pragma once

#include <nanobind/nanobind.h>

namespace tengen {

void bind_games(nanobind::module_& m);
void bind_search_config(nanobind::module_& m);

}  // namespace tengen
