#include "core/support/waiting_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace nestwright {

namespace {

struct Setting {
  const char *name, *value;
};

constexpr Setting kSettings[] = {{"OMP_WAIT_POLICY", "passive"}, {"GOMP_SPINCOUNT", "5000"}};

} // namespace

std::vector<std::string> waitingEnvironment() {
  std::vector<std::string> environment;
  for (const Setting& setting : kSettings)
    environment.push_back(fmt::format("{}={}", setting.name, setting.value));
  return environment;
}

bool hasWaitingEnvironment() {
  return std::ranges::all_of(kSettings, [](const Setting& s) { return std::getenv(s.name); });
}

void setWaitingEnvironment() {
  for (const Setting& setting : kSettings)
    setenv(setting.name, setting.value, 1);
}

} // namespace nestwright
