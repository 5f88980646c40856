#include "tests/bench/bench_program.h"

#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace nestwright::bench {
namespace {

constexpr int kWrongUse = 2;

/// In a function, so that it is there before the first benchmark is added.
std::vector<Bench>& known() {
  static std::vector<Bench> benches;
  return benches;
}

int startNamed(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  const auto found = std::ranges::find(known(), wanted, &Bench::name);
  if (found != known().end()) return found->start(argc - 1, argv + 1);
  fmt::print(stderr, "Usage: {} NAME [OPTION ...] (--help tells which), where NAME is one of\n",
             argv[0]);
  std::ranges::sort(known(), {}, [](const Bench& bench) { return std::string_view(bench.name); });
  for (const Bench& bench : known())
    fmt::print(stderr, "  {}\n", bench.name);
  return kWrongUse;
}

} // namespace

bool add(const Bench& bench) {
  known().push_back(bench);
  return true;
}

} // namespace nestwright::bench

int main(int argc, char** argv) {
  setenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_PLUGIN_FOLDER, 0);
  try {
    return nestwright::bench::startNamed(argc, argv);
  } catch (const nestwright::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
