#include "tests/ui/fixture.h"

#include "core/network/graph/workloads.h"
#include "core/schedule/state.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <QDir>
#include <QTest>

#include <cmath>

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
  void start() override { say("start", SessionStatus::Running); }
  void pause() override { say("pause", SessionStatus::Paused); }
  void stop() override { say("stop", SessionStatus::Finished); }
  void setImportance(RowId task, double importance) override {
    script_.commands.push_back(fmt::format("importance {} {}", task, importance));
    script_.observer(ImportanceChanged{task, importance});
  }
  void setTrialBudget(std::int64_t trials) override {
    script_.commands.push_back(fmt::format("budget {}", trials));
  }
  void setTimeBudget(double seconds) override {
    script_.commands.push_back(fmt::format("time {}", seconds));
  }
  void setTaskMode(RowId task, TaskMode mode) override {
    script_.commands.push_back(fmt::format("mode {} {}", task, name(mode)));
    script_.observer(TaskModeChanged{task, mode});
  }
  void setObjective(const Objective& objective) override {
    script_.commands.push_back(fmt::format("objective {}", name(objective.kind)));
  }
  void setSearchOptions(const SearchOptions& options) override {
    script_.commands.push_back(
        fmt::format("options {} {} {}", options.policy, options.scheduler, options.trialsPerRound));
  }
  void measureNow(RowId task, const NamedProgram& program) override {
    script_.commands.push_back(fmt::format("measure {} {}", task, program.record));
    script_.observer(MeasureDemanded{task, program.record, ""});
  }
  void setSeed(RowId task, const NamedProgram& program, bool added) override {
    script_.commands.push_back(fmt::format("seed {} {} {}", task, program.record, added));
    script_.observer(SeedChanged{task, program.record, "", added});
  }
  void forget(const std::vector<RowId>& records, bool forgotten) override {
    script_.commands.push_back(
        fmt::format("{} {}", forgotten ? "forget" : "restore", fmt::join(records, " ")));
    script_.observer(RecordsForgotten{records, forgotten});
  }
  void pauseAfterPhase(bool on) override {
    script_.commands.push_back(on ? "stepping on" : "stepping off");
    script_.observer(SteppingChanged{on});
  }
  void step(std::optional<SearchPhase> until) override {
    script_.commands.push_back(until ? fmt::format("step to {}", name(*until)) : "step");
    if (script_.answers) answer(SessionStatus::Running);
  }
  SessionStatus status() const override { return status_; }

 private:
  void say(const char* command, SessionStatus status) {
    script_.commands.push_back(command);
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
  record.trace = R"({"operation": "sample", "draw": 7})";
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
    const RowId network = store.addNetwork({0, "sample", "sample:batch=1"});
    const RowId target = store.addTarget({0, "test", "llvm -keys=cpu -num-cores=2", "{}"});
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
      sample->tasks.push_back(store.addTask(row));
      store.setNaiveSeconds(sample->tasks.back(), 1e-3 * (i + 1));
    }
    SessionConfig config;
    config.subjects = {"sample:batch=1"};
    SessionRow row;
    row.network = network, row.title = "sample", row.config = toJson(config).dump();
    row.status = status, row.createdAt = row.updatedAt = 1'700'000'000'000'000;
    row.wallSeconds = trials * 0.05;
    sample->session = store.addSession(row);
    store.setSessionTasks(sample->session, sample->tasks);
    std::vector<double> best{1e-3, 2e-3, 3e-3};
    for (int trial = 1; trial <= trials; ++trial) {
      double& taskBest = best[trial % 3];
      const Record record = makeRecord(*sample, trial, taskBest);
      if (record.verified) taskBest = record.result.median();
      sample->records.push_back(store.addRecord(record));
    }
  });
  return sample;
}

void openSample(Document& document, const Sample& sample) {
  document.open(sample.path);
  QTRY_COMPARE_WITH_TIMEOUT(document.state(), DocumentState::Ready, 10'000);
  QTRY_VERIFY_WITH_TIMEOUT(!document.historyLoading(), 30'000);
}

} // namespace nestwright::ui::testing
