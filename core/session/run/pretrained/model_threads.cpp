#include "core/session/run/pretrained/model_threads.h"

#include "core/plugin/plugin.h"

#include <algorithm>
#include <thread>

namespace nestwright {

nlohmann::json withThreads(const std::string& model, nlohmann::json options) {
  if (costModelKind(model).ofNetwork)
    options["threads"] = std::max(1u, std::thread::hardware_concurrency());
  return options;
}

} // namespace nestwright
