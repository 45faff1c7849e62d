// Memory that counts, and runs out when a test says so.
#include "searching.h"

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  using namespace tengen::test;
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (until_failure.load(std::memory_order_relaxed) >= 0 && until_failure.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size ? size : 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
