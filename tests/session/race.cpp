/// Races: who has the next turn, sessions that know nothing of one another, a race that is stopped
/// and goes on, and what is made of it.

#include "core/session/race/race_outlook.h"
#include "core/session/race/race_result.h"
#include "core/session/race/race_run.h"
#include "core/session/race/race_turns.h"
#include "core/session/race/signed_rank.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace nestwright::race_test {

using namespace nestwright::made_up;

constexpr const char* kSmall = "matmul:m=64,n=64,k=64";
constexpr const char* kLarge = "matmul:m=128,n=64,k=64";

RaceWish wishOf(const std::vector<std::string>& racers, std::vector<std::string> tasks = {kSmall}) {
  RaceWish wish;
  wish.config.trials = 24;
  wish.config.trialsPerRound = 4;
  wish.config.rules = "paper";
  wish.config.seed = 7;
  wish.config.measure.threads = 2;
  wish.tasks = std::move(tasks);
  wish.seeds = 2;
  for (const std::string& text : racers)
    wish.racers.push_back(racerFromText(text));
  return wish;
}

Race made(const QString& path, const RaceWish& wish) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  const std::string name = createRace(store, wish, hostTarget(2));
  return raceNamed(store, name);
}

Race readAgain(const QString& path, const Race& race) {
  return raceNamed(RecordStore::open(path.toStdString(), OpenMode::ReadOnly), race.name);
}

/// Which session had each measured round, in order.
struct Course {
  std::vector<RowId> rounds;
  double share = 0; // told last
};

RaceEnd runAll(const QString& path, const Race& race, Course* course = nullptr,
               RaceStart start = {}) {
  if (!start.measure) start.measure = measureTiles;
  RaceRun run(path.toStdString(), race, start, [&](const RaceMoment& moment, const Event& event) {
    if (course && std::holds_alternative<RoundFinished>(event))
      course->rounds.push_back(moment.session->session);
    if (course) course->share = moment.share;
  });
  return run.run();
}

RaceCourse courseOf(std::vector<BestStep> bests, double reached) {
  RaceCourse course;
  course.status = SessionStatus::Finished;
  course.hasEnded = true;
  course.bests = std::move(bests);
  course.reached = reached;
  return course;
}

QString problemOf(const std::function<void()>& what) {
  try {
    what();
  } catch (const UsageError& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

class RaceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  /// Whoever has used least is next; of those that are level each is first in every other lap.
  void turnsAreTakenForthAndBack() {
    std::vector<TurnTaker> takers(3);
    std::vector<int> order;
    for (int turn = 0; turn < 9; ++turn) {
      order.push_back(nextTurn(takers));
      TurnTaker& taker = takers[std::size_t(order.back())];
      taker.used += 0.1;
      ++taker.rounds;
    }
    QCOMPARE(order, (std::vector{0, 1, 2, 2, 1, 0, 0, 1, 2}));
    takers[0].used = 0.05; // short rounds: it catches up
    QCOMPARE(nextTurn(takers), 0);
    takers[2].hasOpenRound = true; // comes before all
    QCOMPARE(nextTurn(takers), 2);
    takers[0].ended = takers[2].ended = true;
    QCOMPARE(nextTurn(takers), 1);
    takers[1].ended = true;
    QCOMPARE(nextTurn(takers), -1);
  }

  void signedRanks_data() {
    QTest::addColumn<QVector<double>>("differences");
    QTest::addColumn<double>("p");
    const double none = std::numeric_limits<double>::infinity();
    QTest::newRow("nothing") << QVector<double>{} << 1.0;
    QTest::newRow("draws") << QVector<double>{0, 0} << 1.0;
    QTest::newRow("one") << QVector<double>{3} << 1.0;
    QTest::newRow("five on one side") << QVector<double>{1, 2, 3, 4, 5} << 2.0 / 32;
    QTest::newRow("six on one side") << QVector<double>{-1, -2, -3, -4, -5, -6} << 2.0 / 64;
    QTest::newRow("no program") << QVector<double>{none, none, none, none, none, none} << 2.0 / 64;
    // Hollander and Wolfe 1973, p. 29: depression under treatment; R's wilcox.test says 0.03906.
    QTest::newRow("depression") << QVector<double>{0.952, -0.147, 1.022, 0.43, 0.62,
                                                   0.59,  0.49,   -0.08, 0.01}
                                << 0.0390625;
    QTest::newRow("balance") << QVector<double>{1, -1, 2, -2} << 1.0;
    QTest::newRow("zeros are left out") << QVector<double>{0, 1, 0, 2, 3, 4, 5} << 2.0 / 32;
    // Shared ranks 1.5, 1.5, 3: the sums are 0, 1.5 (twice), 3 (twice), 4.5 (twice), 6.
    QTest::newRow("ties") << QVector<double>{-1, 1, 2} << 2 * 3.0 / 8;
  }
  void signedRanks() {
    QFETCH(QVector<double>, differences);
    QFETCH(double, p);
    const double found = signedRank(std::vector(differences.begin(), differences.end())).p;
    QVERIFY2(std::abs(found - p) < 1e-12, qPrintable(QString::number(found)));
  }

  /// The approximation of many is near what counting all signs gives.
  void manySignedRanksAreApproximated() {
    std::vector<double> differences(50);
    for (int i = 0; i < 50; ++i)
      differences[std::size_t(i)] = (i % 3 == 0 ? -1.0 : 1.0) * (i + 1);
    const double exact = signedRank(differences).p;
    differences.push_back(1e-9); // the smallest: it hardly counts
    const double near = signedRank(differences).p;
    QVERIFY(exact > 0.001 && exact < 0.2);
    QVERIFY2(std::abs(near / exact - 1) < 0.05, qPrintable(QString("%1 %2").arg(exact).arg(near)));
  }

  /// Where nothing differs, 5 % of the tests say so at 5 %, or fewer.
  void falseAlarmsAreAsRareAsPromised() {
    Random random = Random::stream(1, "alarms", 0);
    int alarms = 0;
    for (int i = 0; i < 4000; ++i) {
      std::vector<double> differences(12);
      for (double& difference : differences)
        difference = random.unit() - 0.5;
      alarms += signedRank(differences).p < 0.05 ? 1 : 0;
    }
    QVERIFY2(alarms > 120 && alarms < 240, qPrintable(QString::number(alarms)));
  }

  void severalTestsAreJudgedTogether() {
    const std::vector<double> ps{0.04, 0.01, 0.5};
    const std::vector<double> adjusted = holmAdjusted(ps);
    QCOMPARE(adjusted[1], 0.03);
    QCOMPARE(adjusted[0], 0.08);
    QCOMPARE(adjusted[2], 0.5);
    // None is smaller than one that came before it.
    QCOMPARE(holmAdjusted(std::vector{0.02, 0.021}), (std::vector{0.04, 0.04}));
  }

  /// The geometric mean of step lines, from where all have begun, with Student's interval.
  void curvesAreMeansOverSeeds() {
    const RaceCurve curve =
        meanCurve({courseOf({{1, 4}, {6, 1}}, 10), courseOf({{3, 1}}, 12)}, 1e9);
    QCOMPARE(curve.x, (std::vector<double>{3, 6, 12}));
    QCOMPARE(curve.mean[0], 0.5e9);
    QCOMPARE(curve.mean[1], 1e9);
    QCOMPARE(curve.low[1], curve.mean[1]); // both are the same there
    // Of ln 0.25 and ln 1: half of ln 4 on each side of the mean, t of one degree 12.706.
    const double half = 12.706 * std::log(4.0) / 2;
    QVERIFY(std::abs(std::log(curve.high[0] / curve.mean[0]) - half) < 1e-9);
    QVERIFY(std::abs(std::log(curve.mean[0] / curve.low[0]) - half) < 1e-9);
    QVERIFY(!curve.at(2.9));
    QCOMPARE(*curve.at(5), std::size_t(0));
    QCOMPARE(*curve.at(100), std::size_t(2));
    QVERIFY(meanCurve({courseOf({{1, 1}}, 3), courseOf({}, 3)}, 1).empty());
    QVERIFY(meanCurve({}, 1).empty());
    const RaceCurve alone = meanCurve({courseOf({{1, 1}}, 3)}, 1);
    QCOMPARE(alone.low, alone.high);
  }

  void racersAreReadFromTexts() {
    const Racer racer = racerFromText("evolutionary,features=paper,lowered,polish=20");
    QCOMPARE(racer.label, std::string("evolutionary, features=paper,lowered, polish=20"));
    SessionConfig common;
    common.trials = 50;
    const SessionConfig config = configOf(racer, common);
    QCOMPARE(config.policy, std::string("evolutionary"));
    QCOMPARE(config.features, std::string("paper,lowered"));
    QCOMPARE(config.polish, 20);
    QCOMPARE(config.trials, std::int64_t(50));
    QCOMPARE(configOf(racerFromText("random,memory=old.nwdb,draft=first"), common).memory,
             std::vector<std::string>{"old.nwdb"});
    QCOMPARE(configOf(racerFromText("ansor"), common).rules, std::string("paper"));
    QCOMPARE(configOf(racerFromText("grid,space=templates"), common).trialsPerRound, common.plan);
    const Racer program = racerFromText("exec:python3 'a b.py' --fast,slow");
    QCOMPARE(program.label, std::string("exec:python3 a b.py --fast,slow"));
    QCOMPARE(program.launch.command.size(), std::size_t(3));
  }

  void whatIsNoRaceIsRefused_data() {
    QTest::addColumn<QStringList>("racers");
    QTest::addColumn<QString>("tasks");
    QTest::addColumn<QString>("said");
    const QString one = QString::fromUtf8(kSmall);
    QTest::newRow("alone") << QStringList{"random"} << one << "one policy alone does not race";
    QTest::newRow("nobody") << QStringList{} << one << "a race needs policies";
    QTest::newRow("twice") << QStringList{"random", "random"} << one << "random is given twice";
    QTest::newRow("unknown") << QStringList{"random", "clever"} << one
                             << "no search policy \"clever\"";
    QTest::newRow("setting") << QStringList{"random", "random,speed=9"} << one
                             << "no setting \"speed\"";
    QTest::newRow("number") << QStringList{"random", "random,polish=much"} << one
                            << "polish=much: a number was expected";
    QTest::newRow("impossible") << QStringList{"random", "random,draft=never"} << one
                                << "has a setting that cannot be";
    QTest::newRow("no sign") << QStringList{"random", "random,first"} << one
                             << "behind the policy's name come settings";
    QTest::newRow("no name") << QStringList{"random", ""} << one << "begins with the name";
    QTest::newRow("no task") << QStringList{"random", "grid"} << ""
                             << "at least one task";
    QTest::newRow("a task twice") << QStringList{"random", "beam"} << one + ";" + one
                                  << "is given twice; a race has each task once";
  }
  void whatIsNoRaceIsRefused() {
    QFETCH(QStringList, racers);
    QFETCH(QString, tasks);
    QFETCH(QString, said);
    const QString problem = problemOf([&] {
      std::vector<std::string> texts, specs;
      for (const QString& racer : racers)
        texts.push_back(racer.toStdString());
      for (const QString& task : tasks.split(';', Qt::SkipEmptyParts))
        specs.push_back(task.toStdString());
      checkRace(wishOf(texts, specs));
    });
    QVERIFY2(problem.contains(said), qPrintable(problem));
  }

  /// Every racer on every task with every seed, each with an equal budget and its own settings.
  /// What a dialog tells of it before it is made.
  void whatItWillBeIsTold() {
    RaceWish wish = wishOf({"random", "random,polish=8"}, {kSmall, kLarge});
    wish.seeds = 3;
    wish.config.trials = 50;
    const RaceOutlook outlook = raceOutlook(wish, 0.5);
    QCOMPARE(outlook.tasks, raceTasks(wish.tasks));
    QCOMPARE(outlook.sessions, std::size_t(12));
    QCOMPARE(outlook.seconds, 12 * 50 * 0.5);
    wish.racers.pop_back();
    QVERIFY_THROWS_EXCEPTION(UsageError, raceOutlook(wish, 0.5));

    const std::vector<std::string> subjects{"/nowhere/model.onnx", kSmall, "resnet18"};
    const Subject network = resolveSubject("resnet18");
    QCOMPARE(raceTaskOf(subjects, workloadKey(network.tasks[3].dag)), network.spec + "#3");
    QCOMPARE(raceTaskOf(subjects, workloadKey(resolveSubject(kSmall).tasks[0].dag)),
             resolveSubject(kSmall).spec);
    QCOMPARE(raceTaskOf(subjects, "no key"), std::string());
  }

  void aRaceIsSessionsOfTheFile() {
    const QString path = newPath();
    const Race race = made(path, wishOf({"random", "random,draft=first"}, {kSmall, kLarge}));
    QCOMPARE(race.racers, (std::vector<std::string>{"random", "random, draft=first"}));
    QCOMPARE(race.sessions.size(), std::size_t(8));
    QCOMPARE(race.seeds, (std::vector<std::uint64_t>{7, 8}));
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const RaceSession* session = race.find(1, 1, 0);
    QVERIFY(session);
    const SessionConfig config = configOf(*store.sessions().one(session->session));
    QCOMPARE(config.draft, std::string("first"));
    QCOMPARE(config.seed, std::uint64_t(7));
    QCOMPARE(config.trials, std::int64_t(24));
    QVERIFY(!race.isOver());
    QVERIFY(race.find(2, 0, 0) == nullptr);
    QCOMPARE(racesOf(store).size(), std::size_t(1));
    QVERIFY(raceResult(store, race).curve(0, 0).empty());
  }

  /// Round by round in turns, heat after heat, and what comes out is in the file.
  void roundsTakeTurns() {
    const QString path = newPath();
    const Race race = made(path, wishOf({"random", "random,draft=first"}));
    Course course;
    QCOMPARE(runAll(path, race, &course).status, SessionStatus::Finished);
    QCOMPARE(course.rounds.size(), std::size_t(24));
    for (int heat = 0; heat < 2; ++heat) {
      const RowId a = race.find(0, 0, heat)->session, b = race.find(1, 0, heat)->session;
      for (int lap = 0; lap < 6; ++lap) {
        const std::size_t at = std::size_t(12 * heat + 2 * lap);
        QCOMPARE(course.rounds[at], lap % 2 == 0 ? a : b);
        QCOMPARE(course.rounds[at + 1], lap % 2 == 0 ? b : a);
      }
    }
    QCOMPARE(course.share, 1.0);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const Race after = readAgain(path, race);
    QVERIFY(after.isOver());
    const RaceResult result = raceResult(store, after);
    QCOMPARE(result.ended(), std::size_t(4));
    for (const RaceCourse& of : result.courses)
      QCOMPARE(of.trials, std::int64_t(24));
    QCOMPARE(result.duels.size(), std::size_t(1));
    const RaceDuel& duel = result.duels.front();
    QCOMPARE(duel.pairs, 2);
    const auto last = [&](std::size_t racer, std::size_t seed) {
      return result.course(racer, 0, seed).bests.back().seconds;
    };
    const double ratio = std::sqrt(last(1, 0) * last(1, 1) / last(0, 0) / last(0, 1));
    QVERIFY(std::abs(duel.ratio / ratio - 1) < 1e-9);
    const RaceCurve curve = result.curve(0, 0);
    QCOMPARE(curve.sessions, std::size_t(2));
    QCOMPARE(curve.x.back(), 24.0);
    QVERIFY(std::abs(curve.mean.back() * std::sqrt(last(0, 0) * last(0, 1)) /
                         result.race.tasks.front().flops -
                     1) < 1e-9);
    // It is over: nothing is measured again.
    Course again;
    QCOMPARE(runAll(path, after, &again).status, SessionStatus::Finished);
    QVERIFY(again.rounds.empty());
  }

  /// It decides as it would alone in its file, whatever the others found before: also where its
  /// best is polished, and where it ends when nothing is left to gain.
  void racersKnowNothingOfOneAnother() {
    const std::vector<std::string> racers{"random,trials-per-round=12", "random,polish=12",
                                          "random,stop-gain=0.2"};
    const QString path = newPath(), alone = newPath();
    const RaceWish wish = wishOf(racers);
    const Race race = made(path, wish);
    QCOMPARE(runAll(path, race).status, SessionStatus::Finished);
    for (std::size_t racer = 1; racer < racers.size(); ++racer)
      for (std::size_t seed = 0; seed < 2; ++seed) {
        const QString other = newPath();
        RowId session = 0;
        {
          RecordStore store = RecordStore::open(other.toStdString(), OpenMode::Create);
          SessionConfig config = wish.config;
          config.subjects = {kSmall};
          config.seed += seed;
          session = createSession(store, configOf(wish.racers[racer], config), hostTarget(2));
        }
        Session run(
            other.toStdString(), session, [](const Event&) {}, measureTiles);
        run.post(Start{});
        QCOMPARE(run.wait(), SessionStatus::Finished);
        QCOMPARE(decisions(path, race.find(racer, 0, seed)->session), decisions(other, session));
      }
  }

  /// Stopped wherever it is, it goes on as if it had not been.
  void interruptedRacesGoOn() {
    const RaceWish wish = wishOf({"random,polish=8", "random,draft=first"}, {kSmall, kLarge});
    const QString whole = newPath(), pieces = newPath();
    const Race undisturbed = made(whole, wish), race = made(pieces, wish);
    QCOMPARE(runAll(whole, undisturbed).status, SessionStatus::Finished);
    int lives = 0;
    for (bool paused = true; paused; ++lives) {
      QVERIFY(lives < 200);
      RaceRun* current = nullptr;
      int left = 3 + lives % 4;
      RaceStart start;
      start.measure = measureTiles;
      RaceRun run(pieces.toStdString(), readAgain(pieces, race), start,
                  [&](const RaceMoment&, const Event& event) {
                    if (std::holds_alternative<Measured>(event) && --left == 0) current->stop();
                  });
      current = &run;
      const RaceEnd end = run.run();
      paused = end.status == SessionStatus::Paused;
      if (paused) QCOMPARE(end.cause, PauseCause::Asked);
    }
    QVERIFY(lives > 20);
    for (std::size_t racer = 0; racer < 2; ++racer)
      for (std::size_t task = 0; task < 2; ++task)
        for (std::size_t seed = 0; seed < 2; ++seed)
          QCOMPARE(decisions(pieces, race.find(racer, task, seed)->session),
                   decisions(whole, undisturbed.find(racer, task, seed)->session));
    // As if in turns, too: the records of the whole file are in the same order.
    const auto sessionsOf = [](const QString& path) {
      std::vector<RowId> sessions;
      for (const Record& record : recordsOf(path))
        sessions.push_back(record.session);
      return sessions;
    };
    QCOMPARE(sessionsOf(pieces), sessionsOf(whole));
  }

  /// A larger budget goes on from where it ended. Interrupted in the first heat, it goes on until
  /// all have it; until then those with the smaller one are no match.
  void budgetsCanBeEnlarged_data() {
    QTest::addColumn<bool>("interrupted");
    QTest::newRow("at once") << false;
    QTest::newRow("interrupted") << true;
  }
  void budgetsCanBeEnlarged() {
    QFETCH(bool, interrupted);
    const QString path = newPath();
    const Race race = made(path, wishOf({"random", "random,draft=first"}));
    QCOMPARE(runAll(path, race).status, SessionStatus::Finished);
    const auto result = [&] {
      return raceResult(RecordStore::open(path.toStdString(), OpenMode::ReadOnly),
                        readAgain(path, race));
    };
    RaceStart start;
    start.trials = 32;
    start.measure = measureTiles;
    std::size_t rounds = 0;
    RaceRun* current = nullptr;
    RaceRun run(path.toStdString(), readAgain(path, race), start,
                [&](const RaceMoment&, const Event& event) {
                  if (!std::holds_alternative<RoundFinished>(event)) return;
                  ++rounds;
                  if (interrupted) current->stop();
                });
    current = &run;
    QCOMPARE(run.run().status, interrupted ? SessionStatus::Paused : SessionStatus::Finished);
    QCOMPARE(rounds, std::size_t(interrupted ? 1 : 8));
    if (interrupted) {
      QVERIFY(!result().race.isOver());
      QCOMPARE(result().ended(), std::size_t(0));
      QCOMPARE(runAll(path, readAgain(path, race)).status, SessionStatus::Finished);
    }
    QVERIFY(result().race.isOver());
    QCOMPARE(result().race.budget.trials, std::int64_t(32));
    for (const RaceCourse& of : result().courses)
      QCOMPARE(of.trials, std::int64_t(32));
  }

  /// Many small wins and few large losses: the ranks decide what is said, and not who won oftener.
  void ranksSayWhoIsFaster() {
    std::vector<double> differences(8, 0.01);
    for (int i = 0; i < 7; ++i)
      differences.push_back(-1 - 0.1 * i);
    const SignedRank rank = signedRank(differences);
    QCOMPARE(rank.side, -1);
    QCOMPARE(signedRank(std::vector{1.0, -1.0}).side, 0);
    RaceDuel duel;
    duel.right = 1;
    duel.pairs = duel.leftWins = 12;
    duel.ratio = 1.05, duel.low = 0.9, duel.high = 1.2;
    duel.adjusted = 0.01;
    const std::vector<std::string> racers{"left", "right"};
    duel.leansLeft = true;
    QVERIFY(inWords(duel, racers).ends_with("; that is no chance"));
    duel.leansLeft = false;
    QVERIFY(inWords(duel, racers)
                .ends_with("beyond chance right is faster by the ranks of the "
                           "pairs"));
    RaceResult result;
    result.race.racers = {"left", "right", "third"};
    result.duels = {duel, RaceDuel()};
    QCOMPARE(summary(result), std::string("beyond chance right is faster than left"));
  }

  /// Seconds are each session's own: its clock stands while others have the machine.
  void clocksStandWhileOthersRun() {
    const QString path = newPath();
    RaceWish wish = wishOf({"random", "random,draft=first"});
    wish.config.trials = kNoTrialLimit;
    wish.config.maxSeconds = 0.25;
    wish.seeds = 1;
    const Race race = made(path, wish);
    QVERIFY(race.isByTime());
    RaceStart start;
    start.measure = [](const auto& requests, const auto& onResult, const auto* stop) {
      QTest::qSleep(10);
      measureTiles(requests, onResult, stop);
    };
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(runAll(path, race, nullptr, start).status, SessionStatus::Finished);
    QVERIFY(timer.elapsed() >= 500); // both had all of theirs
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    for (const RaceSession& session : race.sessions) {
      const SessionRow row = *store.sessions().one(session.session);
      QVERIFY(row.wallSeconds >= 0.25);
      // Had it run on, the session that began first would show the time of both.
      QVERIFY2(row.wallSeconds < 1e-3 * double(timer.elapsed()) - 0.2,
               qPrintable(QString::number(row.wallSeconds)));
    }
  }

  /// A session that cannot measure anything ends alone; the race says so.
  void aFailureEndsOneSession() {
    const QString path = newPath();
    const Race race = made(path, wishOf({"random", "random,draft=first"}, {kSmall, kLarge}));
    RaceStart start;
    start.measure = [](const auto& requests, const auto& onResult, const auto* stop) {
      for (const MeasureRequest& request : requests) {
        MeasureResult result = timeOfTiles(request);
        if (stop && *stop) result.verdict = Verdict::Cancelled;
        if (request.naive && request.dag.find("128") != std::string::npos) {
          result.verdict = Verdict::RunError;
          result.error = "segmentation fault (signal 11)";
        }
        onResult(result);
      }
    };
    QCOMPARE(runAll(path, race, nullptr, start).status, SessionStatus::Finished);
    const Race after = readAgain(path, race);
    for (const RaceSession& session : after.sessions)
      QCOMPARE(session.status,
               session.entry.taskNumber == 1 ? SessionStatus::Failed : SessionStatus::Finished);
    QVERIFY(after.isOver());
    const RaceResult result =
        raceResult(RecordStore::open(path.toStdString(), OpenMode::ReadOnly), after);
    QCOMPARE(result.duels.front().pairs, 4);
    QVERIFY(result.curve(0, 1).empty());
    // It is tried again.
    QCOMPARE(runAll(path, after).status, SessionStatus::Finished);
    for (const RaceSession& session : readAgain(path, race).sessions)
      QCOMPARE(session.status, SessionStatus::Finished);
  }

 private:
  QString newPath() { return folder_.filePath(QString("%1.nwdb").arg(++files_)); }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(RaceTest)

} // namespace nestwright::race_test

#include "race.moc"
