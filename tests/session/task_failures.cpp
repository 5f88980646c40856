/// Tasks that cannot be tuned: each ends alone, with its reason, and may be tried again (C7, C16,
/// C45).
#include "core/plugin/plugin.h"
#include "core/record/store/store.h"
#include "core/session/run/stop_rule.h"
#include "core/session/run/task_failure.h"
#include "core/session/run/tuning_state.h"
#include "tests/measure/faulty_workers.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <csignal>
#include <fstream>
#include <mutex>
#include <thread>

namespace nestwright::task_failures_test {

using namespace nestwright::made_up;

/// The rows of A of the task that a request is of.
bool isOf(const MeasureRequest& request, int size) {
  return request.dag.find(fmt::format("[{}, 64]", size)) != std::string::npos;
}

/// A machine on which some requests fail.
MeasureFunction failing(std::function<std::optional<Verdict>(const MeasureRequest&)> verdictOf,
                        MeasureFunction machine = measureAll) {
  return [=](const auto& requests, const auto& onResult, const auto* stop) {
    machine(
        requests,
        [&](MeasureResult result) {
          const auto request = std::ranges::find(requests, result.id, &MeasureRequest::id);
          const std::optional<Verdict> verdict = verdictOf(*request);
          if (verdict && result.verdict != Verdict::Cancelled) {
            result.verdict = *verdict;
            result.error = "as the test wants it";
            result.seconds.clear();
            result.checked = false;
          }
          onResult(result);
        },
        stop);
  };
}

MeasureFunction naiveOf32Fails() {
  return failing([](const MeasureRequest& request) {
    return request.naive && isOf(request, 32) ? std::optional(Verdict::RunError) : std::nullopt;
  });
}

SessionConfig config(std::int64_t trials, const char* scheduler = "round-robin") {
  SessionConfig config;
  config.trials = trials;
  config.scheduler = scheduler;
  config.seed = 4;
  return config;
}

struct Told {
  std::vector<Event> events;
  SessionStatus status = SessionStatus::Ready;
  std::string reason;
  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const Event& event : events)
      if (const auto* e = std::get_if<E>(&event)) found.push_back(*e);
    return found;
  }
};

Told run(const QString& path, RowId id, MeasureFunction machine, std::int64_t budget = 0,
         WorkerLaunch launch = {}) {
  Told told;
  std::mutex mutex;
  Session session(
      path.toStdString(), id,
      [&](const Event& event) {
        const std::lock_guard lock(mutex);
        told.events.push_back(event);
        if (const auto* state = std::get_if<StateChanged>(&event)) told.reason = state->reason;
      },
      std::move(machine), std::move(launch));
  if (budget > 0) session.post(SetTrialBudget{budget});
  session.post(Start{});
  told.status = session.wait();
  return told;
}

std::int64_t trialsOf(const QString& path, RowId session, int index) {
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  return store.tasks()
      .summary(store.sessions().tasks(session)[static_cast<std::size_t>(index)].id)
      .trials;
}

/// A session over one product a name, which is the name of its output: what the workers of
/// tests/measure do with it.
RowId makeNamedSession(const QString& path, const std::vector<std::string>& names,
                       const SessionConfig& config, const TargetFacts& facts = hostTarget(2)) {
  const RowId id = makeSession(path, config, {16});
  RecordStore store = RecordStore::open(path.toStdString());
  const RowId target = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
  std::vector<RowId> tasks;
  for (const std::string& name : names) {
    const ComputeDag dag =
        parseDag(fmt::format("A = PLACEHOLDER [32, 32]\nB = PLACEHOLDER [32, 32]\n"
                             "{}(i, j) += (A[i, k]*B[k, j])\n",
                             name));
    tasks.push_back(
        store.tasks().add({0, 0, target, static_cast<int>(tasks.size()), workloadKey(dag) + name,
                           name, print(dag), 1.0, flops(dag)}));
  }
  store.sessions().setTasks(id, tasks);
  return id;
}

/// Real worker processes behind a session.
MeasureFunction processes(const char* worker) {
  const auto measurer = std::make_shared<Measurer>(test::quickOptions(), WorkerLaunch{{worker}});
  return [measurer](const auto& requests, const auto& onResult, const auto* stop) {
    measurer->measure(requests, onResult, stop);
  };
}

class TaskFailures : public test::FaultyWorkers {
  Q_OBJECT

 private Q_SLOTS:
  void oneTaskEndsAlone() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(60));
    int attempts = 0;
    const Told told = run(path, id, failing([&](const MeasureRequest& request) {
                            const bool fails = request.naive && isOf(request, 32);
                            attempts += fails;
                            return fails ? std::optional(Verdict::RunError) : std::nullopt;
                          }));
    QCOMPARE(told.status, SessionStatus::Finished);
    QCOMPARE(attempts, 2); // one more, with fresh workers
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().summary(id).trials, std::int64_t(60));
    QCOMPARE(trialsOf(path, id, 1), std::int64_t(0));
    const std::vector<UntunedTask> untuned = untunedTasks(store, id);
    QCOMPARE(untuned.size(), std::size_t(1));
    QVERIFY(untuned[0].failed);
    QCOMPARE(inWords(untuned),
             std::string("matmul 32: its naive program, which all others are compared with, cannot "
                         "be measured: run error: as the test wants it"));
    const auto given = told.all<TaskExhausted>();
    QCOMPARE(given.size(), std::size_t(1));
    QCOMPARE(given[0].task, untuned[0].task);
    QCOMPARE(given[0].reason, untuned[0].reason);
  }

  void oneAccidentIsNoReason() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(60));
    bool failed = false;
    const Told told = run(path, id, failing([&](const MeasureRequest& request) {
                            const bool fails = request.naive && isOf(request, 32) && !failed;
                            failed |= fails;
                            return fails ? std::optional(Verdict::WorkerLost) : std::nullopt;
                          }));
    QCOMPARE(told.status, SessionStatus::Finished);
    QVERIFY(failed);
    QVERIFY(told.all<TaskExhausted>().empty());
    QVERIFY(trialsOf(path, id, 1) >= 16);
  }

  void theNextStartTriesAgain() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(40));
    run(path, id, naiveOf32Fails());
    QCOMPARE(trialsOf(path, id, 1), std::int64_t(0));
    const Told told = run(path, id, measureAll, 120);
    QCOMPARE(told.status, SessionStatus::Finished);
    QCOMPARE(told.all<NaiveMeasured>().size(), std::size_t(1));
    QVERIFY(trialsOf(path, id, 1) >= 16);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QVERIFY(untunedTasks(store, id).empty());
  }

  void noTaskCanBeTuned() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(40));
    const Told told = run(path, id, failing([](const MeasureRequest& request) {
                            return request.naive ? std::optional(Verdict::LoadError) : std::nullopt;
                          }));
    QCOMPARE(told.status, SessionStatus::Failed);
    const QString reason = QString::fromStdString(told.reason);
    QVERIFY(reason.startsWith("none of the session's tasks can be tuned\nmatmul 16: "));
    QCOMPARE(reason.count("load error: as the test wants it"), 3);
    QCOMPARE(run(path, id, measureAll).status, SessionStatus::Finished);
    QCOMPARE(trialsOf(path, id, 0) + trialsOf(path, id, 1) + trialsOf(path, id, 2),
             std::int64_t(40));
  }

  /// Each life tries the failed task again, and decides as the one that was never interrupted.
  void interruptionsChangeNothing_data() {
    QTest::addColumn<QString>("scheduler");
    for (const char* scheduler : {"gradient", "round-robin"})
      QTest::newRow(scheduler) << scheduler;
  }
  void interruptionsChangeNothing() {
    QFETCH(QString, scheduler);
    const QString whole = newPath(), broken = newPath();
    const SessionConfig choice = config(80, qPrintable(scheduler));
    const RowId idWhole = makeSession(whole, choice), idBroken = makeSession(broken, choice);
    QCOMPARE(run(whole, idWhole, naiveOf32Fails()).status, SessionStatus::Finished);
    int lives = 0;
    for (bool finished = false; !finished; ++lives) {
      QVERIFY(lives < 100);
      std::atomic<Session*> self{nullptr};
      Session session(
          broken.toStdString(), idBroken, [](const Event&) {},
          failing(
              [](const MeasureRequest& request) {
                return request.naive && isOf(request, 32) ? std::optional(Verdict::RunError)
                                                          : std::nullopt;
              },
              cutOffAfter(5 + lives % 5, self)));
      self = &session;
      session.post(Start{});
      finished = session.wait() == SessionStatus::Finished;
    }
    QVERIFY(lives > 5);
    QCOMPARE(decisions(broken, idBroken), decisions(whole, idWhole));
  }

  void aKilledWorkerCostsNoTask_data() {
    QTest::addColumn<QString>("task");
    QTest::newRow("while the naive program is built") << "naive_build_once";
    QTest::newRow("while the naive program runs") << "naive_run_once";
  }
  /// C16, in the phase before the first round.
  void aKilledWorkerCostsNoTask() {
    QFETCH(QString, task);
    const QString path = newPath();
    const RowId id = makeNamedSession(path, {"fine", task.toStdString()}, config(8));
    std::thread killer([this] {
      for (;;) {
        const std::vector<std::string> lines = test::linesOf(file("asleep"));
        if (lines.empty() || lines.front().empty()) {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          continue;
        }
        std::ofstream(file("killed").toStdString()) << "now";
        ::kill(std::stoi(lines.front()), SIGKILL);
        return;
      }
    });
    const Told told = run(path, id, processes(FAULTY_WORKER));
    killer.join();
    QVERIFY2(told.status == SessionStatus::Finished, told.reason.c_str());
    QVERIFY(told.all<TaskExhausted>().empty());
    QCOMPARE(told.all<NaiveMeasured>().size(), std::size_t(2));
    QCOMPARE(told.all<Measured>().size(), std::size_t(8));
  }

#ifdef HAS_BACKEND
  /// The retry has workers of its own: what ails a process is no reason to give a task up.
  void theRetryHasFreshWorkers() {
    const QString path = newPath();
    SessionConfig choice = config(4);
    choice.measure = test::quickOptions();
    const RowId id = makeNamedSession(path, {"naive_stale"}, choice,
                                      backend("llvm").target(choice.measure.threads));
    const Told told = run(path, id, {}, 0, WorkerLaunch{{FAULTY_WORKER}});
    QVERIFY2(told.status == SessionStatus::Finished, told.reason.c_str());
    QVERIFY2(told.all<TaskExhausted>().empty(), told.reason.c_str());
    QCOMPARE(told.all<NaiveMeasured>().size(), std::size_t(1));
  }
#endif

  /// A worker that says what cannot be costs candidates, never the session (C45).
  void lyingWorkersCostCandidates_data() {
    QTest::addColumn<QString>("lie");
    for (const char* lie : {"run_zero", "run_empty", "run_failed_well", "run_twice", "build_list"})
      QTest::newRow(lie) << lie;
  }
  void lyingWorkersCostCandidates() {
    QFETCH(QString, lie);
    const QString path = newPath();
    const RowId id = makeNamedSession(path, {"fine", lie.toStdString()}, config(8));
    const Told told = run(path, id, processes(LYING_WORKER));
    QVERIFY2(told.status == SessionStatus::Finished, told.reason.c_str());
    int good = 0, lost = 0;
    for (const Measured& trial : told.all<Measured>()) {
      good += trial.verdict == Verdict::Ok;
      lost += trial.verdict == Verdict::WorkerLost;
    }
    QCOMPARE(good, 4);
    QCOMPARE(lost, 4);
  }

  void whenATaskPausesItself() {
    const TrialEnd good, timeout{Verdict::RunTimeout, "slow"}, crash{Verdict::RunError, "crash"};
    std::vector<TrialEnd> newest(8, timeout);
    const StopRule rule{6, 8};
    QCOMPARE(*causeToPause(newest, rule),
             std::string("8 of its last 8 programs ended with \"run timeout\", most often so: "
                         "slow"));
    newest[0] = newest[3] = good;
    QVERIFY(causeToPause(newest, rule).has_value());
    newest[1] = crash; // two causes, neither of which is the one
    QVERIFY(!causeToPause(newest, rule));
    newest.insert(newest.end(), 50, timeout); // too long ago
    QVERIFY(!causeToPause(newest, rule));
    QVERIFY(!causeToPause(std::vector<TrialEnd>(5, timeout), rule));
    QVERIFY(!causeToPause(std::vector<TrialEnd>(99, timeout), StopRule{0, 8}));
    QVERIFY(!causeToPause({}, rule));
  }

  /// C7: what fails for one cause again and again spends no more than the rule allows.
  void aTaskPausesItself() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(300));
    int good = 0; // of the task that goes bad after a while
    const auto machine = [&] {
      return failing([&](const MeasureRequest& request) {
        const bool fails = !request.naive && isOf(request, 32) && ++good > 20;
        return fails ? std::optional(Verdict::RunTimeout) : std::nullopt;
      });
    };
    const Told told = run(path, id, machine());
    QCOMPARE(told.status, SessionStatus::Finished);
    QVERIFY2(trialsOf(path, id, 1) <= 64, qPrintable(QString::number(trialsOf(path, id, 1))));
    const auto modes = told.all<TaskModeChanged>();
    QCOMPARE(modes.size(), std::size_t(1));
    QCOMPARE(modes[0].mode, TaskMode::Paused);
    QVERIFY(QString::fromStdString(modes[0].reason)
                .contains("programs ended with \"run timeout\", most often so: run timeout: as the "
                          "test wants it"));
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const std::vector<UntunedTask> untuned = untunedTasks(store, id);
    QCOMPARE(untuned.size(), std::size_t(1));
    QVERIFY(!untuned[0].failed);
    QCOMPARE(untuned[0].reason, modes[0].reason);
    // The user frees it: what failed until then does not count any more.
    const std::int64_t before = trialsOf(path, id, 1);
    {
      Session session(
          path.toStdString(), id, [](const Event&) {}, measureAll);
      session.post(SetTaskMode{untuned[0].task, TaskMode::Free});
      session.post(SetTrialBudget{400});
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QVERIFY(trialsOf(path, id, 1) > before);
    QVERIFY(untunedTasks(store, id).empty());
  }

  /// Where nothing else is left to do, the session pauses with the causes, and its next start goes
  /// on with those tasks.
  void theLastTaskPausesTheSession() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(300), {32});
    const Told told =
        run(path, id, failing([](const MeasureRequest& request) {
              return request.naive ? std::nullopt : std::optional(Verdict::CompileError);
            }));
    QCOMPARE(told.status, SessionStatus::Paused);
    const QString reason = QString::fromStdString(told.reason);
    QVERIFY2(reason.startsWith("every task that could take trials is paused\nmatmul 32: "),
             told.reason.c_str());
    QVERIFY(reason.contains("\"compile error\""));
    QVERIFY(trialsOf(path, id, 0) <= 32);
    QCOMPARE(run(path, id, measureAll).status, SessionStatus::Finished);
    QCOMPARE(trialsOf(path, id, 0), std::int64_t(300));
  }

 private:
  QString newPath() {
    return folder_.filePath(QStringLiteral("session%1.nwdb").arg(++files_));
  }
  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(TaskFailures)

} // namespace nestwright::task_failures_test

#include "task_failures.moc"
