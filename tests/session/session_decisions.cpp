/// Sessions with a made-up machine: what is decided, in which order, through pauses and kills.

#include "core/plugin/plugin.h"
#include "core/record/store/event_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "tests/bench/scheduler_replay.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <mutex>

namespace nestwright::session_decisions_test {

using namespace nestwright::made_up;

class SessionDecisions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  void usesItsBudgetOnAllTasks() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(90));
    std::vector<Event> events;
    QCOMPARE(runToEnd(path, id, [&](const Event& event) { events.push_back(event); }),
             SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().summary(id).trials, std::int64_t(90));
    for (const TaskRow& task : store.sessions().tasks(id)) {
      const TaskSummary summary = store.tasks().summary(task.id);
      QVERIFY(summary.trials >= 16);
      QVERIFY(summary.bestRecord > 0);
      QCOMPARE(summary.naiveSeconds, 1.0);
      QCOMPARE(store.records().best(task.id)->result.latency(), summary.bestSeconds);
    }
    QVERIFY(store.check().empty());
    QVERIFY(std::holds_alternative<CommandObeyed>(events.at(0)));
    QVERIFY(std::holds_alternative<StateChanged>(events.at(1)));
    const auto measured = std::count_if(events.begin(), events.end(), [](const Event& event) {
      return std::holds_alternative<Measured>(event);
    });
    QCOMPARE(measured, 90);
  }

  /// Whoever asked for 16 trials a round and sees 2 is told why, at every round.
  void smallRoundsSayWhy() {
    const QString path = newPath();
    SessionConfig small = config(29);
    small.trialsPerRound = 16;
    std::vector<TaskChosen> rounds;
    QCOMPARE(runToEnd(path, makeSession(path, small),
                      [&](const Event& event) {
                        if (const auto* chosen = std::get_if<TaskChosen>(&event))
                          rounds.push_back(*chosen);
                      }),
             SessionStatus::Finished);
    QVERIFY(rounds.size() > 2);
    int trials = 0;
    for (const TaskChosen& round : rounds)
      trials += round.trials;
    QCOMPARE(trials, 29);
    QCOMPARE(rounds.front().trials, 2);
    QCOMPARE(rounds.front().whyFewer,
             std::string("so that the budget of 29 trials reaches each of the 3 tasks four times"));
    QCOMPARE(rounds.back().trials, 1);
    QCOMPARE(rounds.back().whyFewer, std::string("the budget leaves no more"));

    SessionConfig large = config(210);
    large.trialsPerRound = 16;
    bool told = false;
    const QString other = newPath();
    runToEnd(other, makeSession(other, large), [&](const Event& event) {
      if (const auto* chosen = std::get_if<TaskChosen>(&event))
        told |= chosen->trials == 16 && !chosen->whyFewer.empty();
    });
    QVERIFY(!told); // as many as were asked for need no reason
  }

  /// C12: the parts of a round's time neither overlap nor leave anything out, and the rounds make
  /// up the time of the session.
  void timesOfARoundAreParts() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(60));
    int rounds = 0, faults = 0;
    double inRounds = 0, running = 0;
    QCOMPARE(runToEnd(path, id,
                      [&](const Event& event) {
                        if (const auto* progress = std::get_if<Progress>(&event))
                          running = progress->wallSeconds;
                        const auto* round = std::get_if<RoundFinished>(&event);
                        if (!round) return;
                        ++rounds;
                        constexpr double kRounding = 1e-6;
                        const double sum = round->samplingSeconds + round->measureSeconds +
                                           round->trainSeconds + round->storeSeconds;
                        const double thinking =
                            round->evolutionSeconds + round->featureSeconds + round->predictSeconds;
                        faults += std::abs(sum - round->wallSeconds) > kRounding;
                        inRounds += round->wallSeconds;
                        faults += thinking > round->samplingSeconds + kRounding;
                        faults += round->compileSeconds > round->measureSeconds + kRounding;
                      }),
             SessionStatus::Finished);
    QVERIFY(rounds > 0);
    QCOMPARE(faults, 0);
    // What comes after the last round is all that no round has.
    QVERIFY2(inRounds <= running && inRounds > 0.9 * running,
             qPrintable(QString("%1 s of %2 s").arg(inRounds).arg(running)));
  }

  /// A Measured event promises that its record is in the file for any other reader (C20).
  void announcedRecordsAreThere() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(30));
    const RecordStore reader = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    int missing = 0;
    runToEnd(path, id, [&](const Event& event) {
      if (const auto* measured = std::get_if<Measured>(&event))
        missing += reader.records().one(measured->record) ? 0 : 1;
    });
    QCOMPARE(missing, 0);
  }

  void sameSeedSameDecisions() {
    const QString a = newPath(), b = newPath(), c = newPath();
    const RowId idA = makeSession(a, config(60)), idB = makeSession(b, config(60));
    SessionConfig otherSeed = config(60);
    otherSeed.seed = 99;
    const RowId idC = makeSession(c, otherSeed);
    runToEnd(a, idA);
    runToEnd(b, idB);
    runToEnd(c, idC);
    QCOMPARE(decisions(a, idA), decisions(b, idB));
    QVERIFY(decisions(a, idA) != decisions(c, idC));
  }

  /// A session that is interrupted again and again, each time by a new process's worth of state,
  /// decides as one that never was (C25).
  void interruptionsChangeNothing() {
    const QString whole = newPath(), broken = newPath();
    const RowId idWhole = makeSession(whole, config(80));
    const RowId idBroken = makeSession(broken, config(80));
    runToEnd(whole, idWhole);

    int lives = 0;
    for (bool finished = false; !finished; ++lives) {
      QVERIFY(lives < 100);
      // Measures a few programs, then is cut off in the middle of the round.
      std::atomic<Session*> self{nullptr};
      Session session(
          broken.toStdString(), idBroken, [](const Event&) {}, cutOffAfter(3 + lives % 5, self));
      self = &session;
      session.post(Start{});
      finished = session.wait() == SessionStatus::Finished;
    }
    QVERIFY(lives > 5);
    QCOMPARE(decisions(broken, idBroken), decisions(whole, idWhole));
  }

  void pausesAndGoesOn() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(100000));
    std::atomic<int> measured{0};
    Session session(
        path.toStdString(), id,
        [&](const Event& event) { measured += std::holds_alternative<Measured>(event); },
        measureAll);
    session.post(Start{});
    QTRY_VERIFY(measured > 20);
    session.post(Pause{});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    const int atPause = measured;
    QTest::qWait(50);
    QCOMPARE(measured.load(), atPause);
    session.post(Start{});
    QTRY_VERIFY(measured > atPause + 20);
    session.post(Stop{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().one(id)->status, SessionStatus::Finished);
  }

  void destructionPausesAndSaves() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(100000));
    std::atomic<int> measured{0};
    {
      Session session(
          path.toStdString(), id,
          [&](const Event& event) { measured += std::holds_alternative<Measured>(event); },
          measureAll);
      session.post(Start{});
      QTRY_VERIFY(measured > 5);
    }
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().one(id)->status, SessionStatus::Paused);
    QCOMPARE(store.sessions().summary(id).trials, std::int64_t(measured));
  }

  void importanceIsTheShareOfTheTurns() {
    const QString path = newPath();
    SessionConfig choices = config(90);
    choices.scheduler = "round-robin";
    const RowId id = makeSession(path, choices);
    RowId favourite = 0;
    {
      const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      favourite = store.sessions().tasks(id)[1].id;
    }
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureAll);
    session.post(SetImportance{favourite, 4});
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QVERIFY(store.tasks().summary(favourite).trials > 45);
  }

  /// A multiplier set in the middle of the run shows in the next choice, and in its terms.
  void importanceShowsInTheNextChoice() {
    const QString path = newPath();
    SessionConfig gradient = config(400);
    gradient.scheduler = "gradient";
    const RowId id = makeSession(path, gradient);
    const std::vector<TaskRow> tasks =
        RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().tasks(id);
    const RowId favourite = tasks[2].id;
    std::vector<Event> events;
    std::atomic<Session*> self{nullptr};
    int rounds = 0;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          events.push_back(event);
          if (std::holds_alternative<RoundFinished>(event) && ++rounds == 5)
            self.load()->post(SetImportance{favourite, 1000});
        },
        measureAll);
    self = &session;
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const auto changed = std::find_if(events.begin(), events.end(), [](const Event& event) {
      return std::holds_alternative<ImportanceChanged>(event);
    });
    QVERIFY(changed != events.end());
    const auto next = std::find_if(changed, events.end(), [](const Event& event) {
      return std::holds_alternative<TaskChosen>(event);
    });
    QVERIFY(next != events.end());
    const TaskChosen& choice = std::get<TaskChosen>(*next);
    QCOMPARE(choice.task, favourite);
    QCOMPARE(choice.terms.at(2).importance, 1000.0);
    QVERIFY(choice.terms[2].chain > 900);
    // The file tells the same of every choice (C38).
    std::size_t stored = 0;
    for (const EventRow& row :
         RecordStore::open(path.toStdString(), OpenMode::ReadOnly).events().of(id))
      if (row.kind == kind(*next)) {
        const Event again = eventFromJson(row.kind, nlohmann::json::parse(row.json));
        QCOMPARE(std::get<TaskChosen>(again).terms.size(), tasks.size());
        ++stored;
      }
    QCOMPARE(stored, static_cast<std::size_t>(rounds));
  }

  /// C6: a task all of whose programs fail gets its warm-up and no more, under both schedulers.
  void aHopelessTaskKeepsToItsWarmup_data() {
    QTest::addColumn<QString>("scheduler");
    for (const char* scheduler : {"gradient", "round-robin"})
      QTest::newRow(scheduler) << scheduler;
  }
  void aHopelessTaskKeepsToItsWarmup() {
    QFETCH(QString, scheduler);
    const QString path = newPath();
    SessionConfig choice = config(300);
    choice.scheduler = scheduler.toStdString();
    choice.trialsPerRound = 10;
    const RowId id = makeSession(path, choice);
    const TaskRow hopeless =
        RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().tasks(id)[1];
    Session session(
        path.toStdString(), id, [](const Event&) {},
        [&](const auto& requests, const auto& onResult, const auto*) {
          for (const MeasureRequest& request : requests) {
            MeasureResult result = madeUpResult(request);
            if (request.dag == hopeless.dag && !request.naive) {
              result.seconds.clear();
              result.verdict = Verdict::RunError;
            }
            onResult(result);
          }
        });
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().summary(id).trials, std::int64_t(300));
    QCOMPARE(store.tasks().summary(hopeless.id).trials, std::int64_t(20)); // two rounds of ten
  }

  /// Two networks with a task in common: one task, a weight in each, and totals network by network
  /// that survive a resume.
  void networksShareTheirTasks() {
    const QString path = newPath();
    SessionConfig gradient = config(60);
    gradient.scheduler = "gradient";
    const RowId id = makeSession(path, gradient);
    {
      RecordStore store = RecordStore::open(path.toStdString());
      const std::vector<TaskRow> tasks = store.sessions().tasks(id);
      store.sessions().setNetworks(id, {{0, "one", {{tasks[0].id, 2}, {tasks[1].id, 1}}},
                                        {0, "two", {{tasks[1].id, 3}, {tasks[2].id, 1}}}});
    }
    Progress last;
    const auto keep = [&](const Event& event) {
      if (const auto* progress = std::get_if<Progress>(&event)) last = *progress;
    };
    QCOMPARE(runToEnd(path, id, keep), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    std::vector<double> best;
    for (const TaskRow& task : store.sessions().tasks(id))
      best.push_back(store.tasks().summary(task.id).bestSeconds);
    QCOMPARE(last.networks.size(), std::size_t(2));
    QVERIFY(std::abs(last.networks[0].totalSeconds - (2 * best[0] + best[1])) < 1e-12);
    QVERIFY(std::abs(last.networks[1].totalSeconds - (3 * best[1] + best[2])) < 1e-12);
    QCOMPARE(last.networks[1].naiveSeconds, 4.0);
    QVERIFY(std::abs(last.totalSeconds -
                     (last.networks[0].totalSeconds + last.networks[1].totalSeconds)) < 1e-12);
    QCOMPARE(last.objective, last.totalSeconds);
    const Progress before = last;
    Session again(path.toStdString(), id, keep, measureAll);
    again.post(SetTrialBudget{61});
    again.post(Start{});
    QCOMPARE(again.wait(), SessionStatus::Finished);
    QVERIFY(last.networks.at(0).totalSeconds <= before.networks[0].totalSeconds);
  }

  /// The benchmark's replay of a session's records decides as the session did.
  void replayingASessionDecidesTheSame_data() {
    QTest::addColumn<QString>("scheduler");
    for (const char* scheduler : {"gradient", "round-robin", "example_policy"}) // of a plugin
      QTest::newRow(scheduler) << scheduler;
  }
  void replayingASessionDecidesTheSame() {
    QFETCH(QString, scheduler);
    const QString path = newPath();
    SessionConfig choice = config(200);
    choice.scheduler = scheduler.toStdString();
    const RowId id = makeSession(path, choice);
    std::vector<RowId> chosen;
    double total = 0;
    runToEnd(path, id, [&](const Event& event) {
      if (const auto* choice = std::get_if<TaskChosen>(&event)) chosen.push_back(choice->task);
      if (const auto* progress = std::get_if<Progress>(&event)) total = progress->totalSeconds;
    });
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const bench::Replay again =
        bench::replay(bench::recordedTasks(store, id),
                      *taskScheduler(choice.scheduler).make({choice.objective, choice.seed}),
                      {choice.trials, choice.trialsPerRound, 0});
    QCOMPARE(again.chosen, chosen);
    QCOMPARE(again.totals.size(), std::size_t(200));
    QVERIFY(std::abs(again.totals.back() - total) < 1e-12);
    QCOMPARE(bench::trialsToReach(again.totals, total),
             1 + std::count_if(again.totals.begin(), again.totals.end(),
                               [&](double before) { return before > again.totals.back(); }));
  }

  void aFailureIsTold() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(50));
    std::string reason;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          if (const auto* state = std::get_if<StateChanged>(&event))
            if (state->status == SessionStatus::Failed) reason = state->reason;
        },
        [](const auto&, const auto&, const auto*) { throw SystemError("no worker could start"); });
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Failed);
    QCOMPARE(reason, std::string("no worker could start"));
  }

  /// With or without a cost model: the example has none, and what it breeds has parents.
  void climbingPoliciesGetTheFastest() {
    const QString path = newPath();
    SessionConfig climbing = config(64);
    climbing.policy = "example_policy";
    const RowId id = makeSession(path, climbing, {32});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    RecordQuery query;
    query.session = id;
    query.limit = 1000;
    int bred = 0;
    for (const Record& record : store.records().page(query))
      bred += !traceOf(record)->parents.empty();
    QVERIFY2(bred >= 16, qPrintable(QString::number(bred)));
  }

 private:
  static SessionConfig config(std::int64_t trials) {
    SessionConfig config;
    config.trials = trials;
    config.trialsPerRound = 16;
    config.seed = 5;
    return config;
  }
  QString newPath() { return folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_)); }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(SessionDecisions)

} // namespace nestwright::session_decisions_test

#include "session_decisions.moc"
