#include "tests/ui/fixture.h"

#include "core/network/graph/workloads.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/state.h"
#include "core/search/search_policy.h"
#include "core/support/overloaded.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <cmath>

namespace nestwright {

char* toString(const Command& command) {
  return qstrdup(toJson(command).dump().c_str());
}

char* toString(const std::vector<Command>& commands) {
  std::string all;
  for (const Command& command : commands)
    all += toJson(command).dump() + ' ';
  return qstrdup(all.c_str());
}

} // namespace nestwright

namespace nestwright::ui::testing {
namespace {

class ScriptedSession : public SessionPort {
 public:
  ScriptedSession(SessionScript& script, Session::Observer observer) : script_(script) {
    script_.observer = std::move(observer);
    ++script_.alive;
  }
  ~ScriptedSession() override {
    if (status_ == SessionStatus::Running) answer(SessionStatus::Paused);
    --script_.alive;
  }
  void post(const Command& command) override {
    script_.commands.push_back(command);
    std::visit(Overloaded{[&](const Start&) { answerIfAsked(SessionStatus::Running); },
                          [&](const RunPhase&) { answerIfAsked(SessionStatus::Running); },
                          [&](const Pause&) { answerIfAsked(SessionStatus::Paused); },
                          [&](const Stop&) { answerIfAsked(SessionStatus::Finished); },
                          [&](const SetImportance& c) {
                            tell(ImportanceChanged{c.task, c.importance});
                          },
                          [&](const SetTaskMode& c) {
                            tell(TaskModeChanged{c.task, c.mode});
                          },
                          [&](const MeasureProgram& c) {
                            tell(MeasureDemanded{c.task, c.program.record, ""});
                          },
                          [&](const SeedWith& c) {
                            tell(SeedChanged{c.task, c.program.record, "", c.added});
                          },
                          [&](const Forget& c) {
                            tell(RecordsForgotten{c.records, c.forgotten});
                          },
                          [&](const PauseAfterPhases& c) { tell(SteppingChanged{c.on}); },
                          [](const auto&) {}},
               command);
  }

 private:
  void tell(const Event& event) { script_.observer(event); }
  void answerIfAsked(SessionStatus status) {
    if (script_.answers) answer(status);
  }
  void answer(SessionStatus status) {
    status_ = status;
    script_.observer(StateChanged{status, ""});
  }

  SessionScript& script_;
  SessionStatus status_ = SessionStatus::Ready;
};

Record makeRecord(const Sample& sample, int trial, double bestSoFar) {
  Record record;
  record.session = sample.session;
  record.task = sample.tasks[trial % sample.tasks.size()];
  record.trial = trial;
  record.program = fmt::format("{:032x}", trial);
  record.steps = {AnnotationStep{2, 0, Annotation::Parallel}};
  record.wallSeconds = trial * 0.05;
  Trace trace;
  trace.origin = Origin::RandomSample;
  trace.draw = 7;
  record.trace = toJson(trace).dump();
  record.result.startedAt = 1'700'000'000'000'000 + trial * 50'000ll;
  if (trial % 10 == 0) {
    record.result.verdict = Verdict::RunError;
    record.result.error = fmt::format("The kernel of trial {} crashed.\nSignal 11.", trial);
    record.result.failingStep = 1;
    return record;
  }
  // Some trials improve on what there was, less and less; the others scatter above it.
  const double gain = 0.01 * std::exp(-trial / 2000.0);
  const double seconds = bestSoFar * (trial % 7 == 1 ? 1 - gain : 1.1 + 0.01 * (trial % 13));
  record.result.seconds = {seconds * 0.99, seconds, seconds * 1.02};
  record.result.checked = record.verified = trial % 7 == 1 && gain > 1e-6;
  return record;
}

} // namespace

SessionFactory scripted(SessionScript& script) {
  return [&script](const std::string&, RowId, Session::Observer observer) {
    return std::make_unique<ScriptedSession>(script, std::move(observer));
  };
}

std::unique_ptr<Sample> makeSample(int trials, SessionStatus status) {
  auto sample = std::make_unique<Sample>();
  sample->path = sample->folder.filePath(QStringLiteral("sample.nwdb"));
  RecordStore store = RecordStore::open(sample->path.toStdString(), OpenMode::Create);
  store.transaction([&] {
    const RowId network = store.networks().add({0, "sample", "sample:batch=1"});
    const RowId target = store.targets().add({0, "test", "llvm -keys=cpu -num-cores=2", "{}"});
    for (int i = 0; i < 3; ++i) {
      const int size = 32 << i;
      const Workload workload = parseTaskSpec(fmt::format("matmul:m={0},n={0},k={0}", size));
      TaskRow row;
      row.network = network, row.target = target, row.index = i;
      row.key = workloadKey(workload.dag);
      row.name = fmt::format("matmul {0}x{0}x{0}", size);
      row.dag = print(workload.dag);
      row.weight = 3 - i;
      row.flops = flops(workload.dag);
      sample->tasks.push_back(store.tasks().add(row));
      store.tasks().setNaiveSeconds(sample->tasks.back(), 1e-3 * (i + 1));
    }
    SessionConfig config;
    config.subjects = {"sample:batch=1"};
    SessionRow row;
    row.network = network, row.title = "sample", row.config = toJson(config).dump();
    row.status = status, row.createdAt = row.updatedAt = 1'700'000'000'000'000;
    row.wallSeconds = trials * 0.05;
    sample->session = store.sessions().add(row);
    store.sessions().setTasks(sample->session, sample->tasks);
    std::vector<double> best{1e-3, 2e-3, 3e-3};
    for (int trial = 1; trial <= trials; ++trial) {
      double& taskBest = best[trial % 3];
      const Record record = makeRecord(*sample, trial, taskBest);
      if (record.verified) taskBest = record.result.latency();
      sample->records.push_back(store.records().add(record));
    }
  });
  return sample;
}

void openSample(Document& document, const Sample& sample) {
  document.open(sample.path); // what was open stays until this one is known to be readable
  QTRY_COMPARE_WITH_TIMEOUT(document.file().path(), QFileInfo(sample.path).absoluteFilePath(),
                            10'000);
  QTRY_COMPARE_WITH_TIMEOUT(document.state(), DocumentState::Ready, 10'000);
  QTRY_VERIFY_WITH_TIMEOUT(!document.session().historyLoading(), 30'000);
}

} // namespace nestwright::ui::testing
