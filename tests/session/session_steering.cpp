/// Steering a session under way: what the user changes shows in the next choice, is kept in the
/// file, and survives pauses and kills.

#include "core/record/store/event_rows.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/schedule/state.h"
#include "core/session/insight/timeline.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/tuning/run_settings.h"
#include "core/session/run/tuning_state.h"
#include "core/support/error.h"
#include "core/worker/quiet.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <limits>
#include <mutex>
#include <thread>

namespace nestwright::session_steering_test {

using namespace nestwright::made_up;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RecordStore reader(const QString& path) {
  return RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
}

std::vector<Record> allRecords(const QString& path, RowId session) {
  RecordQuery query;
  query.session = session;
  query.limit = 100000;
  return reader(path).records().page(query);
}

std::vector<RowId> taskIds(const QString& path, RowId session) {
  std::vector<RowId> ids;
  for (const TaskRow& task : reader(path).sessions().tasks(session))
    ids.push_back(task.id);
  return ids;
}

template <class E>
std::vector<E> ofKind(const std::vector<Event>& events) {
  std::vector<E> result;
  for (const Event& event : events)
    if (const auto* e = std::get_if<E>(&event)) result.push_back(*e);
  return result;
}

/// Runs the session to its end; after each round the script gets its turn, with the number of
/// rounds finished so far.
using Script = std::function<void(Session&, int)>;
std::vector<Event> runWith(const QString& path, RowId id, const Script& script,
                           SessionStatus* status = nullptr) {
  std::vector<Event> events;
  std::atomic<Session*> self{nullptr};
  int rounds = 0;
  Session session(
      path.toStdString(), id,
      [&](const Event& event) {
        events.push_back(event);
        if (std::holds_alternative<RoundFinished>(event)) script(*self.load(), ++rounds);
      },
      measureAll);
  self = &session;
  session.post(Start{});
  const SessionStatus end = session.wait();
  if (status) *status = end;
  return events;
}

std::vector<RowId> chosen(const std::vector<Event>& events) {
  std::vector<RowId> tasks;
  for (const TaskChosen& choice : ofKind<TaskChosen>(events))
    tasks.push_back(choice.task);
  return tasks;
}

class SessionSteering : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void schedulers_data() {
    QTest::addColumn<QString>("scheduler");
    for (const char* scheduler : {"gradient", "round-robin"})
      QTest::newRow(scheduler) << scheduler;
  }

  void pinnedTasksGetTheNextRounds_data() { schedulers_data(); }
  void pinnedTasksGetTheNextRounds() {
    QFETCH(QString, scheduler);
    const QString path = newPath();
    const RowId id = makeSession(path, config(240, scheduler));
    const std::vector<RowId> tasks = taskIds(path, id);
    const std::vector<Event> events = runWith(path, id, [&](Session& session, int round) {
      if (round == 4) session.post(SetTaskMode{tasks[2], TaskMode::Pinned});
      if (round == 7) session.post(SetTaskMode{tasks[2], TaskMode::Free});
      if (round == 8) session.post(SetTaskMode{tasks[0], TaskMode::Paused});
    });
    const std::vector<RowId> order = chosen(events);
    QVERIFY(order.size() > 12);
    for (int i = 4; i < 7; ++i)
      QCOMPARE(order[i], tasks[2]);
    QCOMPARE(std::count(order.begin() + 8, order.end(), tasks[0]), 0);
    QVERIFY(std::count(order.begin() + 7, order.end(), tasks[1]) > 0);
    const TaskChosen pinned = ofKind<TaskChosen>(events)[5];
    QVERIFY2(pinned.reason.find("pinned by the user") == 0, pinned.reason.c_str());
    QCOMPARE(ofKind<TaskModeChanged>(events).size(), std::size_t(3));
  }

  /// As they were given, each before what it changed; by whom, and also when nothing changed. What
  /// is refused is told, and no part of the log.
  void obeyedCommandsAreInTheLog() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(32));
    const std::vector<RowId> tasks = taskIds(path, id);
    const std::vector<std::pair<Command, Sender>> given{
        {SetImportance{tasks[1], 4}, Sender::Window},
        {SetTaskMode{tasks[2], TaskMode::Paused}, Sender::CommandLine},
        {SetTrialBudget{48}, Sender::Window},
        {PauseAfterPhases{false}, Sender::Window},
        {SeedWith{tasks[1], {0, {}}}, Sender::Window},
        {Start{}, Sender::CommandLine},
        {MeasureProgram{tasks[1], {0, {}}}, Sender::Window},
        {Stop{}, Sender::Signal}};
    std::vector<Event> events;
    {
      Session session(
          path.toStdString(), id, [&](const Event& event) { events.push_back(event); }, measureAll);
      session.post(SetImportance{tasks[1], kInfinity}); // refused
      for (const auto& [command, sender] : given) {
        session.post(command, sender);
        if (std::holds_alternative<Start>(command))
          QCOMPARE(session.wait(), SessionStatus::Finished);
      }
      session.post(SetTrialBudget{48}, Sender::Window); // as it is
      session.post(Forget{{1}}, Sender::Window);
    }
    forgetRecords(path.toStdString(), {1}, false, Sender::CommandLine);

    QCOMPARE(ofKind<CommandRefused>(events).size(), std::size_t(1));
    QVERIFY(ofKind<CommandRefused>(events)[0].command ==
            Command(SetImportance{tasks[1], kInfinity}));
    const std::vector<EventRow> rows = reader(path).events().of(id);
    std::vector<CommandObeyed> stored;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::optional<Event> event = eventOf(rows[i]);
      const auto* obeyed = std::get_if<CommandObeyed>(&*event);
      if (!obeyed) continue;
      QVERIFY(rows[i].at > 0);
      stored.push_back(*obeyed);
      // What it changed stands behind it.
      if (obeyed->changed) QVERIFY(i + 1 < rows.size() && rows[i + 1].kind != rows[i].kind);
    }
    QCOMPARE(stored.size(), given.size() + 3);
    for (std::size_t i = 0; i < given.size(); ++i) {
      QVERIFY2(stored[i].command == given[i].first, name(stored[i].command));
      QCOMPARE(stored[i].sender, given[i].second);
      QCOMPARE(stored[i].changed, !std::holds_alternative<Stop>(given[i].first)); // it had finished
    }
    const CommandObeyed& budget = stored[given.size()];
    QVERIFY(budget.command == Command(SetTrialBudget{48}) && !budget.changed);
    QVERIFY(stored[given.size() + 1].command == Command(Forget{{1}}));
    QVERIFY(stored.back().command == Command(Forget{{1}, false}));
    QCOMPARE(stored.back().sender, Sender::CommandLine);
    // Told as stored, and replayed so.
    const auto told = ofKind<CommandObeyed>(events);
    QCOMPARE(told.size() + 1, stored.size());
    for (std::size_t i = 0; i < told.size(); ++i)
      QVERIFY(told[i].command == stored[i].command && told[i].sender == stored[i].sender &&
              told[i].changed == stored[i].changed);
    const Timeline timeline = Timeline::read(reader(path), id);
    std::size_t replayed = 0;
    for (std::size_t i = 0; i < timeline.size(); ++i)
      replayed += std::holds_alternative<CommandObeyed>(timeline.event(i));
    QCOMPARE(replayed, stored.size());
  }

  /// A start behind a pause is still to come.
  /// Trainings on the machine leave it the processors as long as it runs, and no longer.
  void trainingsSeeASessionWhileItRuns() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(32));
    int seen = 0, calls = 0;
    Session session(
        path.toStdString(), id, [](const Event&) {},
        [&](const auto& requests, const auto& onResult, const auto* stop) {
          ++calls;
          seen += isSessionRunning() ? 1 : 0;
          measureAll(requests, onResult, stop);
        });
    QVERIFY(!isSessionRunning()); // it was not started
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    QVERIFY(calls > 0);
    QCOMPARE(seen, calls);
    QVERIFY(!isSessionRunning());
  }

  void waitsForTheLastStart() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(48));
    std::atomic<bool> posted = false;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          if (std::holds_alternative<StateChanged>(event))
            while (!posted)
              std::this_thread::yield();
        },
        measureAll);
    for (const Command& command : std::vector<Command>{Start{}, Pause{}, Start{}})
      session.post(command);
    posted = true;
    QCOMPARE(session.wait(), SessionStatus::Finished);
  }

  /// What is demanded behind a pause that is still to be obeyed is measured all the same.
  void aDemandBehindAPauseIsMeasured() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(48));
    const RowId task = taskIds(path, id).front();
    std::atomic<bool> posted = false;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          if (std::holds_alternative<StateChanged>(event))
            while (!posted)
              std::this_thread::yield();
        },
        measureAll);
    session.post(Start{});
    session.post(Pause{});
    session.post(MeasureProgram{task, {}});
    posted = true;
    QCOMPARE(session.wait(), SessionStatus::Paused);
    const std::vector<Record> records = allRecords(path, id);
    QCOMPARE(records.size(), std::size_t(1));
    QVERIFY(records.front().onDemand);
  }

  /// "Run to" pauses a session that runs, too, and one that is about to.
  void runningToAPhasePausesWhatRuns() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(480));
    std::atomic<Session*> self{nullptr};
    std::atomic<bool> asked = false;
    Session session(
        path.toStdString(), id, [](const Event&) {},
        [&](const auto& requests, const auto& onResult, const auto* stop) {
          if (!asked.exchange(true)) self.load()->post(RunPhase{SearchPhase::Measuring});
          measureAll(requests, onResult, stop);
        });
    self = &session;
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    const std::int64_t trials = reader(path).sessions().summary(id).trials;
    QVERIFY(trials > 0 && trials <= 16); // the round under way
    session.post(Start{});
    session.post(RunPhase{SearchPhase::Measuring});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    QVERIFY(reader(path).sessions().summary(id).trials > trials);
  }

  /// A round whose last trial was the budget's last is brought to its end all the same, where the
  /// process was killed right behind it.
  void theLastRoundIsFinished() {
    const QString path = newPath(), killed = newPath();
    const RowId id = makeSession(path, config(32));
    const auto rounds = [id](const QString& of) {
      return reader(of).events().ids(id, kind(RoundFinished{})).size();
    };
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          const auto* measured = std::get_if<Measured>(&event);
          if (measured != nullptr && measured->trial == 32) snapshot(path, killed);
        },
        measureAll);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    QCOMPARE(runToEnd(killed, id), SessionStatus::Finished);
    QCOMPARE(rounds(killed), rounds(path));
    QCOMPARE(reader(killed).sessions().summary(id).trials, std::int64_t(32));
  }

  /// A pin outlives the process, importance 0 and an objective that is met.
  void aPinIsKept() {
    const QString path = newPath();
    SessionConfig choice = config(96, "gradient");
    const RowId id = makeSession(path, choice);
    const std::vector<RowId> tasks = taskIds(path, id);
    {
      Session session(
          path.toStdString(), id, [](const Event&) {}, measureAll);
      session.post(SetTaskMode{tasks[1], TaskMode::Pinned});
      session.post(SetImportance{tasks[1], 0});
    }
    const std::vector<RowId> order = chosen(runWith(path, id, [](Session&, int) {}));
    QVERIFY(order.size() >= 6);
    QCOMPARE(std::count(order.begin(), order.end(), tasks[1]), std::ptrdiff_t(order.size()));
  }

  void withEveryTaskPausedTheSessionPauses() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(120));
    const std::vector<RowId> tasks = taskIds(path, id);
    SessionStatus status{};
    std::vector<Event> events = runWith(
        path, id,
        [&](Session& session, int round) {
          if (round == 2)
            for (const RowId task : tasks)
              session.post(SetTaskMode{task, TaskMode::Paused});
        },
        &status);
    QCOMPARE(status, SessionStatus::Paused);
    QCOMPARE(ofKind<StateChanged>(events).back().reason,
             std::string("every task that could take trials is paused"));
    QVERIFY(reader(path).sessions().summary(id).trials < 40);
    {
      Session session(
          path.toStdString(), id, [](const Event&) {}, measureAll);
      session.post(SetTaskMode{tasks[1], TaskMode::Free});
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QVERIFY(reader(path).tasks().summary(tasks[1]).trials > 80);
  }

  void budgetsChangeOnTheWay() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(1000));
    SessionStatus status{};
    const std::vector<Event> events = runWith(
        path, id,
        [](Session& session, int round) {
          if (round == 2) session.post(SetTrialBudget{70});
          if (round == 3) session.post(SetTimeBudget{3600});
        },
        &status);
    QCOMPARE(status, SessionStatus::Finished);
    QCOMPARE(reader(path).sessions().summary(id).trials, std::int64_t(70));
    const auto changes = ofKind<SettingsChanged>(events);
    QCOMPARE(changes.size(), std::size_t(2));
    QCOMPARE(changes[0].what, std::string("trial budget 70 (was 1000)"));
    const SessionConfig stored =
        sessionConfigFromJson(nlohmann::json::parse(reader(path).sessions().one(id)->config));
    QCOMPARE(stored.trials, std::int64_t(70));
    QCOMPARE(stored.maxSeconds, 3600.0);
    Session again(
        path.toStdString(), id, [](const Event&) {}, measureAll);
    again.post(SetTrialBudget{80});
    again.post(SetTimeBudget{1e-9}); // used long ago
    again.post(Start{});
    QCOMPARE(again.wait(), SessionStatus::Finished);
    QCOMPARE(reader(path).sessions().summary(id).trials, std::int64_t(70));
  }

  /// Whichever budget ends first.
  /// However near they are.
  void everyChangeOfSettingsIsTold() {
    SessionConfig before, after;
    before.maxSeconds = 3600;
    after.maxSeconds = 3650;
    QCOMPARE(differenceText(before, after), std::string("time budget 1 h 50 s (was 1 h)"));
    after.maxSeconds = 3600 + 1e-7;
    QVERIFY(!differenceText(before, after).empty());
    QCOMPARE(differenceText(before, before), std::string());
  }

  void timeLeftKnowsBothBudgets() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(1'000'000'000));
    const std::vector<Event> events = runWith(path, id, [](Session& session, int round) {
      if (round == 2) session.post(SetTimeBudget{3600});
      if (round == 4) session.post(Pause{});
    });
    const std::vector<Progress> told = ofKind<Progress>(events);
    QVERIFY(!told.empty());
    QVERIFY2(told.back().secondsLeft <= 3600 && told.back().secondsLeft > 3000,
             qPrintable(QString::number(told.back().secondsLeft)));
  }

  void theObjectiveChangesOnTheWay() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(1000, "round-robin"));
    std::vector<CommandRefused> refused;
    SessionStatus status{};
    const std::vector<Event> events = runWith(
        path, id,
        [](Session& session, int round) {
          Objective met{ObjectiveKind::LatencyRequirement, {10}, 5};
          if (round == 3) session.post(SetObjective{met}); // round-robin takes no notice: refused
          SearchOptions options = searchOptions(config(1000));
          options.scheduler = "gradient";
          if (round == 5) session.post(SetSearchOptions{options});
          if (round == 6) session.post(SetObjective{met});
        },
        &status);
    QCOMPARE(ofKind<CommandRefused>(events).size(), std::size_t(1));
    QVERIFY(ofKind<CommandRefused>(events)[0].reason.find("gradient") != std::string::npos);
    // Ten seconds are met by any program.
    QCOMPARE(status, SessionStatus::Finished);
    QCOMPARE(chosen(events).size(), std::size_t(6));
    QVERIFY(ofKind<StateChanged>(events).back().reason.find("requirement") != std::string::npos);
  }

  /// All kinds of steering, each after a certain round; cut off again and again in the middle of
  /// rounds, the session decides as one that never was (C25).
  void interruptionsChangeNothing_data() {
    QTest::addColumn<QString>("policy");
    QTest::newRow("random") << "random";
#ifdef HAS_COST_MODEL
    QTest::newRow("evolutionary") << "evolutionary";
#endif
  }
  void interruptionsChangeNothing() {
    QFETCH(QString, policy);
    const QString whole = newPath(), broken = newPath();
    SessionConfig choice = config(150, "gradient");
    choice.policy = policy.toStdString();
    choice.population = 40;
    choice.generations = 2;
    const RowId idWhole = makeSession(whole, choice), idBroken = makeSession(broken, choice);
    runWith(whole, idWhole, [&](Session& session, int round) { steer(session, whole, round); });

    int lives = 0, rounds = 0;
    for (bool finished = false; !finished; ++lives) {
      QVERIFY(lives < 200);
      std::atomic<Session*> self{nullptr};
      Session session(
          broken.toStdString(), idBroken,
          [&](const Event& event) {
            if (std::holds_alternative<RoundFinished>(event)) steer(*self.load(), broken, ++rounds);
          },
          cutOffAfter(3 + lives % 5, self));
      self = &session;
      session.post(Start{});
      finished = session.wait() == SessionStatus::Finished;
    }
    QVERIFY(lives > 10);
    QCOMPARE(decisions(broken, idBroken), decisions(whole, idWhole));
    QVERIFY(reader(broken).check().empty());
    QVERIFY(reader(broken).sessions().summary(idBroken).forgotten > 0);
  }

  /// A change that cannot be followed leaves everything as it was, and the session goes on.
  void aModelThatIsMissingIsRefused() {
    const QString path = newPath();
    SessionConfig choice = config(32);
    choice.model = "model_of_nobody";
    const RowId id = makeSession(path, choice);
    staysRandom(path, id);
    for (const EventRow& row : reader(path).events().of(id)) {
      const std::optional<Event> event = eventOf(row);
      const auto* obeyed = std::get_if<CommandObeyed>(&*event);
      QVERIFY(!obeyed || !std::holds_alternative<SetSearchOptions>(obeyed->command));
    }
  }
#ifdef HAS_COST_MODEL
  void aModelThatCannotBeReadIsRefused() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(32));
    RecordStore::open(path.toStdString()).models().save(id, "xgboost", "no model");
    staysRandom(path, id);
  }

  /// What other sessions measured the model has not learned from: it does not begin anew without.
  void recordsOfOthersAreForgottenBesideTheModel() {
    const QString path = newPath();
    const RowId other = makeSession(path, config(32));
    QCOMPARE(runToEnd(path, other), SessionStatus::Finished);
    SessionConfig choice = config(48);
    choice.policy = "evolutionary";
    choice.warmup = 4;
    choice.population = 40;
    const RowId id = anotherSession(path, choice, taskIds(path, other));
    std::vector<Event> events;
    {
      Session session(
          path.toStdString(), id, [&](const Event& event) { events.push_back(event); }, measureAll);
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
      QVERIFY(reader(path).models().of(id, "xgboost"));
      RecordStore::open(path.toStdString()).models().save(id, "xgboost", "no model");
      session.post(Forget{{allRecords(path, other).front().id}});
    }
    QCOMPARE(ofKind<RecordsForgotten>(events).size(), std::size_t(1));
    QCOMPARE(ofKind<CommandRefused>(events).size(), std::size_t(0));
  }
#endif

  /// What threw was not obeyed, and the log does not say so. Why it ended stands there.
  void aStartBesideAnImportIsNotObeyed() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(32));
    {
      const SessionLock import(path.toStdString(), 0, SessionLock::What::Import);
      Session session(
          path.toStdString(), id, [](const Event&) {}, measureAll);
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
    }
    const std::vector<EventRow> rows = reader(path).events().of(id);
    QCOMPARE(rows.size(), std::size_t(1));
    const StateChanged state = std::get<StateChanged>(eventOf(rows[0]).value());
    QVERIFY2(state.reason.find("being imported") != std::string::npos, state.reason.c_str());
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
  }

  /// Nothing stands in for the facts of a machine that the file lost.
  void aTargetThatIsMissingIsNamed() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(32));
    const RecordStore store = reader(path);
    RunSettings settings(sessionRow(store, id));
    TaskRow task = store.sessions().tasks(id).front();
    settings.setTarget(store, task, nullptr);
    QCOMPARE(settings.target.id(), hostTarget(2).id());
    task.target = 77;
    QVERIFY_THROWS_EXCEPTION(InputError, settings.setTarget(store, task, nullptr));
  }

  void measuresOnDemandWithoutStarting() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(48));
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const std::vector<RowId> tasks = taskIds(path, id);
    const Record best = *reader(path).records().best(tasks[0]);
    const std::string state = reader(path).sessions().one(id)->schedulerState;
    std::vector<Event> events;
    {
      Session session(
          path.toStdString(), id, [&](const Event& event) { events.push_back(event); }, measureAll);
      session.post(MeasureProgram{tasks[0], {best.id, {}}});
      session.post(MeasureProgram{tasks[0], {best.id, {}}});
      session.post(MeasureProgram{tasks[0], {best.id + 1000, {}}}); // there is none
      session.post(MeasureProgram{tasks[1], {best.id, {}}});        // another computation
      session.post(MeasureProgram{tasks[1], {0, {}}});              // the naive program's steps
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QCOMPARE(ofKind<CommandRefused>(events).size(), std::size_t(2));
    const auto measured = ofKind<Measured>(events);
    QCOMPARE(measured.size(), std::size_t(3));
    QVERIFY(measured[0].onDemand);
    QCOMPARE(measured[0].original, best.id);
    QCOMPARE(measured[2].original, RowId(0));
    const std::vector<Record> repeated = reader(path).records().repeatedMeasurements(best.id);
    QCOMPARE(repeated.size(), std::size_t(3));
    QCOMPARE(repeated[2].result.latency(), best.result.latency()); // of a machine without noise
    QCOMPARE(reader(path).records().best(tasks[0])->id, best.id);
    // The search has not moved.
    const TuningState before = tuningStateFromText(state);
    const TuningState after = tuningStateFromText(reader(path).sessions().one(id)->schedulerState);
    QCOMPARE(after.round, before.round);
    QCOMPARE(after.demandedTrials, std::int64_t(3));
    QVERIFY(after.demands.empty());
    QCOMPARE(after.tasks.at(tasks[0]).rounds, before.tasks.at(tasks[0]).rounds);
  }

  /// While it runs, a measurement on demand goes before the next round and takes nothing from the
  /// budget.
  void measuresOnDemandBeforeTheNextRound() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(64));
    const std::vector<RowId> tasks = taskIds(path, id);
    const std::vector<Event> events = runWith(path, id, [&](Session& session, int round) {
      if (round == 2) session.post(MeasureProgram{tasks[0], {1, {}}});
    });
    std::vector<const char*> kinds;
    for (const Event& event : events)
      if (!std::holds_alternative<Progress>(event)) kinds.push_back(kind(event));
    const auto demanded = std::find_if(kinds.begin(), kinds.end(), [](const char* kind) {
      return std::string_view(kind) == "measurement demanded";
    });
    QVERIFY(demanded + 2 < kinds.end());
    QCOMPARE(demanded[1], "measured");
    QCOMPARE(demanded[2], "task chosen");
    QCOMPARE(reader(path).sessions().summary(id).trials, std::int64_t(65));
    const Progress last = ofKind<Progress>(events).back();
    QCOMPARE(last.trials, last.budget);
  }

  /// A demand that a pause cut off waits in the file for the next start.
  void demandsAreKept() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(32));
    const std::vector<RowId> tasks = taskIds(path, id);
    {
      std::atomic<Session*> self{nullptr};
      Session session(
          path.toStdString(), id, [](const Event&) {},
          [&](const auto& requests, const auto& onResult, const auto*) {
            MeasureResult result;
            result.id = requests[0].id;
            result.verdict = Verdict::Cancelled;
            self.load()->post(Pause{});
            onResult(result);
          });
      self = &session;
      NamedProgram cross;
      cross.trace.emplace();
      cross.trace->origin = Origin::Crossover;
      cross.trace->parents = {"mother", "father"};
      session.post(MeasureProgram{tasks[0], cross});
      QCOMPARE(session.wait(), SessionStatus::Ready);
    }
    QCOMPARE(reader(path).sessions().summary(id).trials, std::int64_t(0));
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    QCOMPARE(reader(path).sessions().summary(id).trials, std::int64_t(33));
    const CurvePoint first = reader(path).trials().curve(id).front();
    QVERIFY(first.onDemand);
    // How the program came to be went through the file too.
    const Trace trace =
        traceFromJson(nlohmann::json::parse(reader(path).records().one(first.record)->trace));
    QCOMPARE(trace.origin, Origin::Crossover);
    QCOMPARE(trace.parents, (std::vector<std::string>{"mother", "father"}));
  }

  void aSeedIsMeasuredNext() {
    // Programs of the same computation from another session, as if of another machine.
    const QString path = newPath();
    const RowId first = makeSession(path, config(48));
    QCOMPARE(runToEnd(path, first), SessionStatus::Finished);
    const std::vector<RowId> tasks = taskIds(path, first);
    const Record seed = *reader(path).records().best(tasks[1]);
    RowId second = 0;
    {
      RecordStore store = RecordStore::open(path.toStdString());
      const RowId target = store.targets().add({0, "other", "other", toJson(hostTarget(2)).dump()});
      TaskRow task = *store.tasks().one(tasks[1]);
      task.target = target;
      SessionRow row = *store.sessions().one(first);
      SessionConfig other = config(40);
      other.seed = 77;
      other.trialsPerRound = 8;
      other.subjects = {"one"};
      row.config = toJson(other).dump();
      row.status = SessionStatus::Ready;
      row.schedulerState.clear();
      second = store.sessions().add(row);
      store.sessions().setTasks(second, {store.tasks().add(task)});
    }
    const RowId task = taskIds(path, second)[0];
    QVERIFY(task != tasks[1]);
    std::vector<Event> events;
    {
      Session session(
          path.toStdString(), second, [&](const Event& event) { events.push_back(event); },
          measureAll);
      session.post(SeedWith{task, {seed.id, {}}});
      session.post(SeedWith{task, {seed.id, {}}});                                   // already
      session.post(SeedWith{task, {reader(path).records().best(tasks[0])->id, {}}}); // another one
      session.post(SeedWith{task, {0, {AnnotationStep{99, 0, Annotation::Parallel}}}}); // illegal
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QCOMPARE(ofKind<SeedChanged>(events).size(), std::size_t(1));
    QCOMPARE(ofKind<CommandRefused>(events).size(), std::size_t(2));
    const Record measured = *reader(path).records().one(ofKind<Measured>(events)[0].record);
    QCOMPARE(measured.program, seed.program);
    QVERIFY(!measured.onDemand);
    QCOMPARE(nlohmann::json::parse(measured.trace).at("operation").get<std::string>(),
             std::string("seeded by the user"));
    const std::vector<std::string> all = reader(path).trials().measuredPrograms(second, task);
    QCOMPARE(std::count(all.begin(), all.end(), seed.program), 1);
  }

  void forgottenRecordsAreNoResults() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(96, "gradient"));
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const std::vector<RowId> tasks = taskIds(path, id);
    const TaskSummary before = reader(path).tasks().summary(tasks[0]);
    const std::string state = reader(path).sessions().one(id)->schedulerState;
    std::mutex mutex;
    std::vector<Event> told;
    const auto events = [&] {
      const std::lock_guard lock(mutex);
      return told;
    };
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          const std::lock_guard lock(mutex);
          told.push_back(event);
        },
        measureAll);
    session.post(Forget{{before.bestRecord}});
    session.post(SetTimeBudget{1e6}); // also in the queue: when it is told, the first is done
    QTRY_VERIFY(!ofKind<SettingsChanged>(events()).empty());
    const TaskSummary without = reader(path).tasks().summary(tasks[0]);
    QVERIFY(without.bestRecord != before.bestRecord);
    QVERIFY(without.bestSeconds > before.bestSeconds);
    const TuningState changed =
        tuningStateFromText(reader(path).sessions().one(id)->schedulerState);
    QVERIFY(changed.tasks.at(tasks[0]).history.back() > before.bestSeconds);
    QVERIFY(ofKind<Progress>(events()).back().totalSeconds > 0);
    session.post(Forget{{before.bestRecord}, false});
    session.post(SetTimeBudget{0});
    QTRY_COMPARE(ofKind<SettingsChanged>(events()).size(), std::size_t(2));
    QCOMPARE(reader(path).tasks().summary(tasks[0]).bestRecord, before.bestRecord);
    QCOMPARE(reader(path).sessions().one(id)->schedulerState, state);
    QCOMPARE(ofKind<RecordsForgotten>(events()).size(), std::size_t(2));
    QVERIFY(reader(path).check().empty());
    session.post(Forget{{before.bestRecord, 12345}});
    session.post(SetTimeBudget{5e6});
    QTRY_COMPARE(ofKind<SettingsChanged>(events()).size(), std::size_t(3));
    QCOMPARE(ofKind<CommandRefused>(events()).size(), std::size_t(1));
    QCOMPARE(reader(path).tasks().summary(tasks[0]).bestRecord, before.bestRecord);
    // Without the session, and only when it is not in use.
    QVERIFY_EXCEPTION_THROWN(forgetRecords(path.toStdString(), {before.bestRecord}, true),
                             SystemError);
  }

  /// What the user forgets in the middle of a round is no measure for the rest of it: whoever is
  /// below what is the best now is compared, and can become the best.
  void aRoundGoesOnWithoutTheForgottenBest() {
    const QString path = newPath();
    SessionConfig choice = config(32);
    choice.checkShare = 0;
    choice.confirmBest = false;
    choice.seed = 8; // the first round's best is faster than all of the second
    const RowId id = makeSession(path, choice, {64});
    const RowId task = taskIds(path, id).front();
    std::atomic<Session*> self{nullptr};
    {
      Session session(
          path.toStdString(), id, [](const Event&) {}, cutOffAfter(1 + 16 + 4, self));
      self = &session;
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
      QCOMPARE(reader(path).trials().last(id).first, std::int64_t(20));
      std::vector<RowId> firstRound;
      for (const Record& record : allRecords(path, id))
        if (record.trial <= 16) firstRound.push_back(record.id);
      session.post(Forget{firstRound});
    }
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    double fastest = 1;
    for (const Record& record : allRecords(path, id))
      if (record.trial > 20) fastest = std::min(fastest, record.result.latency());
    QVERIFY(reader(path).tasks().summary(task).bestRecord != 0);
    QVERIFY(reader(path).tasks().summary(task).bestSeconds <= fastest);
  }

  /// A task all of whose records were forgotten begins anew, warm-up included.
  void aTaskWithoutRecordsBeginsAnew() {
    const QString path = newPath();
    const RowId id = makeSession(path, config(96, "gradient"));
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const std::vector<RowId> tasks = taskIds(path, id);
    std::vector<RowId> all;
    RecordQuery query;
    query.task = tasks[1];
    query.limit = 1000;
    for (const Record& record : reader(path).records().page(query))
      all.push_back(record.id);
    QCOMPARE(forgetRecords(path.toStdString(), all, true).size(), all.size());
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureAll);
    session.post(SetTrialBudget{160});
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    QVERIFY(reader(path).tasks().summary(tasks[1]).bestRecord > 0);
    QVERIFY(reader(path).check().empty());
  }

 private:
  static SessionConfig config(std::int64_t trials, const QString& scheduler = "round-robin") {
    SessionConfig config;
    config.trials = trials;
    config.trialsPerRound = 16;
    config.seed = 5;
    config.scheduler = scheduler.toStdString();
    return config;
  }
  QString newPath() {
    return folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_));
  }

  /// Another session of the file, over these tasks.
  static RowId anotherSession(const QString& path, const SessionConfig& config,
                              const std::vector<RowId>& tasks) {
    RecordStore store = RecordStore::open(path.toStdString());
    SessionRow row;
    row.config = toJson(config).dump();
    const RowId session = store.sessions().add(row);
    store.sessions().setTasks(session, tasks);
    return session;
  }
  /// Asks a session that draws at random for evolution, which is refused, and then goes on.
  static void staysRandom(const QString& path, RowId id) {
    std::vector<Event> events;
    {
      Session session(
          path.toStdString(), id, [&](const Event& event) { events.push_back(event); }, measureAll);
      SearchOptions options = searchOptions(
          sessionConfigFromJson(nlohmann::json::parse(reader(path).sessions().one(id)->config)));
      options.policy = "evolutionary";
      session.post(SetSearchOptions{options});
      session.post(SetTrialBudget{48});
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QCOMPARE(ofKind<CommandRefused>(events).size(), std::size_t(1));
    QCOMPARE(ofKind<SettingsChanged>(events).size(), std::size_t(1));
    QCOMPARE(ofKind<ModelUpdated>(events).size(), std::size_t(0));
    const std::string config = reader(path).sessions().one(id)->config;
    QCOMPARE(sessionConfigFromJson(nlohmann::json::parse(config)).policy, std::string("random"));
  }

  /// What the user does after each round.
  static void steer(Session& session, const QString& path, int round) {
    const RecordStore store = reader(path);
    const RowId id = store.sessions().all().front().id;
    const std::vector<TaskRow> tasks = store.sessions().tasks(id);
    SearchOptions options = searchOptions(
        sessionConfigFromJson(nlohmann::json::parse(store.sessions().one(id)->config)));
    if (round == 2) session.post(SetTaskMode{tasks[1].id, TaskMode::Pinned});
    if (round == 3) session.post(SeedWith{tasks[1].id, {0, {}}});
    if (round == 4) session.post(SetTaskMode{tasks[1].id, TaskMode::Free});
    if (round == 5)
      session.post(
          Forget{{store.records().best(tasks[0].id)->id, store.records().best(tasks[1].id)->id}});
    if (round == 6) session.post(SetObjective{{ObjectiveKind::EarlyStop, {}, 4}});
    options.trialsPerRound = 7;
    options.epsilon = 0.3;
    if (round == 7) session.post(SetSearchOptions{options});
    if (round == 8) session.post(SetTaskMode{tasks[2].id, TaskMode::Paused});
    if (round == 9) session.post(SetTrialBudget{140});
  }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(SessionSteering)

} // namespace nestwright::session_steering_test

#include "session_steering.moc"
