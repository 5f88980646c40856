/// A round phase by phase: what is told of each, pausing between them, and going on exactly.

#include "core/plugin/plugin.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/store.h"
#include "core/session/crossing/ancestry.h"
#include "core/session/run/round_phases.h"
#include "core/session/run/session.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <set>

namespace nestwright::session_phases_test {

using namespace nestwright::made_up;

SessionConfig config(const char* policy) {
  SessionConfig config;
  config.policy = policy;
  config.trials = 24;
  config.trialsPerRound = 8;
  config.warmup = 8;
  config.population = 256; // the phases of a large one are the same, and sanitizers take long
  config.seed = 5;
  return config;
}

/// The phases that the file tells of, in order.
QStringList phases(const QString& path, RowId session) {
  QStringList result;
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  for (const EventRow& row : store.events().of(session)) {
    const Event event = eventFromJson(row.kind, nlohmann::json::parse(row.json));
    if (const auto* phase = std::get_if<PhaseFinished>(&event))
      result.append(QString::fromStdString(fmt::format("{} {}{}", phase->round, name(phase->phase),
                                                       phase->skipped ? " skipped" : "")));
  }
  return result;
}

class SessionPhases : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
    QVERIFY(folder_.isValid());
    bred_ = newPath();
    QCOMPARE(runToEnd(bred_, makeSession(bred_, config("evolutionary"), {32})),
             SessionStatus::Finished);
  }

  /// One step after another ends where one run does: the same programs from the same parents.
  void steppingChangesNothing_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("reopen");
    QTest::newRow("random") << "random" << false;
    QTest::newRow("evolutionary") << "evolutionary" << false;
    QTest::newRow("evolutionary, in a new process after each step") << "evolutionary" << true;
  }
  void steppingChangesNothing() {
    QFETCH(QString, policy);
    QFETCH(bool, reopen);
    QString whole = bred_;
    if (policy == QStringLiteral("random")) {
      whole = newPath();
      QCOMPARE(runToEnd(whole, makeSession(whole, config("random"), {32})),
               SessionStatus::Finished);
    }
    const QString stepped = newPath();
    const RowId id = makeSession(stepped, config(qPrintable(policy)), {32});
    int steps = 0;
    QString reason;
    const auto observer = [&](const Event& event) {
      if (const auto* state = std::get_if<StateChanged>(&event))
        if (state->status == SessionStatus::Paused) reason = QString::fromStdString(state->reason);
    };
    auto session = std::make_unique<Session>(stepped.toStdString(), id, observer, measureAll);
    QStringList reasons;
    for (SessionStatus status = SessionStatus::Paused; status != SessionStatus::Finished; ++steps) {
      QVERIFY2(steps < 200, "the session does not end");
      session->post(RunPhase{});
      status = session->wait();
      reasons.append(reason);
      if (reopen)
        session = std::make_unique<Session>(stepped.toStdString(), id, observer, measureAll);
    }
    QVERIFY(steps > 10);
    QCOMPARE(reasons[0], QStringLiteral("after the phase \"sketches\""));
    QCOMPARE(reasons[1], QStringLiteral("after the phase \"sampling\""));
    QCOMPARE(decisions(stepped, id), decisions(whole, id));
    QCOMPARE(phases(stepped, id), phases(whole, id));
  }

  /// What is forgotten between two phases the model learns without, whether the session is the same
  /// object still or begins anew from the file.
  void aStoppedRoundLearnsWithoutTheForgotten_data() {
    QTest::addColumn<bool>("reopen");
    QTest::newRow("goes on") << false;
    QTest::newRow("in a new process") << true;
  }
  void aStoppedRoundLearnsWithoutTheForgotten() {
    QFETCH(bool, reopen);
    SessionConfig choice = config("evolutionary");
    choice.warmup = 1;
    std::size_t learned[2] = {};
    for (const bool forget : {false, true}) {
      const QString path = newPath();
      const RowId id = makeSession(path, choice, {32});
      const auto observer = [&](const Event& event) {
        if (const auto* update = std::get_if<ModelUpdated>(&event))
          learned[forget] = update->programs;
      };
      auto session = std::make_unique<Session>(path.toStdString(), id, observer, measureAll);
      session->post(RunPhase{SearchPhase::Measuring});
      QCOMPARE(session->wait(), SessionStatus::Paused);
      const RowId task = taskOf(path, id);
      const Record best =
          RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().best(task).value();
      if (forget) session->post(Forget{{best.id}});
      if (reopen) {
        session.reset();
        session = std::make_unique<Session>(path.toStdString(), id, observer, measureAll);
      }
      session->post(RunPhase{});
      QCOMPARE(session->wait(), SessionStatus::Paused);
      QCOMPARE(phases(path, id).last(), QStringLiteral("1 training"));
    }
    QVERIFY(learned[false] > 2);
    QCOMPARE(learned[true] + 1, learned[false]);
  }

  /// Settings that change between two phases count for the rest of the round, whether the session
  /// is the same object still or begins anew from the file.
  void aStoppedRoundFollowsTheSettings() {
    std::vector<QStringList> done;
    for (const bool reopen : {false, true}) {
      const QString path = newPath();
      const RowId id = makeSession(path, config("evolutionary"), {32});
      auto session = std::make_unique<Session>(
          path.toStdString(), id, [](const Event&) {}, measureAll);
      // The third round's: the cost model is trained.
      for (const SearchPhase phase :
           {SearchPhase::Measuring, SearchPhase::Measuring, SearchPhase::Selection}) {
        session->post(RunPhase{phase});
        QCOMPARE(session->wait(), SessionStatus::Paused);
      }
      SetSearchOptions change{searchOptions(config("evolutionary"))};
      change.options.policy = "random";
      session->post(change);
      if (reopen) {
        session.reset();
        session = std::make_unique<Session>(
            path.toStdString(), id, [](const Event&) {}, measureAll);
      }
      session->post(Start{});
      QCOMPARE(session->wait(), SessionStatus::Finished);
      done.push_back(decisions(path, id));
    }
    QCOMPARE(done[0], done[1]);
    QVERIFY(done[0] != decisions(bred_, 1));
  }

  void everyRoundTellsItsPhases() {
    const QString path = bred_;
    const RowId id = 1;
    QStringList told = phases(path, id);
    QCOMPARE(told.mid(0, 6), (QStringList{"1 sketches", "1 sampling", "1 evolution skipped",
                                          "1 selection", "1 measuring", "1 training"}));
    QCOMPARE(told.mid(6 * 2, 6), (QStringList{"3 sketches", "3 sampling", "3 evolution",
                                              "3 selection", "3 measuring", "3 training"}));
  }

  void stepToAPhaseSkipsTheOthers() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("random"), {32});
    std::atomic<int> measured{0};
    Session session(
        path.toStdString(), id,
        [&](const Event& event) { measured += std::holds_alternative<Measured>(event); },
        measureAll);
    session.post(RunPhase{SearchPhase::Selection});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    QCOMPARE(measured.load(), 0);
    QCOMPARE(phases(path, id).last(), QStringLiteral("1 selection"));
    session.post(RunPhase{SearchPhase::Measuring});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    QCOMPARE(measured.load(), 6); // a quarter of the budget
    session.post(PauseAfterPhases{true});
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    QCOMPARE(phases(path, id).last(), QStringLiteral("2 sketches"));
    session.post(PauseAfterPhases{false});
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
  }

  /// A single step measures as any start does, and its log says by whom.
  void stepsTellTheWorkersCommand() {
    const QString path = newPath();
    const RowId id = makeSession(path, config("random"), {32});
    std::string reason;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          const auto* state = std::get_if<StateChanged>(&event);
          if (state && state->status == SessionStatus::Running) reason = state->reason;
        },
        measureAll, WorkerLaunch{{"ssh", "host", "nestwright", "worker"}});
    session.post(RunPhase{});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    QCOMPARE(reason, std::string("one step; programs are measured by: ssh host nestwright worker"));
  }

  /// What is kept of the generations: the best, a sample, and the way back from each selected one.
  void generationsAreKept() {
    const QString path = bred_;
    const RowId id = 1;
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const std::vector<EvolvedRound> rounds = store.evolutions().rounds(id);
    QVERIFY(!rounds.empty());
    const EvolutionRow row = store.evolutions().of(id, rounds.back().round).value();
    QCOMPARE(row.generations.size(), std::size_t(5));
    for (const EvolvedGeneration& generation : row.generations) {
      QVERIFY(generation.places.size() >= std::min<std::size_t>(kKeptBest, generation.distinct));
      QVERIFY(generation.places.size() < 400);
      QCOMPARE(generation.places[0].rank, 0);
      QVERIFY(std::ranges::is_sorted(generation.quantiles, std::ranges::greater{}));
      int made = 0;
      for (const auto& [operation, count] : generation.operations)
        made += count;
      QCOMPARE(made, generation.distinct);
    }
    const auto selected = std::ranges::count(row.programs, true, &EvolvedProgram::selected);
    QVERIFY(selected > 0 && selected <= 8);
    for (const EvolvedProgram& program : row.programs)
      if (program.selected)
        for (const std::string& parent : program.parents)
          QVERIFY(row.find(parent) != nullptr);
  }

  /// A record's ancestors reach back to programs that were drawn at random.
  void ancestorsOfARecord() {
    const QString path = bred_;
    const RowId id = 1;
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    RecordQuery query;
    query.session = id;
    query.limit = 1000;
    int bred = 0;
    for (const Record& record : store.records().page(query)) {
      const Trace trace = traceFromJson(nlohmann::json::parse(record.trace));
      const std::vector<Ancestor> family = ancestors(store, id, record.task, record.program);
      QCOMPARE(family.front().program, record.program);
      QCOMPARE(family.front().record, record.id);
      QCOMPARE(family.front().origin, trace.origin);
      if (trace.parents.empty()) continue;
      ++bred;
      std::set<std::string> known;
      for (const Ancestor& ancestor : family)
        known.insert(ancestor.program);
      for (const Ancestor& ancestor : family) {
        QVERIFY(!ancestor.steps.empty());
        for (const std::string& parent : ancestor.parents)
          QVERIFY2(known.contains(parent), name(ancestor.origin));
      }
      QCOMPARE(family.back().origin, Origin::RandomSample);
    }
    QVERIFY2(bred > 2, qPrintable(QString::number(bred)));
  }

 private:
  static RowId taskOf(const QString& path, RowId session) {
    return RecordStore::open(path.toStdString(), OpenMode::ReadOnly)
        .sessions()
        .tasks(session)
        .front()
        .id;
  }
  QString newPath() { return folder_.filePath(QStringLiteral("%1.nwdb").arg(++files_)); }

  QTemporaryDir folder_;
  QString bred_; // a session with the evolutionary policy, run to its end
  int files_ = 0;
};

NW_TEST_GUILESS(SessionPhases)

} // namespace nestwright::session_phases_test

#include "session_phases.moc"
