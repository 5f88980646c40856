/// A session for a GPU, without one: its model learns from the features of GPU programs, and
/// explains itself by them.

#include "core/feature/gpu_features.h"
#include "core/plugin/target_named.h"
#include "core/schedule/bounds.h"
#include "core/session/insight/explain_score.h"
#include "core/session/run/cost_learner.h"
#include "core/session/run/events.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <mutex>
#include <vector>

namespace nestwright::gpu_learning_test {

constexpr const char* kTarget = "cuda:sm_90";

/// A made-up GPU that waits for its shared memory alone: a nanosecond for each of its answers.
void measureShared(const std::vector<MeasureRequest>& requests,
                   const std::function<void(const MeasureResult&)>& onResult,
                   const std::atomic<bool>*) {
  const auto& names = gpuFeatureNames();
  const auto column = static_cast<std::size_t>(
      std::ranges::find(names, std::string("gpu.shared_wavefronts")) - names.begin());
  const ProgramFeatureOptions options =
      programFeatureOptions({.paper = false}, targetNamed(kTarget));
  for (const MeasureRequest& request : requests) {
    MeasureResult result = made_up::madeUpResult(request);
    if (!request.naive) {
      const ProgramFeatures features =
          programFeatures(State::replay(parseDag(request.dag), request.steps), options);
      double wavefronts = 0;
      for (std::size_t row = 0; row < features.statements.size(); ++row)
        wavefronts += std::exp2(static_cast<double>(features.values[row * names.size() + column]));
      result.verdict = Verdict::Ok;
      result.error.clear();
      result.seconds.assign(3, 1e-9 * wavefronts);
    }
    onResult(result);
  }
}

class GpuLearning : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins"); }

  void aModelLearnsFromWhatAGpuDoes() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("gpu.nwdb").toStdString();
    SessionConfig config;
    config.subjects = {"matmul:m=256,n=256,k=256"};
    config.target = kTarget;
    config.policy = "evolutionary";
    config.trials = 48;
    config.trialsPerRound = 16;
    config.warmup = 16;
    config.population = 128;
    config.seed = 1;
    RowId id = 0;
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      id = createSession(store, config);
    }
    std::mutex mutex;
    std::vector<ModelUpdated> updates;
    {
      Session session(
          path, id,
          [&](const Event& event) {
            const std::lock_guard lock(mutex);
            if (const auto* update = std::get_if<ModelUpdated>(&event)) updates.push_back(*update);
          },
          measureShared);
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QVERIFY(updates.size() >= 3);
    QVERIFY(updates.back().trained);
    QVERIFY2(updates.back().rankAccuracy > 0.6,
             fmt::format("{} of the pairs", updates.back().rankAccuracy).c_str());

    RecordStore store = RecordStore::open(path);
    const SavedModel saved = savedModel(store, id);
    QVERIFY(saved.features == featureChoice("paper,lowered", targetNamed(kTarget)));
    const std::vector<std::string> names = featureNames(saved.features);
    const std::vector<double> importance = saved.model->importance();
    QCOMPARE(importance.size(), names.size());
    double ofGpu = 0;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].starts_with("gpu.")) ofGpu += importance[i];
    QVERIFY(ofGpu > 0);

    RecordQuery fastest;
    fastest.session = id;
    fastest.verdict = Verdict::Ok;
    fastest.order = RecordQuery::Order::Fastest;
    fastest.limit = 1;
    const ExplainedScore explained = explainScore(store, store.records().page(fastest).front());
    QCOMPARE(explained.shown.values.size(), explained.shown.statements.size() * names.size());
    QVERIFY(!contributions(explained.explanation).empty());

    store.sessions().setTasks(id, {}); // as in a damaged file
    QVERIFY_EXCEPTION_THROWN(savedModel(store, id), InputError);
  }
};

NW_TEST_APPLESS(GpuLearning)

} // namespace nestwright::gpu_learning_test

#include "gpu_learning.moc"
