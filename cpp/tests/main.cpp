#include <cstdio>
#include <cstring>

#include "check.h"

namespace tengen::test {

void report(const char* file, int line, const char* expression) {
  ++failures();
  std::printf("%s:%d: failed: %s\n", file, line, expression);
}

}  // namespace tengen::test

// Runs every test, or those whose name contains the argument.
int main(int argc, char** argv) {
  using namespace tengen::test;
  int run = 0, failed = 0;
  for (const auto& test : cases()) {
    if (argc > 1 && !std::strstr(test.name, argv[1])) continue;
    const int before = failures();
    test.body();
    ++run;
    if (failures() != before) ++failed, std::printf("FAILED %s\n", test.name);
  }
  std::printf("%d passed, %d failed\n", run - failed, failed);
  return failed ? 1 : 0;
}
