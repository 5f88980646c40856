#include "core/session/run/pretrained/model_threads.h"

#include "core/plugin/plugin.h"
#include "core/target/target.h"

namespace nestwright {

nlohmann::json withThreads(const std::string& model, nlohmann::json options) {
  if (costModelKind(model).ofNetwork) options["threads"] = hostTarget().cores;
  return options;
}

} // namespace nestwright
