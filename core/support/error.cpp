#include "core/support/error.h"

#include <cstdio>
#include <cstdlib>

namespace nestwright::detail {

void assertionFailed(const char* file, int line, const char* condition,
                     const std::string& message) {
  fmt::print(stderr, "{}:{}: internal error: {} ({})\n", file, line, message, condition);
  std::fflush(stderr);
  std::abort();
}

} // namespace nestwright::detail
