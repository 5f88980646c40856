#include "tests/ui/made_up_session.h"

#include "core/support/hash.h"
#include "ui/contents.h"

#include <nlohmann/json.hpp>

namespace nestwright::ui::testing {
void measureByArithmetic(const std::vector<MeasureRequest>& requests,
                         const std::function<void(const MeasureResult&)>& onResult,
                         const std::atomic<bool>* stop) {
  for (const MeasureRequest& request : requests) {
    MeasureResult result;
    result.id = request.id;
    const std::uint64_t hash = hash64(recordText(toJson(request.steps)) + request.dag);
    const double seconds =
        request.naive ? 1.0 : 1e-3 * (1.0 + static_cast<double>(hash % 1000) / 100);
    if (stop && *stop) {
      result.verdict = Verdict::Cancelled;
    } else if (!request.naive && hash % 11 == 0) {
      result.verdict = Verdict::RunError;
      result.error = "segmentation fault (signal 11)";
    } else {
      result.seconds = {seconds, seconds, seconds};
      result.checked = true;
    }
    onResult(result);
  }
}

SessionFactory madeUpSessions() {
  return realSessions(measureByArithmetic);
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
  Session session(
      path.toStdString(), id, [](const Event&) {}, measureByArithmetic);
  session.start();
  session.wait();
  return id;
}

} // namespace nestwright::ui::testing
