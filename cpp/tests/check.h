// The smallest test framework that does the job: TEST(name) { CHECK(condition); } in any file of this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tengen::test {

struct Case {
  const char* name;
  void (*body)();
};
inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}
void report(const char* file, int line, const char* expression);

struct Register {
  Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

}  // namespace tengen::test

#define TEST(name)                                                  \
  static void name();                                               \
  static const tengen::test::Register register_##name(#name, name); \
  static void name()
#define CHECK(expression) \
  if (!(expression)) tengen::test::report(__FILE__, __LINE__, #expression)
