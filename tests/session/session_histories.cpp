/// What records of other tasks teach a session's cost models before it begins: the first plan, and
/// the same decisions however often it is cut off and whatever becomes of the files.

#include "core/record/care/merge_files.h"
#include "core/record/store/model_rows.h"
#include "core/session/run/history/history_records.h"
#include "core/session/run/history/session_history.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/search_method.h"
#include "core/session/run/search_survey.h"
#include "core/session/run/tuning/kept_models.h"
#include "core/support/error.h"
#include "tests/session/tiled_machine.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <memory>

namespace nestwright::session_histories_test {

using namespace nestwright::made_up;
using nestwright::test::messageOf;
using nestwright::test::says;

const std::string kSubject = "matmul:m=32,n=32,k=64";
/// Products of other shapes.
const std::vector<std::string> kOthers = {"matmul:m=16,n=64,k=64", "matmul:m=64,n=16,k=64",
                                          "matmul:m=64,n=64,k=16"};

SessionConfig config(const std::string& policy, std::vector<std::string> subjects, int trials) {
  SessionConfig config;
  config.subjects = std::move(subjects);
  config.space = SearchSpace::Templates;
  config.templates = "dense_nopack.x86,batch_matmul.x86"; // small spaces
  config.policy = policy;
  config.model = usualModel(config);
  config.scheduler = "round-robin";
  config.warmup = 0;
  config.trials = trials;
  config.plan = config.trialsPerRound = 16;
  config.chains = 16;
  config.seed = 3;
  config.measure.threads = 2;
  config.confirmBest = false;
  return config;
}

/// What was tried, how fast it was, and in which round.
struct Trial {
  double seconds;
  std::int64_t round;
};

std::vector<Trial> trialsOf(const QString& path) {
  std::vector<Trial> trials;
  for (const Record& record : recordsOf(path))
    trials.push_back({record.result.latency(), traceOf(record)->round});
  return trials;
}

double meanOfRound(const QString& path, std::int64_t round) {
  double sum = 0;
  int count = 0;
  for (const Trial& trial : trialsOf(path))
    if (trial.round == round) {
      sum += trial.seconds;
      ++count;
    }
  return sum / count;
}

class SessionHistories : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    // 576 records of other tasks, 192 of each; and the whole space of the one to be searched.
    history_ = whole_.filePath("history.nwdb");
    recording_ = whole_.filePath("recording.nwdb");
    QCOMPARE(measured(history_, config("random", kOthers, 576)), SessionStatus::Finished);
    QCOMPARE(measured(recording_, config("grid", {kSubject}, 100'000)), SessionStatus::Finished);
  }
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  /// On a recorded machine: the first plan is the history's, and better than a random one.
  void theFirstPlanIsTheHistorys_data() {
    QTest::addColumn<std::string>("features");
    for (const char* features : {"itervar", "knob", "curve"})
      QTest::newRow(features) << std::string(features);
  }
  void theFirstPlanIsTheHistorys() {
    QFETCH(std::string, features);
    SessionConfig with = searching(), without = searching();
    with.history = {history_.toStdString()};
    with.templateFeatures = without.templateFeatures = features;
    const QString first = run(with), second = run(without);
    QCOMPARE(plannedIn(second, 1), 0); // all are random
    QCOMPARE(plannedIn(first, 1), 16);
    QVERIFY2(meanOfRound(first, 1) < 0.7 * meanOfRound(second, 1),
             qPrintable(QString("%1 %2").arg(meanOfRound(first, 1)).arg(meanOfRound(second, 1))));
    // What it teaches fades, and is told.
    QVERIFY(says(reasonOf(first, 1), "what other tasks taught counts 0.84"));
    QVERIFY(says(reasonOf(second, 1), "anew, as after every plan"));
  }

  /// Cut off again and again, after its first commands too, and its history deleted: it decides as
  /// one that never was (C25).
  void interruptionsAndLostFilesChangeNothing() {
    const QString copy = folder_->filePath("copy.nwdb");
    QVERIFY(QFile::copy(history_, copy));
    SessionConfig settings = searching();
    settings.history = {copy.toStdString()};
    settings.plan = 24; // rounds take parts of it
    const QString whole = newPath(), broken = newPath();
    const RowId idWhole = made(whole, settings), idBroken = made(broken, settings);
    QVERIFY(QFile::remove(copy));
    QCOMPARE(runToItsEnd(whole, idWhole), SessionStatus::Finished);
    const Lives lives = runInPieces(broken, idBroken, 5, 4);
    QCOMPARE(lives.status, SessionStatus::Finished);
    QVERIFY(lives.count > 5);
    QCOMPARE(decisions(broken, idBroken), decisions(whole, idWhole));
    QVERIFY(plannedIn(broken, 1) > 0);
  }

  /// Where answers turn out wrong the model learns anew, and still knows what other tasks taught.
  void whatIsForgottenIsNotTheHistory() {
    SessionConfig settings = config("annealing", {kSubject}, 96);
    settings.history = {history_.toStdString()};
    const QString path = newPath();
    const RowId id = made(path, settings);
    Session session(
        path.toStdString(), id, [](const Event&) {}, wrongAnswer(40));
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const KeptModels kept = keptModels(store.models().of(id, "autotvm").value());
    QCOMPARE(kept.histories.size(), std::size_t(1));
    QVERIFY(says(reasonOf(path, 3), "what other tasks taught counts"));
  }

  /// In another file its tasks have other numbers, and their models are found all the same.
  void itGoesOnInAMergedFile() {
    const QString first = newPath(), merged = newPath();
    SessionConfig settings = config("annealing", {kSubject}, 64);
    settings.history = {history_.toStdString()};
    const RowId id = made(first, settings);
    {
      std::atomic<Session*> current{nullptr};
      int trials = 0;
      const auto pauseInTheMiddle = [&](const Event& event) {
        if (std::holds_alternative<Measured>(event) && ++trials == 25)
          current.load()->post(Pause{});
      };
      Session session(first.toStdString(), id, pauseInTheMiddle, measureTiles);
      current = &session;
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
    }
    QCOMPARE(measured(merged, config("random", {kOthers[0]}, 16)), SessionStatus::Finished);
    const std::atomic<bool> stop{false};
    mergeFile(merged.toStdString(), first.toStdString(), stop);
    const RowId there =
        RecordStore::open(merged.toStdString(), OpenMode::ReadOnly).sessions().all().back().id;
    const auto courseOf = [](const QString& path, RowId session) {
      Session rest(
          path.toStdString(), session, [](const Event&) {}, measureTiles);
      rest.post(Start{});
      [&] { QCOMPARE(rest.wait(), SessionStatus::Finished); }();
      QStringList course;
      for (const QString& decision : decisions(path, session))
        course.append(decision.section(' ', 2)); // without trial and task
      return course;
    };
    const QStringList course = courseOf(merged, there);
    QCOMPARE(course.size(), 64);
    QCOMPARE(course, courseOf(first, id));
  }

  void aShortHistoryIsRefusedAndChangesNothing() {
    const QString few = newPath(), path = newPath();
    QCOMPARE(measured(few, config("random", {kOthers[0]}, 120)), SessionStatus::Finished);
    SessionConfig settings = config("annealing", {kSubject}, 32);
    settings.history = {few.toStdString()};
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    const std::string problem = messageOf([&] { createSession(store, settings, hostTarget(2)); });
    QVERIFY(says(problem, "takes 500 records of other tasks"));
    QVERIFY(says(problem, "has 120 for "));
    QVERIFY(store.sessions().all().empty());
    QVERIFY(store.tasks().all().empty());
    // The task's own records teach nothing of other tasks, nor does the same file twice.
    settings.history = {recording_.toStdString(), few.toStdString(), few.toStdString()};
    QVERIFY(
        says(messageOf([&] { createSession(store, settings, hostTarget(2)); }), "has 120 for "));
    settings.history = {folder_->filePath("none.nwdb").toStdString()};
    QVERIFY(says(messageOf([&] { createSession(store, settings, hostTarget(2)); }),
                 "there is no such file"));
    // Records of another number of threads are another machine's (C28).
    settings.history = {history_.toStdString()};
    QVERIFY(says(messageOf([&] { createSession(store, settings, hostTarget(1)); }),
                 "not counting 576 records of other machines or lowerings"));
  }

  /// Of several tasks each learns from those that are other ones for it, as far as there are.
  void eachTaskLearnsFromOthers() {
    SessionConfig settings =
        config("annealing", {kSubject, kOthers[0], "batch_matmul:b=2,m=8,n=8,k=8"}, 96);
    settings.history = {history_.toStdString()};
    const std::vector<Subject> subjects = resolveSubjects(settings.subjects);
    const HistorySurvey survey = surveyHistory(settings, subjects, hostTarget(2));
    QCOMPARE(survey.tasks.size(), std::size_t(3));
    QCOMPARE(survey.tasks[0].records, std::size_t(576));
    QCOMPARE(survey.tasks[1].records, std::size_t(384));
    QCOMPARE(survey.tasks[2].records, std::size_t(0)); // of another template
    QCOMPARE(survey.problem(), std::string());
    settings.templateFeatures = "curve";
    QCOMPARE(surveyHistory(settings, subjects, hostTarget(2)).tasks[2].records, std::size_t(576));
    settings.templateFeatures = "itervar";
    const std::map<std::string, std::string> learned =
        learnHistory(settings, subjects, hostTarget(2));
    QCOMPARE(learned.size(), std::size_t(1));
    QCOMPARE(learned.begin()->first, workloadKey(subjects[0].tasks[0].dag));
    // The others begin at random.
    const QString path = newPath();
    const RowId id = made(path, settings);
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureTiles);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    QVERIFY(plannedIn(path, 1) > 0);
    QCOMPARE(plannedIn(path, 2), 0);
    QCOMPARE(plannedIn(path, 3), 0);
  }

  void theSurveySaysTheSame() {
    SessionConfig settings = searching();
    QVERIFY(surveySearch(settings).history.tasks.empty());
    settings.history = {history_.toStdString()};
    const SearchSurvey survey = surveySearch(settings);
    QCOMPARE(survey.historyProblem, std::string());
    QCOMPARE(survey.history.tasks.at(0).records, std::size_t(576));
    settings.history = {recording_.toStdString()};
    QVERIFY(says(surveySearch(settings).historyProblem, "has 0 for "));
  }

  void whatDoesNotGoTogetherIsSaid() {
    const auto refusal = [&](SessionConfig settings) {
      settings.history = {history_.toStdString()};
      return messageOf([&] { checkConfig(settings); });
    };
    SessionConfig sketches;
    sketches.subjects = {kSubject};
    QVERIFY(says(refusal(sketches), "this session searches sketches"));
    QVERIFY(says(refusal(config("genetic", {kSubject}, 8)), "the policy genetic asks none"));
    QVERIFY(says(refusal(config("contextual", {kSubject}, 8)),
                 "the cost model forest learns nothing from other tasks"));
    QCOMPARE(refusal(config("annealing", {kSubject}, 8)), std::string());
  }

  void keptModelsSurviveTheFile() {
    const KeptModels kept{{{"a\n \"b", "12 3\n"}, {"c", std::string("\0x", 2)}}, {{"c", "old"}}};
    const std::string bytes = toBytes(kept);
    const KeptModels again = keptModels(bytes);
    QVERIFY(again.models == kept.models && again.histories == kept.histories);
    QCOMPARE(toBytes({}), std::string());
    QVERIFY(keptModels("").models.empty());
    for (std::size_t length = 1; length < bytes.size(); ++length)
      QVERIFY_THROWS_EXCEPTION(InputError, keptModels(bytes.substr(0, length)));
    QVERIFY_THROWS_EXCEPTION(InputError, keptModels(bytes + "x"));
  }

 private:
  QString newPath() { return folder_->filePath(QStringLiteral("%1.nwdb").arg(++files_)); }
  /// For the subject, on the recorded machine.
  SessionConfig searching() const {
    SessionConfig settings = config("annealing", {kSubject}, 80);
    settings.machine = "recorded:" + recording_.toStdString();
    return settings;
  }
  static RowId made(const QString& path, const SessionConfig& settings) {
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    return settings.machine.empty() ? createSession(store, settings, hostTarget(2))
                                    : createSession(store, settings, WorkerLaunch{});
  }
  static SessionStatus measured(const QString& path, const SessionConfig& settings) {
    const RowId id = made(path, settings);
    Session session(
        path.toStdString(), id, [](const Event&) {}, measureTiles);
    session.post(Start{});
    return session.wait();
  }
  static SessionStatus runToItsEnd(const QString& path, RowId id) {
    Session session(path.toStdString(), id, [](const Event&) {});
    session.post(Start{});
    return session.wait();
  }
  QString run(const SessionConfig& settings) {
    const QString path = newPath();
    [&] { QCOMPARE(runToItsEnd(path, made(path, settings)), SessionStatus::Finished); }();
    return path;
  }
  /// How many configurations the round took from an annealing.
  static int plannedIn(const QString& path, std::int64_t round) {
    int planned = 0;
    for (const ConfigsPlanned& event : eventsOf<ConfigsPlanned>(path))
      if (event.round == round)
        planned += event.plan.byScore + event.plan.byDiversity + event.plan.atRandom;
    return planned;
  }
  static std::string reasonOf(const QString& path, std::int64_t round) {
    for (const ModelUpdated& event : eventsOf<ModelUpdated>(path))
      if (event.round == round) return event.reason;
    return {};
  }

  const QTemporaryDir whole_;
  QString history_, recording_; // in it
  std::unique_ptr<QTemporaryDir> folder_;
  int files_ = 0;
};

NW_TEST_GUILESS(SessionHistories)

} // namespace nestwright::session_histories_test

#include "session_histories.moc"
