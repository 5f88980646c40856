/// The last phase of a session, which polishes the best of each task; sessions that do nothing
/// else; and sessions that end since nothing is left to gain.

#include "core/record/store/session_rows.h"
#include "core/search/decisions/polish.h"
#include "core/session/run/finish/effort_choice.h"
#include "core/session/run/finish/polish_session.h"
#include "core/session/run/race_entry.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/search_method.h"
#include "core/session/run/tuning/polish_phase.h"
#include "core/session/run/tuning_state.h"
#include "core/support/error.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <thread>

namespace nestwright::session_polish_test {

using namespace nestwright::made_up;

SessionConfig configOf(std::vector<std::string> subjects) {
  SessionConfig config;
  config.subjects = std::move(subjects);
  config.trials = 40;
  config.trialsPerRound = 8;
  config.polish = 12;
  config.rules = "paper";
  config.measure.threads = 2;
  return config;
}

RowId created(const QString& path, const SessionConfig& config) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  return createSession(store, config, hostTarget(2));
}

SessionStatus run(const QString& path, RowId id, std::string* reason = nullptr,
                  const MeasureFunction& machine = measureTiles) {
  const auto observe = [reason](const Event& event) {
    if (const auto* state = std::get_if<StateChanged>(&event); state && reason)
      *reason = state->reason;
  };
  Session session(path.toStdString(), id, observe, machine);
  session.post(Start{});
  return session.wait();
}

class SessionPolish : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Its neighbours come last, within the budget, each of the best of its time.
  void theLastTrialsPolish() {
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.trials = 80;
    config.polish = 48;
    const RowId session = created(path, config);
    std::string reason;
    QCOMPARE(run(path, session, &reason), SessionStatus::Finished);
    const std::vector<Record> records = recordsOf(path, session);
    QVERIFY(records.size() > 44 && records.size() <= 80);
    std::map<std::string, double> seconds;
    double best = 1, before = 1;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Trace trace = *traceOf(records[i]);
      QCOMPARE(trace.origin == Origin::Polish, i >= 32);
      if (i == 32) before = best;
      if (i >= 32) {
        QCOMPARE(trace.parents.size(), std::size_t(1));
        QVERIFY(seconds.contains(trace.parents.front()));
        QVERIFY(!trace.decision.empty() && !trace.reason.empty());
      }
      seconds[records[i].program] = records[i].result.latency();
      if (records[i].best) best = std::min(best, records[i].result.latency());
    }
    QVERIFY2(best < before, "a descent over sizes of tiles gets somewhere in so many trials");
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const TuningState state = tuningStateFromText(store.sessions().one(session)->schedulerState);
    const PolishMemory& polish = state.tasks.begin()->second.polish;
    QCOMPARE(polish.trials, std::int64_t(records.size()) - 32);
    // It ended with its trials, or where no neighbour was left.
    QCOMPARE(polish.finished.empty(), records.size() == 80);
    QVERIFY2(records.size() == 80 || reason.find("the polish is over") != std::string::npos,
             reason.c_str());
    QCOMPARE(store.records().one(polish.incumbent)->result.latency(), best);
    QCOMPARE(tuningStateFromText(toText(state)).tasks.begin()->second.polish.incumbent,
             polish.incumbent);
  }

  /// Cut into pieces it decides the same.
  void interruptedPolishesDecideTheSame() {
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64", "matmul:m=128,n=64,k=64"});
    config.trials = 48;
    const QString whole = newPath(), pieces = newPath();
    const RowId first = created(whole, config), second = created(pieces, config);
    QCOMPARE(run(whole, first), SessionStatus::Finished);
    const QStringList expected = decisions(whole, first);
    const Lives lives = runInPieces(pieces, second, 2, 3, measureTiles);
    QCOMPARE(lives.status, SessionStatus::Finished);
    QVERIFY(lives.count > 5);
    QCOMPARE(decisions(pieces, second), expected);
    QVERIFY(expected.join("\n").contains("\"polish\""));
  }

  /// One record's neighbours, on from there, until none is left or the trials are used.
  void aRecordIsPolished() {
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 0;
    config.trials = 16;
    const RowId searched = created(path, config);
    QCOMPARE(run(path, searched), SessionStatus::Finished);
    const std::vector<Record> records = recordsOf(path, searched);
    Record slow = records.front();
    for (const Record& record : records)
      if (record.result.latency() > slow.result.latency()) slow = record;
    PolishWish wish;
    wish.record = slow.id;
    wish.trials = 80;
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      session = createPolishSession(store, wish);
      wish.record = 123456;
      QVERIFY_THROWS_EXCEPTION(InputError, createPolishSession(store, wish));
      wish.record = 0;
      wish.task = 77;
      QVERIFY_THROWS_EXCEPTION(InputError, createPolishSession(store, wish));
    }
    QCOMPARE(run(path, session), SessionStatus::Finished);
    const std::vector<Record> polished = recordsOf(path, session);
    QVERIFY(polished.size() > 12 && polished.size() <= 80);
    QCOMPARE(traceOf(polished.front())->parents.front(), slow.program);
    std::set<std::string> parents;
    for (const Record& record : polished) {
      QCOMPARE(traceOf(record)->origin, Origin::Polish);
      parents.insert(traceOf(record)->parents.front());
    }
    QVERIFY2(parents.size() > 2, "it goes on from what is clearly faster");

    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const std::vector<DecisionImportance> decisions = decisionImportance(store, slow.task, session);
    QVERIFY(decisions.size() > 2);
    std::size_t neighbours = 0;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      neighbours += decisions[i].neighbours.size();
      QVERIFY(decisions[i].importance >= 1);
      if (i > 0) QVERIFY(rankOfDecision(decisions[i]) <= rankOfDecision(decisions[i - 1]));
      // On this machine tiles alone matter: also where two decisions change, of which one is about
      // them, and in another sketch, which has tiles of its own.
      const QString decision = QString::fromStdString(decisions[i].decision);
      const bool isTile =
          decision.contains("tiles") || decision == kTwoDecisions || decision == "sketch";
      QVERIFY2(isTile || decisions[i].importance == 1, qPrintable(decision));
    }
    QVERIFY(decisions.front().importance > 1);
    QCOMPARE(neighbours, polished.size());
    QVERIFY(std::ranges::any_of(decisions, [](const auto& of) { return of.bestGain > 0; }));
    QVERIFY(decisionImportance(store, slow.task, searched).empty());
  }

  /// A polish that is cut into pieces is found again, and decides as one that was not.
  void interruptedPolishesOfRecordsGoOn() {
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 0;
    config.trials = 16;
    const QString whole = newPath(), pieces = newPath();
    QStringList expected;
    for (const QString& path : {whole, pieces}) {
      QCOMPARE(run(path, created(path, config)), SessionStatus::Finished);
      PolishWish wish;
      wish.record = recordsOf(path).front().id;
      RowId session = 0;
      {
        RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
        QVERIFY(!resumablePolish(store, {}));
        session = createPolishSession(store, wish);
        const std::optional<Record> before = bestBefore(store, session);
        QVERIFY(before && before->session != session);
        QCOMPARE(*resumablePolish(store, wish), session);
        wish.record += 1;
        QVERIFY(!resumablePolish(store, wish));
        wish.record = 0;
        wish.task = before->task;
        QCOMPARE(*resumablePolish(store, wish), session);
      }
      if (path == whole) {
        QCOMPARE(run(path, session), SessionStatus::Finished);
        expected = decisions(path, session);
      } else {
        const Lives lives = runInPieces(path, session, 2, 3, measureTiles);
        QCOMPARE(lives.status, SessionStatus::Finished);
        QVERIFY(lives.count > 3);
        QCOMPARE(decisions(path, session), expected);
      }
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      // What it was before is told afterwards, too; one that is not over comes first.
      QVERIFY(bestBefore(store, session)->session != session);
      const RowId next = createPolishSession(store, wish);
      QCOMPARE(*resumablePolish(store, {}), next);
    }
  }

  /// Its neighbours are a few per cent faster or slower, and a best of the task is out of reach. In
  /// turns with it they are found to be faster; cut into pieces it comes to the same.
  void anotherProgramThanTheBestIsPolished() {
    const MeasureFunction alike = [](const auto& requests, const auto& onResult, const auto* stop) {
      const auto pass = [&](MeasureResult result) {
        for (double& seconds : result.seconds)
          if (seconds < 1) seconds = 0.1 * std::pow(seconds, 0.05);
        onResult(result);
      };
      measureTiles(requests, pass, stop);
    };
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 0;
    config.trials = 32;
    const QString whole = newPath(), pieces = newPath();
    QStringList expected;
    for (const QString& path : {whole, pieces}) {
      QCOMPARE(run(path, created(path, config), nullptr, alike), SessionStatus::Finished);
      PolishWish wish;
      wish.trials = 12;
      RowId session = 0;
      double best = 0;
      {
        RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
        std::vector<Record> records = recordsOf(path);
        std::ranges::sort(records, std::greater(),
                          [](const Record& r) { return r.result.latency(); });
        wish.record = records.front().id;
        session = createPolishSession(store, wish);
        best = store.records().best(records.front().task)->result.latency();
      }
      if (path == whole) {
        QCOMPARE(run(path, session, nullptr, alike), SessionStatus::Finished);
        expected = decisions(path, session);
      } else {
        const Lives lives = runInPieces(path, session, 2, 3, alike);
        QCOMPARE(lives.status, SessionStatus::Finished);
        QCOMPARE(decisions(path, session), expected);
      }
      const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      const PolishCourse course = polishCourse(store, session);
      QCOMPARE(course.first->id, wish.record);
      QVERIFY2(course.last->id != wish.record, "a few per cent are enough where they are sure");
      const double from = course.first->result.latency(), to = course.last->result.latency();
      QVERIFY(to < from && to > 0.75 * from && to > best);
    }
  }

  /// On a machine where nothing differs but by noise, nothing takes its place.
  void noiseIsNotFollowed() {
    const MeasureFunction noisy = [turn = 0](const auto& requests, const auto& onResult,
                                             const auto*) mutable {
      for (const MeasureRequest& request : requests) {
        MeasureResult result = timeOfTiles(request);
        for (double& seconds : result.seconds)
          seconds = 1e-3 * (1 + 0.05 * double((++turn * 7919) % 97) / 97);
        onResult(result);
      }
    };
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 0;
    config.trials = 16;
    QCOMPARE(run(path, created(path, config), nullptr, noisy), SessionStatus::Finished);
    PolishWish wish;
    wish.trials = 24;
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      for (const Record& record : recordsOf(path))
        if (!record.best) wish.record = record.id;
      session = createPolishSession(store, wish);
    }
    QCOMPARE(run(path, session, nullptr, noisy), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(polishCourse(store, session).last->id, wish.record);
  }

  /// More trials are more neighbours: it does nothing else.
  void aPolishGoesOnWithMoreTrials() {
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 0;
    config.trials = 16;
    QCOMPARE(run(path, created(path, config)), SessionStatus::Finished);
    PolishWish wish;
    wish.record = recordsOf(path).front().id;
    wish.trials = 4;
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
      session = createPolishSession(store, wish);
    }
    QCOMPARE(run(path, session), SessionStatus::Finished);
    QCOMPARE(recordsOf(path, session).size(), std::size_t(4));
    Session more(
        path.toStdString(), session, [](const Event&) {}, measureTiles);
    more.post(SetTrialBudget{12});
    more.post(Start{});
    QCOMPARE(more.wait(), SessionStatus::Finished);
    const std::vector<Record> records = recordsOf(path, session);
    QCOMPARE(records.size(), std::size_t(12));
    for (const Record& record : records)
      QCOMPARE(traceOf(record)->origin, Origin::Polish);
  }

  /// A task's own session goes on, whatever was polished or raced since.
  void resumingIsNoPolish() {
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    const RowId session = created(path, config);
    QCOMPARE(run(path, session), SessionStatus::Finished);
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
    PolishWish wish;
    wish.task = store.sessions().tasks(session).front().id;
    QVERIFY(isPolishSession(*store.sessions().one(createPolishSession(store, wish))));
    SessionRow racing = *store.sessions().one(session);
    nlohmann::json settings = configJson(racing);
    keepRaceEntry(settings, {"3f9a01c2", "random", 0, 0, 0, 2});
    racing.config = settings.dump();
    const RowId raced = store.sessions().add(racing);
    store.sessions().setTasks(raced, {wish.task});
    QCOMPARE(resumableSession(store, config.subjects)->id, session);
    QCOMPARE(resumableSession(store)->id, session);
  }

  /// It takes its part of a budget of time, too.
  void theLastSecondsPolish() {
    const MeasureFunction slow = [](const auto& requests, const auto& onResult, const auto* stop) {
      for (const MeasureRequest& request : requests) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        measureTiles({request}, onResult, stop);
      }
    };
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.trials = 100'000;
    config.polish = 90'000;
    config.trialsPerRound = 2;
    config.maxSeconds = 3;
    const RowId session = created(path, config);
    QCOMPARE(run(path, session, nullptr, slow), SessionStatus::Finished);
    const std::vector<Record> records = recordsOf(path, session);
    QVERIFY(!records.empty());
    QVERIFY(traceOf(records.front())->origin != Origin::Polish);
    QCOMPARE(traceOf(records.back())->origin, Origin::Polish);
  }

  /// What tasks that are no hundredth of the total leave is for those that matter.
  void thePolishGoesWhereItPays() {
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64", "matmul:m=128,n=64,k=64"});
    config.trials = 64;
    const MeasureFunction oneMatters = [](const auto& requests, const auto& onResult,
                                          const auto* stop) {
      const auto& all = requests;
      for (const MeasureRequest& request : all) {
        const bool isSmall = request.dag.find("128") == std::string::npos;
        const auto pass = [&](MeasureResult result) {
          if (isSmall)
            for (double& seconds : result.seconds)
              seconds /= 10'000;
          onResult(result);
        };
        measureTiles({request}, pass, stop);
      }
    };
    const RowId session = created(path, config);
    std::string reason;
    QCOMPARE(run(path, session, &reason, oneMatters), SessionStatus::Finished);
    std::map<RowId, int> polished;
    for (const Record& record : recordsOf(path, session))
      if (traceOf(record)->origin == Origin::Polish) ++polished[record.task];
    QCOMPARE(polished.size(), std::size_t(1));
    QVERIFY2(polished.begin()->second > config.polish, reason.c_str());
  }

  /// Else each of its neighbours would be refused.
  void neighboursRoundAsTheirProgramDoes() {
    const QString path = newPath();
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 0;
    config.trials = 8;
    QCOMPARE(run(path, created(path, config)), SessionStatus::Finished);
    Record rounding = recordsOf(path).front();
    rounding.steps.emplace_back(PragmaStep{2, 0, "tensor_instruction$mma_m16n8k8_tf32"});
    rounding.program = "rounding";
    rounding.trial = config.trials + 1;
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
    const auto allows = [&](RowId record) {
      PolishWish wish;
      wish.record = record;
      return nestwright::configOf(sessionRow(store, createPolishSession(store, wish))).tf32;
    };
    QVERIFY(!allows(recordsOf(path).front().id));
    QVERIFY(allows(store.records().add(rounding)));
  }

  /// A polish is no more than the budget, and there is none over templates.
  void impossiblePolishes() {
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
    config.polish = 41;
    QVERIFY_THROWS_EXCEPTION(UsageError, checkConfig(config));
    config.polish = 12;
    config.space = SearchSpace::Templates;
    config.policy = "random";
    QVERIFY_THROWS_EXCEPTION(UsageError, checkConfig(config));
    config.space = SearchSpace::Sketches;
    config.draft = "second";
    QVERIFY_THROWS_EXCEPTION(UsageError, checkConfig(config));
  }

  /// Where every program is as fast as any other there is nothing left to gain.
  void aSessionEndsWhenNothingIsLeft() {
    const auto allAlike = [](const auto& requests, const auto& onResult, const auto*) {
      for (const MeasureRequest& request : requests) {
        MeasureResult result = timeOfTiles(request);
        result.seconds = {1e-3, 1e-3, 1e-3};
        onResult(result);
      }
    };
    for (const double least : {0.0, 0.005}) {
      SessionConfig config = configOf({"matmul:m=64,n=64,k=64"});
      config.polish = 0;
      config.trials = 200;
      config.stopGain = least;
      const QString path = newPath();
      const RowId session = created(path, config);
      std::string reason;
      Session one(
          path.toStdString(), session,
          [&](const Event& event) {
            if (const auto* state = std::get_if<StateChanged>(&event)) reason = state->reason;
          },
          allAlike);
      one.post(Start{});
      QCOMPARE(one.wait(), SessionStatus::Finished);
      const std::size_t trials = recordsOf(path, session).size();
      if (least == 0)
        QCOMPARE(trials, std::size_t(200));
      else
        QVERIFY2(trials < 100 && QString::fromStdString(reason).startsWith(
                                     "done: 0.0 % left to gain, stopping"),
                 reason.c_str());
      // A larger budget is meant to be used.
      one.post(SetTrialBudget{216});
      one.post(Start{});
      QCOMPARE(one.wait(), SessionStatus::Finished);
      QCOMPARE(recordsOf(path, session).size(), std::size_t(216));
    }
  }

  /// A paused task, one of no importance and those beside a pinned one get no trials, and cannot
  /// keep the session from its end.
  void tasksWithoutTrialsDoNotMatter_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("paused") << 0;
    QTest::newRow("of no importance") << 1;
    QTest::newRow("beside a pinned one") << 2;
  }
  void tasksWithoutTrialsDoNotMatter() {
    QFETCH(int, which);
    const MeasureFunction alike = [](const auto& requests, const auto& onResult, const auto*) {
      for (const MeasureRequest& request : requests) {
        MeasureResult result = timeOfTiles(request);
        result.seconds = {1e-3, 1e-3, 1e-3};
        onResult(result);
      }
    };
    SessionConfig config = configOf({"matmul:m=64,n=64,k=64", "matmul:m=128,n=64,k=64"});
    config.polish = 0;
    config.trials = 200;
    config.stopGain = 0.005;
    const QString path = newPath();
    const RowId session = created(path, config);
    std::vector<RowId> tasks;
    for (const TaskRow& task :
         RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().tasks(session))
      tasks.push_back(task.id);
    std::string reason;
    Session one(
        path.toStdString(), session,
        [&](const Event& event) {
          if (const auto* state = std::get_if<StateChanged>(&event)) reason = state->reason;
        },
        alike);
    const Command commands[] = {SetTaskMode{tasks[1], TaskMode::Paused}, SetImportance{tasks[1], 0},
                                SetTaskMode{tasks[0], TaskMode::Pinned}};
    one.post(commands[which]);
    one.post(Start{});
    QCOMPARE(one.wait(), SessionStatus::Finished);
    QVERIFY2(recordsOf(path, session).size() < 100 &&
                 QString::fromStdString(reason).startsWith("done: 0.0 % left to gain"),
             reason.c_str());
  }

  void efforts() {
    SessionConfig config;
    config.trials = 1000;
    const SessionConfig quick = withEffort(config, Effort::Quick, 5);
    QCOMPARE(quick.trials, std::int64_t(120));
    QCOMPARE(quick.draft, std::string("first"));
    QVERIFY(quick.polish > 0 && quick.polish * 5 < quick.trials);
    QCOMPARE(quick.measure.minRepeatSeconds, 0.01);
    QCOMPARE(withEffort(quick, Effort::Normal, 5).measure.minRepeatSeconds, 0.02);
    const SessionConfig normal = withEffort(config, Effort::Normal, 5);
    QCOMPARE(normal.trials, std::int64_t(1000));
    QCOMPARE(normal.polish, 20); // a tenth of the budget
    // Of many tasks no less, but where that is not one round or more than a quarter of all.
    QCOMPARE(withEffort(config, Effort::Normal, 27).polish, 4);
    config.trials = 200;
    QCOMPARE(withEffort(config, Effort::Normal, 27).polish, 1);
    QCOMPARE(withEffort(config, Effort::Normal, 60).polish, 0);
    config.trials = 39;
    QCOMPARE(withEffort(config, Effort::Normal, 1).polish, 0);
    config.trials = 1000;
    QVERIFY(normal.stopGain > 0);
    const SessionConfig thorough = withEffort(config, Effort::Thorough, 20);
    QVERIFY(thorough.trials > 2000);
    QCOMPARE(thorough.stopGain, 0.0);
    for (const std::string& name : effortNames())
      QCOMPARE(std::string(nestwright::name(effortNamed(name))), name);
    QVERIFY_THROWS_EXCEPTION(UsageError, effortNamed("great"));
  }

  /// One after another leaves nothing behind, and what is set is recognized as it.
  void chosenEfforts() {
    SessionConfig config;
    config.trials = 1000;
    for (const Effort first : {Effort::Quick, Effort::Normal, Effort::Thorough}) {
      const SessionConfig chosen = withChosenEffort(config, first, 5);
      QCOMPARE(effortOf(chosen, 5), std::optional(first));
      for (const Effort second : {Effort::Quick, Effort::Normal, Effort::Thorough}) {
        SessionConfig next = chosen;
        next.trials = config.trials; // the person's, whatever the first made of them
        QCOMPARE(toJson(withChosenEffort(next, second, 5)),
                 toJson(withChosenEffort(config, second, 5)));
      }
    }
    QVERIFY(!effortOf(config, 5));
    QVERIFY(!effortOf(withChosenEffort(config, Effort::Quick, 5), 6));
    // Templates and papers have none; an effort leads back to our own search.
    const SessionConfig autotvm = withMethod(config, "autotvm");
    QVERIFY(!effortOf(autotvm, 5));
    QCOMPARE(withChosenEffort(autotvm, Effort::Normal, 5).space, SearchSpace::Sketches);
    // And a method leaves nothing of an effort.
    QCOMPARE(withMethod(withEffort(config, Effort::Normal, 5), "autotvm").polish, 0);
    QCOMPARE(toJson(withMethod(withEffort(config, Effort::Quick, 5), "autotvm").measure),
             toJson(withMethod(config, "autotvm").measure));
  }

  void promises() {
    SessionConfig config;
    config.trials = 600;
    const EffortPromise quick = promiseOf(config, Effort::Quick, 5, 0.25);
    QCOMPARE(quick.trials, std::int64_t(120));
    QCOMPARE(quick.seconds, 30.0);
    QVERIFY(!quick.mayEndEarly && !quick.isAssumed);
    const EffortPromise normal = promiseOf(config, Effort::Normal, 5, 0);
    QCOMPARE(normal.seconds, 600 * kAssumedSecondsPerTrial);
    QVERIFY(normal.mayEndEarly && normal.isAssumed);
  }

 private:
  QString newPath() { return folder_.filePath(QString("%1.nwdb").arg(++files_)); }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(SessionPolish)

} // namespace nestwright::session_polish_test

#include "session_polish.moc"
