#include "ui/window/new_session/catalogue.h"

#include "core/network/graph/workloads.h"
#include "core/network/zoo/zoo.h"
#include "core/support/error.h"
#include "ui/kit/text.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

void check(const std::string& subject) {
  if (isTaskSpec(subject)) {
    parseTaskSpec(subject);
    return;
  }
  const Spec spec = parseSpec(subject);
  const auto entry = std::find_if(zoo().begin(), zoo().end(),
                                  [&](const ZooEntry& e) { return e.name == spec.name; });
  if (entry == zoo().end()) throw InputError(fmt::format("There is no network \"{}\".", spec.name));
  resolveParameters(spec, entry->parameters);
}

} // namespace

Catalogue coreCatalogue() {
  Catalogue catalogue;
  for (const ZooEntry& entry : zoo())
    catalogue.networks.push_back({entry.name, entry.description, entry.parameters});
  for (const WorkloadInfo& info : workloads())
    catalogue.operators.push_back({info.name, info.description, info.parameters});
  catalogue.problem = [](const std::string& subject) {
    try {
      check(subject);
      return QString();
    } catch (const Error& problem) {
      return qs(problem.what());
    }
  };
  return catalogue;
}

} // namespace nestwright::ui
