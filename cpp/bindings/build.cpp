// How this module was compiled, and what the processor it runs on can do.
#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

// Libraries for networks ask the processor whether it has matrix tiles (AMX, leaf 7) and how large they are (leaf
// 0x1D). Some virtual machines pass the first on and hide the second; oneDNN then sets up tiles of no size, and the
// program dies of an illegal instruction.
const char* matrix_tiles() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kFeatures = 7, kTiles = 1u << 24, kPalettes = 0x1D;
  if (!__get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) || !(d & kTiles)) return "none";
  return __get_cpuid_count(kPalettes, 0, &a, &b, &c, &d) && a >= 1 ? "usable" : "hidden";
#else
  return "none";
#endif
}

bool made_by_intel() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;  // the maker's name is in b, d, c
  return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx && d == signature_INTEL_edx;
#else
  return false;
#endif
}

}  // namespace

void bind_build(nb::module_& m) {
  // At exit nanobind can list the objects of this module that are still there. The module itself keeps no Python
  // object; who does are daemon threads, whose frames live until the process ends, and caches of other packages
  // (plugins of pytest keep test modules). Such a list helps nobody at the end of every program, so it is made only
  // where asked for.
  nb::set_leak_warnings(false);
  m.def(
      "report_leaks", [] { nb::set_leak_warnings(true); },
      "Lists at exit, on standard error, the objects of this module that are still held.");
  m.def("build_info", &build_info, "How this module was compiled: compiler, optimized, instructions it relies on.");
  m.def("matrix_tiles", &matrix_tiles,
        "The processor's matrix tiles (AMX): none, usable, or hidden, which is there but not described.");
  m.def("made_by_intel", &made_by_intel, "Whether the processor is Intel's.");
}

}  // namespace tengen
