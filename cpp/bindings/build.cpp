// How this module was compiled, for `tengen doctor`.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace nb = nanobind;

namespace tengen {
namespace {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> out;
#ifdef __POPCNT__
  out.emplace_back("popcnt");
#endif
#ifdef __SSE4_2__
  out.emplace_back("sse4_2");
#endif
#ifdef __BMI2__
  out.emplace_back("bmi2");
#endif
#ifdef __AVX2__
  out.emplace_back("avx2");
#endif
#ifdef __AVX512F__
  out.emplace_back("avx512f");
#endif
#ifdef __ARM_NEON
  out.emplace_back("asimd");
#endif
  return out;
}

nb::typed<nb::dict, nb::str, nb::any> build_info() {
  nb::dict out;
#ifdef __clang__
  out["compiler"] = "clang " __clang_version__;
#else
  out["compiler"] = "gcc " __VERSION__;
#endif
#ifdef __OPTIMIZE__
  out["optimized"] = true;
#else
  out["optimized"] = false;
#endif
  out["instructions"] = instruction_sets();  // as Linux names them in /proc/cpuinfo
  return nb::typed<nb::dict, nb::str, nb::any>(out);
}

}  // namespace

void bind_build(nb::module_& m) {
  m.def("build_info", &build_info, "How this module was compiled: compiler, optimized, instructions it relies on.");
}

}  // namespace tengen
