/// Alternatives of an operator in a session: tasks of their own that are related, searched within
/// one budget, of which the fastest counts; and which definition a network then runs with.

#include "core/execute/fastest_definitions.h"
#include "core/network/zoo/zoo.h"
#include "core/record/rows/task_groups.h"
#include "core/session/insight/compare_sessions.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::alternatives_test {

using namespace nestwright::made_up;

constexpr const char* kOperator = "conv2d:h=8,w=8,ci=16,co=16,relu=1";

SessionConfig config(std::int64_t trials, const std::string& alternatives = "all") {
  SessionConfig config;
  config.subjects = {kOperator, "matmul:m=32,n=32,k=32"};
  config.alternatives = alternatives;
  config.trials = trials;
  config.trialsPerRound = 4;
  config.confirmBest = false;
  config.seed = 7;
  return config;
}

/// Direct programs as made up; those of F(2,3) take half as long, those of F(4,3) ten times.
MeasureResult timeOf(const MeasureRequest& request) {
  MeasureResult result = madeUpResult(request);
  const std::optional<AlternativeOf> of = alternativeOf(parseDag(request.dag));
  if (of && !request.naive)
    for (double& seconds : result.seconds)
      seconds *= of->name == "winograd F(2,3)" ? 0.5 : 10;
  return result;
}

void measureThem(const std::vector<MeasureRequest>& requests,
                 const std::function<void(const MeasureResult&)>& onResult,
                 const std::atomic<bool>* stop) {
  for (const MeasureRequest& request : requests) {
    MeasureResult result = timeOf(request);
    if (stop && *stop) {
      result = {};
      result.id = request.id;
      result.verdict = Verdict::Cancelled;
    }
    onResult(result);
  }
}

class AlternativesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sessionsHaveThemAsTasks() {
    const QString path = newPath();
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    const RowId id = createSession(store, config(40), hostTarget(2));
    const std::vector<TaskRow> tasks = store.sessions().tasks(id);
    QCOMPARE(tasks.size(), std::size_t(4));
    QCOMPARE(definitionsAmong(tasks), (std::vector<std::size_t>{0, 0, 0, 3}));
    QCOMPARE(alternativeNames(tasks),
             (std::vector<std::string>{"direct", "winograd F(2,3)", "winograd F(4,3)", ""}));
    QVERIFY(tasks[1].name.ends_with(", winograd F(2,3)"));
    QVERIFY(sessionRow(store, id).title.ends_with("(2 tasks, 2 alternatives)"));
    for (const char* none : {"off", "exact"})
      QCOMPARE(store.sessions().tasks(createSession(store, config(40, none), hostTarget(2))).size(),
               std::size_t(2));
    QCOMPARE(SessionConfig().alternatives, std::string("exact"));
  }

  void whatCannotHaveThemIsRefused() {
    const auto refused = [](SessionConfig config, const char* says) {
      try {
        checkConfig(config);
      } catch (const UsageError& error) {
        return QString(error.what()).contains(says);
      }
      return false;
    };
    SessionConfig templates = config(40), gpu = config(40), unknown = config(40, "some");
    templates.space = SearchSpace::Templates;
    gpu.target = "cuda:sm_90";
    QVERIFY(refused(templates, "templates know an operator by its own definition"));
    QVERIFY(refused(gpu, "alternatives of operators are for processors"));
    QVERIFY(refused(unknown, "there are: off, exact, all"));
  }

  void theFastestCounts() {
    const QString path = newPath();
    const RowId id = makeThem(path, 120);
    Progress last;
    Session session(
        path.toStdString(), id,
        [&](const Event& event) {
          if (const auto* progress = std::get_if<Progress>(&event)) last = *progress;
        },
        measureThem);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    std::vector<TaskSummary> of;
    for (const TaskRow& task : store.sessions().tasks(id))
      of.push_back(store.tasks().summary(task.id));
    QCOMPARE(last.trials, 120);
    QVERIFY(of[1].bestSeconds < of[0].bestSeconds);
    QCOMPARE(last.totalSeconds, of[1].bestSeconds + of[3].bestSeconds);
    QCOMPARE(last.naiveTotalSeconds, of[0].naiveSeconds + of[3].naiveSeconds);
    // One that is hopelessly behind got its first round, and no further one.
    QCOMPARE(of[2].trials, 4);
    QVERIFY(of[1].trials >= 8);
  }

  /// C35, with definitions that drop out.
  void interruptedSessionsDecideAlike() {
    const QString whole = newPath(), pieces = newPath();
    const RowId one = makeThem(whole, 80), other = makeThem(pieces, 80);
    Session session(
        whole.toStdString(), one, [](const Event&) {}, measureThem);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const Lives lives = runInPieces(pieces, other, 7, 5, measureThem);
    QCOMPARE(lives.status, SessionStatus::Finished);
    QVERIFY(lives.count > 5);
    QCOMPARE(decisions(pieces, other), decisions(whole, one));
  }

  void comparisonsHaveTheFastestOfEachSide() {
    const QString path = newPath();
    const RowId with = makeThem(path, 80);
    runIt(path, with);
    const RowId without = makeThem(path, 40, "off");
    runIt(path, without);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const SessionComparison compared = compareSessions({&store, without}, {&store, with});
    QCOMPARE(compared.tasks.size(), std::size_t(4));
    QCOMPARE(compared.compared, 2);
    const std::vector<TaskRow> tasks = store.sessions().tasks(with);
    const double direct = bestOf({&store, without}, tasks[0].id).latency.median();
    const double filtered = bestOf({&store, with}, tasks[1].id).latency.median();
    const double product = bestOf({&store, without}, tasks[3].id).latency.median();
    const double productWith = bestOf({&store, with}, tasks[3].id).latency.median();
    QCOMPARE(compared.total.left, direct + product);
    QCOMPARE(compared.total.right, filtered + productWith);
    int named = 0;
    for (const TaskComparison& task : compared.tasks)
      named += task.group == tasks[0].key ? 1 : 0;
    QCOMPARE(named, 3);
  }

  void networksRunWithTheFastest() {
    const QString path = newPath();
    const TargetFacts target = hostTarget(2);
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    SessionConfig of = config(40);
    const Network network = parseNetworkSpec("resnet18:image=32");
    of.subjects = {"resnet18:image=32"};
    const RowId id = createSession(store, of, target);
    const Partition parts = optimisedPartition(network, Alternatives::All);
    // Of the first operator that has alternatives the last is the fastest, of the second itself.
    std::vector<const Task*> some;
    for (const Task& task : parts.tasks)
      if (!task.alternatives.empty()) some.push_back(&task);
    std::int64_t trial = 0;
    const auto add = [&](const std::string& key, double seconds) {
      const RowId target = store.targets().all().front().id;
      Record record;
      record.session = id;
      record.task = store.tasks().find(key, target)->id;
      record.trial = ++trial;
      record.program = std::string(32, static_cast<char>('0' + trial));
      record.verified = true;
      record.result.verdict = Verdict::Ok;
      record.result.seconds = {seconds, seconds, seconds};
      store.records().add(record);
    };
    add(some[0]->key, 3e-3);
    add(some[0]->alternatives[0].key, 2e-3);
    add(some[0]->alternatives[1].key, 1e-3);
    add(some[1]->key, 1e-3);
    add(some[1]->alternatives[0].key, 2e-3);
    add(some[2]->alternatives[0].key, 2e-3); // only that one has any
    const std::vector<int> chosen = fastestDefinitions(parts, store, {&target, 1});
    for (std::size_t t = 0; t < chosen.size(); ++t) {
      const Task* task = &parts.tasks[t];
      QCOMPARE(chosen[t], task == some[0] ? 1 : task == some[2] ? 0 : -1);
    }
    const Partition run = fastestPartition(network, Alternatives::All, store, {&target, 1});
    QCOMPARE(choosePrograms(run, store, target).tunedCount(), std::size_t(3));
    const Partition exact = fastestPartition(network, Alternatives::Exact, store, {&target, 1});
    QCOMPARE(choosePrograms(exact, store, target).tunedCount(), std::size_t(2));
    // A machine of which there is no record runs definitions.
    const TargetFacts other = hostTarget(1);
    for (const int choice : fastestDefinitions(parts, store, {&other, 1}))
      QCOMPARE(choice, -1);
    const TargetFacts both[] = {target, other};
    for (const int choice : fastestDefinitions(parts, store, both))
      QCOMPARE(choice, -1);
  }

 private:
  QString newPath() { return folder_.filePath(QString("%1.nwdb").arg(++files_)); }

  static RowId makeThem(const QString& path, std::int64_t trials,
                        const std::string& alternatives = "all") {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    SessionConfig of = config(trials, alternatives);
    of.memory.clear();
    return createSession(store, of, hostTarget(2));
  }

  static void runIt(const QString& path, RowId id) {
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureThem);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
  }

  QTemporaryDir folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(AlternativesTest)

} // namespace nestwright::alternatives_test

#include "alternatives.moc"
