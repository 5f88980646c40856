#include "tests/ui/made_up_session.h"

#include "core/story/session_contents.h"
#include "tests/session/made_up_machine.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace nestwright::ui::testing {

SessionFactory madeUpSessions() {
  return realSessions(made_up::measureAll);
}

SessionFactory pacedSessions() {
  return realSessions([](const auto& requests, const auto& onResult, const auto* stop) {
    for (const MeasureRequest& request : requests) {
      if (!stop || !*stop) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      made_up::measureAll({request}, onResult, stop);
    }
  });
}

SessionFactory heldSessions(Allowance programs) {
  return realSessions([programs](const auto& requests, const auto& onResult, const auto* stop) {
    for (const MeasureRequest& request : requests) {
      while (*programs <= 0 && !(stop && *stop))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!(stop && *stop)) --*programs;
      made_up::measureAll({request}, onResult, stop);
    }
  });
}

SessionConfig madeUpConfig(const char* policy) {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  SessionConfig config;
  config.subjects = {"matmul:m=32,n=32,k=32", "matmul:m=16,n=16,k=64"};
  config.policy = policy;
  config.trials = 64;
  config.trialsPerRound = 16;
  config.warmup = 16;
  config.seed = 3;
  config.measure.threads = 2;
  return config;
}

RowId runMadeUpSession(const QString& path, const SessionConfig& config) {
  const RowId id = makeSession(path.toStdString(), config);
  made_up::runToEnd(path, id);
  return id;
}

} // namespace nestwright::ui::testing
