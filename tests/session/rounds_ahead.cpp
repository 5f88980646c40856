/// Rounds that are proposed while the one before is measured: what they follow from, through kills,
/// pauses, commands and errors.

#include "core/record/store/evolution_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <optional>
#include <set>

namespace nestwright::rounds_ahead_test {

using namespace nestwright::made_up;

SessionConfig config(const char* policy, std::int64_t trials = 64) {
  SessionConfig config;
  config.policy = policy;
  config.ahead = Ahead::On;
  config.trials = trials;
  config.trialsPerRound = 8;
  config.warmup = 8;
  config.population = 128; // sanitizers take long
  config.generations = 2;
  config.seed = 5;
  return config;
}

/// Whether it was chosen while the round before it began.
bool isAhead(const TaskChosen& choice) {
  return choice.reason.find("; chosen when round ") != std::string::npos;
}

RowId lastTask(const QString& path, RowId session) {
  return RecordStore::open(path.toStdString(), OpenMode::ReadOnly)
      .sessions()
      .tasks(session)
      .back()
      .id;
}

class RoundsAhead : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins:" ODD_POLICY_FOLDER);
    QVERIFY(folder_.isValid());
  }

  void policies_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<int>("every"); // of the moments is looked at: breeding takes its time
    QTest::newRow("random, one task") << "random" << QList<int>{32} << 19;
    QTest::newRow("random, three tasks") << "random" << QList<int>{16, 32, 64} << 19;
#ifdef HAS_COST_MODEL
    QTest::newRow("evolutionary, one task") << "evolutionary" << QList<int>{32} << 37;
    QTest::newRow("evolutionary, three tasks") << "evolutionary" << QList<int>{16, 32, 64} << 61;
#endif
  }

  /// Whole rounds of different programs, chosen one round early, and what they are is told.
  void neighbouringRoundsShareNoProgram_data() {
    policies_data();
    // So few programs that draws meet again.
    QTest::newRow("random, a small task") << "random" << QList<int>{2} << 0;
#ifdef HAS_COST_MODEL
    QTest::newRow("evolutionary, a small task") << "evolutionary" << QList<int>{2} << 0;
#endif
  }
  void neighbouringRoundsShareNoProgram() {
    QFETCH(QString, policy);
    const QString path = newPath();
    const RowId id = make(path, config(qPrintable(policy)));
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    std::map<RowId, std::set<std::string>> programs;
    for (const Record& record : recordsOf(path, id))
      QVERIFY(programs[record.task].insert(record.program).second);
    const auto choices = eventsOf<TaskChosen>(path, id);
    const auto ends = eventsOf<RoundFinished>(path, id);
    QCOMPARE(choices.size(), ends.size());
    int ahead = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      QCOMPARE(ends[i].trials, choices[i].trials);
      QCOMPARE(ends[i].round, choices[i].round);
      QCOMPARE(ends[i].besideSeconds > 0, isAhead(choices[i]));
      ahead += isAhead(choices[i]);
    }
    QVERIFY(!isAhead(choices[0]));
    // A policy that learns waits for its model, which the second round or the third one has.
    QVERIFY2(ahead >= std::ssize(choices) - 4, qPrintable(QString::number(ahead)));
    QVERIFY(eventsOf<ProposalDropped>(path, id).empty());
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    for (const EvolvedRound& round : store.evolutions().rounds(id))
      QCOMPARE(round.task, choices.at(static_cast<std::size_t>(round.round) - 1).task);
    QVERIFY(store.check().empty());
  }

  /// From whatever moment a killed session goes on, it decides as one that was not (C25).
  void killsChangeNothing_data() {
    policies_data();
  }
  void killsChangeNothing() {
    QFETCH(QString, policy);
    const QString whole = newPath();
    const RowId id = make(whole, config(qPrintable(policy), 40));
    std::vector<QString> killed;
    int moment = 0;
    QFETCH(int, every);
    const auto kill = [&] {
      if (++moment % every == 0) killed.push_back(snapshot(whole, newPath()));
    };
    const MeasureFunction measure = [&](const auto& requests, const auto& onResult, const auto*) {
      for (const MeasureRequest& request : requests) {
        kill();
        onResult(madeUpResult(request));
      }
    };
    {
      Session session(
          whole.toStdString(), id, [&](const Event&) { kill(); }, measure);
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Finished);
    }
    QVERIFY2(killed.size() >= 3, qPrintable(QString::number(moment)));
    const QStringList expected = decisions(whole, id);
    const QStringList choices = choicesOf(whole, id);
    for (const QString& path : killed) {
      QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
      QCOMPARE(decisions(path, id), expected);
      QCOMPARE(choicesOf(path, id), choices);
    }
  }

  /// The same of a session that is paused in the middle of its rounds again and again, and goes on
  /// as the same object or another one.
  void pausesChangeNothing_data() {
    policies_data();
  }
  void pausesChangeNothing() {
    QFETCH(QString, policy);
    const QString whole = newPath(), pieces = newPath(), steps = newPath();
    const RowId id = make(whole, config(qPrintable(policy), 40));
    QCOMPARE(runToEnd(whole, id), SessionStatus::Finished);
    QCOMPARE(make(pieces, config(qPrintable(policy), 40)), id);
    const Lives lives = runInPieces(pieces, id, 3, 5, measureAll);
    QCOMPARE(lives.status, SessionStatus::Finished);
    QVERIFY(lives.count > 5);
    QCOMPARE(decisions(pieces, id), decisions(whole, id));

    QCOMPARE(make(steps, config(qPrintable(policy), 40)), id);
    Session session(
        steps.toStdString(), id, [](const Event&) {}, measureAll);
    for (SessionStatus status = SessionStatus::Paused; status != SessionStatus::Finished;) {
      session.post(RunPhase{});
      status = session.wait();
    }
    QCOMPARE(decisions(steps, id), decisions(whole, id));
    const auto phasesOf = [&](const QString& path) {
      QStringList result;
      for (const PhaseFinished& phase : eventsOf<PhaseFinished>(path, id))
        result.append(QString::fromStdString(
            fmt::format("{} {} {}", phase.round, name(phase.phase), phase.skipped)));
      return result;
    };
    QCOMPARE(phasesOf(steps), phasesOf(whole));
  }

#ifdef HAS_COST_MODEL
  /// The model that a round follows is that of two rounds before: what the round before it measured
  /// changes nothing of it.
  void aRoundDoesNotFollowTheOneBeforeIt() {
    constexpr int kRound = 5;
    const auto programsOf = [&](bool other) {
      const QString path = newPath();
      const RowId id = makeSession(path, config("evolutionary"), {32});
      int round = 0;
      Session session(
          path.toStdString(), id,
          [&](const Event& event) {
            if (const auto* chosen = std::get_if<TaskChosen>(&event)) round = chosen->round;
          },
          [&](const auto& requests, const auto& onResult, const auto*) {
            for (const MeasureRequest& request : requests) {
              MeasureResult result = timeOfTiles(request);
              if (other && round == kRound)
                for (double& seconds : result.seconds)
                  seconds = 1e-3 / seconds; // the slowest were the fastest
              onResult(result);
            }
          });
      session.post(Start{});
      session.wait();
      std::map<int, QStringList> programs;
      for (const Record& record : recordsOf(path, id))
        programs[traceOf(record)->round].append(QString::fromStdString(record.program));
      return programs;
    };
    std::map<int, QStringList> one = programsOf(false), two = programsOf(true);
    QCOMPARE(one[kRound], two[kRound]);
    QCOMPARE(one[kRound + 1], two[kRound + 1]);
    QVERIFY(one[kRound + 2] != two[kRound + 2]);
  }
#endif

  /// Which commands drop what was proposed ahead, and which keep it.
  void commandsDropOrKeep_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<bool>("drops");
    for (const char* dropping :
         {"importance", "mode", "trials", "objective", "options", "seed", "forget"})
      QTest::newRow(dropping) << dropping << true;
    for (const char* keeping : {"seconds", "measure", "phases"})
      QTest::newRow(keeping) << keeping << false;
  }
  void commandsDropOrKeep() {
    QFETCH(QString, command);
    QFETCH(bool, drops);
    constexpr int kRound = 4;
    const QString path = newPath();
    SessionConfig choice = config("random", 80);
    const RowId id = make(path, choice, {16, 32, 64});
    const RowId task = lastTask(path, id);
    std::atomic<Session*> self{nullptr};
    RowId record = 0;
    const auto meant = [&]() -> Command {
      if (command == "importance") return SetImportance{task, 3};
      if (command == "mode") return SetTaskMode{task, TaskMode::Pinned};
      if (command == "trials") return SetTrialBudget{96};
      if (command == "objective") {
        Objective objective;
        objective.kind = ObjectiveKind::EarlyStop;
        return SetObjective{objective};
      }
      if (command == "options") {
        SearchOptions options = searchOptions(choice);
        options.trialsPerRound = 6;
        return SetSearchOptions{options};
      }
      if (command == "seed") return SeedWith{taskOfRecord(path, record), {record, {}}};
      if (command == "forget") return Forget{{record}};
      if (command == "seconds") return SetTimeBudget{3600};
      if (command == "measure") return MeasureProgram{taskOfRecord(path, record), {record, {}}};
      return PauseAfterPhases{false};
    };
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          const auto* measured = std::get_if<Measured>(&event);
          if (measured && measured->verdict == Verdict::Ok) record = measured->record;
          const auto* end = std::get_if<RoundFinished>(&event);
          if (end && end->round == kRound) self.load()->post(meant());
        },
        measureAll);
    self = &session;
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const auto dropped = eventsOf<ProposalDropped>(path, id);
    QCOMPARE(dropped.size(), std::size_t(drops ? 1 : 0));
    if (drops) QCOMPARE(dropped[0].round, kRound + 1);
    const auto choices = eventsOf<TaskChosen>(path, id);
    QCOMPARE(isAhead(choices.at(kRound)), !drops);
    QVERIFY(isAhead(choices.at(kRound + 1)));
    if (command == "mode") QCOMPARE(choices.at(kRound).task, task);
    if (command == "options") QCOMPARE(choices.at(kRound).trials, 6);
  }

  /// A command while the session is paused in the middle of a round drops what that round's
  /// neighbour would have been, whether it was proposed already or not.
  void commandsInThePauseDropToo() {
    const QString path = newPath();
    const RowId id = make(path, config("random", 80), {16, 32, 64});
    const RowId task = lastTask(path, id);
    std::atomic<Session*> self{nullptr};
    {
      Session session(
          path.toStdString(), id, [](const Event&) {}, cutOffAfter(20, self));
      self = &session;
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
      session.post(SetTaskMode{task, TaskMode::Pinned});
    }
    const int round = eventsOf<TaskChosen>(path, id).back().round;
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    const TaskChosen next = eventsOf<TaskChosen>(path, id).at(static_cast<std::size_t>(round));
    QCOMPARE(next.task, task);
    QVERIFY(!isAhead(next));
  }

  /// What goes wrong while a round is proposed ahead costs nothing but that it is proposed in its
  /// turn, and is told.
  void anErrorIsToldAndCostsNothing() {
    qputenv("NESTWRIGHT_ODD_POLICY", "throws");
    const QString path = newPath();
    const RowId id = makeSession(path, config("odd_policy", 40), {32});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    qunsetenv("NESTWRIGHT_ODD_POLICY");
    const auto dropped = eventsOf<ProposalDropped>(path, id);
    QCOMPARE(dropped.size(), std::size_t(1));
    QCOMPARE(dropped[0].round, 2);
    QCOMPARE(dropped[0].reason, std::string("the odd policy has no idea"));
    QCOMPARE(recordsOf(path, id).size(), std::size_t(40));
    const auto choices = eventsOf<TaskChosen>(path, id);
    QVERIFY(!isAhead(choices.at(1)));
    QVERIFY(isAhead(choices.at(2)));
  }

  /// A pause, a stop and the end of the program end a proposal that would never end.
  void aStopEndsTheProposal_data() {
    QTest::addColumn<QString>("how");
    for (const char* how : {"pause", "stop", "close"})
      QTest::newRow(how) << how;
  }
  void aStopEndsTheProposal() {
    QFETCH(QString, how);
    qputenv("NESTWRIGHT_ODD_POLICY", "waits");
    const QString path = newPath();
    const RowId id = makeSession(path, config("odd_policy", 40), {32});
    std::atomic<int> measured{0};
    {
      Session session(
          path.toStdString(), id,
          [&](const Event& event) { measured += std::holds_alternative<Measured>(event); },
          measureAll);
      session.post(Start{});
      QTRY_COMPARE(measured.load(), 8); // the round is measured, and waits for the next one
      if (how == "pause") session.post(Pause{});
      if (how == "stop") session.post(Stop{});
      if (how != "close")
        QCOMPARE(session.wait(), how == "stop" ? SessionStatus::Finished : SessionStatus::Paused);
    }
    qunsetenv("NESTWRIGHT_ODD_POLICY");
    QVERIFY(eventsOf<RoundFinished>(path, id).empty());
    const QString whole = newPath();
    const RowId other = makeSession(whole, config("odd_policy", 40), {32});
    QCOMPARE(runToEnd(whole, other), SessionStatus::Finished);
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    QCOMPARE(decisions(path, id), decisions(whole, other));
  }

  /// Nothing is proposed behind the last round, and before a polish.
  void theEndOfTheSearchIsNoSurprise() {
    const QString path = newPath();
    SessionConfig polished = config("random", 60);
    polished.polish = 20;
    const RowId id = makeSession(path, polished, {32});
    QCOMPARE(runToEnd(path, id), SessionStatus::Finished);
    QCOMPARE(recordsOf(path, id).size(), std::size_t(60));
    QVERIFY(eventsOf<ProposalDropped>(path, id).empty());
    int polishes = 0;
    for (const TaskChosen& choice : eventsOf<TaskChosen>(path, id))
      if (choice.reason.starts_with("polish")) {
        QVERIFY(!isAhead(choice));
        ++polishes;
      }
    QVERIFY(polishes > 0);
  }

 private:
  RowId make(const QString& path, const SessionConfig& choice, const QList<int>& sizes) {
    return makeSession(path, choice, {sizes.begin(), sizes.end()});
  }
  /// Of the row's tasks.
  RowId make(const QString& path, const SessionConfig& choice) {
    QFETCH(QList<int>, sizes);
    return make(path, choice, sizes);
  }
  static RowId taskOfRecord(const QString& path, RowId record) {
    return RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().one(record)->task;
  }
  static QStringList choicesOf(const QString& path, RowId session) {
    QStringList result;
    for (const TaskChosen& choice : eventsOf<TaskChosen>(path, session))
      result.append(QString::fromStdString(toJson(Event(choice)).dump()));
    return result;
  }
  QString newPath() {
    return folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_));
  }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(RoundsAhead)

} // namespace nestwright::rounds_ahead_test

#include "rounds_ahead.moc"
