/// The shortest reproducer of a failure (C8): which steps go, which stay, and what its file holds.

#include "core/session/run/again/reproducer.h"

#include "core/record/file/database_file.h"
#include "core/record/store/store.h"
#include "core/schedule/bounds.h"
#include "core/session/insight/count_record.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "tests/measure/faulty_workers.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>

namespace nestwright::reproducer_test {

constexpr const char* kMatmul = "A = PLACEHOLDER [64, 64]\nB = PLACEHOLDER [64, 64]\n"
                                "C(i, j) += (A[i, k]*B[k, j])\n";

/// A tiled product in parallel; every step but the splits can go by itself.
Steps tiled() {
  return {SplitStep{2, 0, 64, {8}, true},           SplitStep{2, 2, 64, {8}, true},
          ReorderStep{2, {0, 2, 1, 3, 4}},          AnnotationStep{2, 0, Annotation::Parallel},
          AnnotationStep{2, 3, Annotation::Unroll}, PragmaStep{2, 0, "auto_unroll_max_step$16"}};
}

Reproducer failure(Verdict verdict, Steps steps, int failingStep = -1) {
  Reproducer reproducer;
  reproducer.task = "matmul 64";
  reproducer.dag = kMatmul;
  reproducer.recordedSteps = steps.size();
  reproducer.steps = std::move(steps);
  reproducer.verdict = verdict;
  reproducer.reason = "first line\nsecond line, \xff";
  reproducer.failingStep = failingStep;
  return reproducer;
}

bool forEver() {
  return true;
}

/// Replays as a worker does; a program that can be replayed ends as `verdictOf` says.
template <class VerdictOf>
MeasureOne replaying(VerdictOf verdictOf) {
  return [verdictOf](const MeasureOptions&, const MeasureRequest& request) {
    MeasureResult result;
    try {
      withBounds(State::replay(parseDag(request.dag), request.steps));
      result.verdict = verdictOf(request.steps);
    } catch (const IllegalSchedule& error) {
      result.verdict = Verdict::Illegal;
      result.failingStep = error.stepIndex();
    }
    if (result.verdict == Verdict::Ok) result.seconds = {1};
    return result;
  };
}

QString textOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return QString::fromStdString(error.what());
  }
  return {};
}

class ReproducerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// What is independent goes, wherever it stands; what the guilty step needs stays.
  void onlyGuiltyStepsStay() {
    const MeasureOne measure = replaying([](const Steps& steps) {
      const bool guilty =
          std::ranges::find(steps, Step(AnnotationStep{2, 3, Annotation::Unroll})) != steps.end();
      return guilty ? Verdict::CompileError : Verdict::Ok;
    });
    const ShortReproducer result =
        shortened(failure(Verdict::CompileError, tiled()), measure, forEver);
    QVERIFY(result.minimal);
    // Loop 3 is there once one loop was split.
    QCOMPARE(result.reproducer.steps.size(), std::size_t(2));
    QVERIFY(std::holds_alternative<SplitStep>(result.reproducer.steps[0]));
    QVERIFY(std::holds_alternative<AnnotationStep>(result.reproducer.steps[1]));
    QCOMPARE(result.reproducer.recordedSteps, std::size_t(6));
    QVERIFY(showsTheSame(result.reproducer, measure({}, requestOf(result.reproducer))));
    QVERIFY(result.attempts <= 30);
  }

  void aFailureOfTheTaskNeedsNoSteps() {
    const ShortReproducer result =
        shortened(failure(Verdict::RunError, tiled()),
                  replaying([](const Steps&) { return Verdict::RunError; }), forEver);
    QVERIFY(result.reproducer.steps.empty());
    QVERIFY(result.minimal);
  }

  /// The step that breaks the program stays, with what makes it break; its index follows.
  void theStepThatBreaksStays() {
    Steps steps = tiled();
    steps.insert(steps.begin() + 4, ReorderStep{2, {0, 1}}); // a loop nest of five
    const MeasureOne measure = replaying([](const Steps&) { return Verdict::Ok; });
    const Reproducer whole = failure(Verdict::Illegal, steps, 4);
    const ShortReproducer result = shortened(whole, measure, forEver);
    QCOMPARE(result.reproducer.steps, (Steps{ReorderStep{2, {0, 1}}}));
    QCOMPARE(result.reproducer.failingStep, 0);
  }

  /// Another failure on the way is not taken for this one.
  void anotherVerdictIsAnother() {
    const MeasureOne measure = replaying([](const Steps& steps) {
      return steps.size() == 6 ? Verdict::WrongAnswer : Verdict::RunTimeout;
    });
    const ShortReproducer result =
        shortened(failure(Verdict::WrongAnswer, tiled()), measure, forEver);
    QCOMPARE(result.reproducer.steps, tiled());
    const QString why =
        textOf([&] { shortened(failure(Verdict::CompileError, tiled()), measure, forEver); });
    QVERIFY2(why.contains("\"compile error\"") && why.contains("\"wrong answer\""),
             qPrintable(why));
  }

  void whatTakesTooLongEnds() {
    int left = 1;
    const ShortReproducer result = shortened(
        failure(Verdict::RunError, tiled()),
        replaying([](const Steps&) { return Verdict::RunError; }), [&] { return left-- > 0; });
    QVERIFY(!result.minimal);
    QVERIFY(result.attempts <= 3);
    QVERIFY(result.reproducer.steps.size() < 6);
  }

  void failuresOfRealWorkersAreRepeated_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<int>("verdict");
    QTest::newRow("compile error") << "compile_throw" << int(Verdict::CompileError);
    QTest::newRow("crash of the compiler") << "compile_abort" << int(Verdict::CompileError);
    QTest::newRow("load error") << "load_throw" << int(Verdict::LoadError);
    QTest::newRow("run error") << "run_segfault" << int(Verdict::RunError);
    QTest::newRow("wrong answer") << "run_wrong" << int(Verdict::WrongAnswer);
    QTest::newRow("build timeout") << "compile_sleep" << int(Verdict::BuildTimeout);
    QTest::newRow("run timeout") << "run_sleep" << int(Verdict::RunTimeout);
  }
  void failuresOfRealWorkersAreRepeated() {
    QFETCH(QString, fault);
    QFETCH(int, verdict);
    const QTemporaryDir folder;
    qputenv("NESTWRIGHT_TEST_FOLDER", folder.path().toUtf8());
    Reproducer whole = failure(Verdict(verdict), {SplitStep{1, 0, 16, {4}, true}});
    whole.dag = test::doublingTask(fault.toStdString());
    whole.options = decidingOptionsFromJson(toJson(test::quickOptions()));
    // What is asleep for ever ends by these; nothing else takes so long.
    if (verdict == int(Verdict::BuildTimeout)) whole.options.buildTimeoutSeconds = 0.3;
    if (verdict == int(Verdict::RunTimeout)) whole.options.runTimeoutSeconds = 0.3;
    const MeasureOne measure = measureInWorkers({{FAULTY_WORKER}}, "llvm");
    const ShortReproducer result = shortened(whole, measure, forEver);
    QCOMPARE(result.reproducer.steps, Steps{});
    const Reproducer read = reproducerFromText(toText(result.reproducer));
    const MeasureResult again = measure(read.options, requestOf(read));
    QVERIFY2(showsTheSame(read, again), again.error.c_str());
  }

  void theFileHoldsAllThatIsNeeded() {
    Reproducer written = failure(Verdict::RunTimeout, tiled());
    written.options.threads = 3;
    written.options.runTimeoutSeconds = 0.25;
    written.options.builders = 7;
    written.target = "llvm -mcpu=x";
    const std::string text = toText(written);
    const Reproducer read = reproducerFromText(text);
    QCOMPARE(read.dag, written.dag);
    QCOMPARE(read.steps, written.steps);
    QCOMPARE(read.verdict, written.verdict);
    QCOMPARE(read.failingStep, -1);
    QCOMPARE(read.options.threads, 3);
    QCOMPARE(read.options.runTimeoutSeconds, 0.25);
    QCOMPARE(read.target, written.target);
    // What is not needed stays out.
    QCOMPARE(read.options.builders, MeasureOptions().builders);
    nlohmann::json foreign = nlohmann::json::parse(text);
    foreign["measure"]["worker_command"] = {"/bin/sh", "-c", "touch /tmp/owned"};
    QCOMPARE(toText(reproducerFromText(foreign.dump())), text);
    // A person reads it: each step is a line.
    QVERIFY(text.find("\n    [\"RE\",2,[0,2,1,3,4]],\n") != std::string::npos);
  }

  void filesThatAreNoneAreRefused_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    QTest::newRow("kind") << "kind"
                          << "\"another\""
                          << "this is no reproducer";
    QTest::newRow("form") << "format"
                          << "2"
                          << "of form 2, this program reads form 1";
    QTest::newRow("verdict") << "verdict"
                             << "\"ok\""
                             << "\"ok\" is no failure";
    QTest::newRow("word") << "verdict"
                          << "\"odd\""
                          << "'odd' is no verdict";
    QTest::newRow("step") << "failing_step"
                          << "6"
                          << "failing_step is 6, of 6 steps";
    QTest::newRow("steps") << "steps"
                           << "[[\"XX\", 1]]"
                           << "XX";
    QTest::newRow("dag") << "dag"
                         << "[\"nonsense\"]"
                         << "1";
    QTest::newRow("type") << "reason"
                          << "7"
                          << "cannot be read";
    QTest::newRow("option") << "measure"
                            << "{\"repeats\": \"many\"}"
                            << "'repeats'";
  }
  void filesThatAreNoneAreRefused() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, message);
    nlohmann::json document = nlohmann::json::parse(toText(failure(Verdict::RunError, tiled())));
    document[key.toStdString()] = nlohmann::json::parse(value.toStdString());
    const QString why = textOf([&] { reproducerFromText(document.dump()); });
    QVERIFY2(why.contains(message), qPrintable(why));
  }

  void nothingIsOverwritten() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a.json").toStdString();
    const Reproducer written = failure(Verdict::RunError, tiled());
    writeReproducer(path, written);
    QCOMPARE(readReproducer(path).steps, written.steps);
    QVERIFY(textOf([&] { writeReproducer(path, written); }).contains("is there already"));
    const QString link = folder.filePath("link.json");
    QVERIFY(QFile::link(folder.filePath("elsewhere"), link));
    QVERIFY(
        textOf([&] { writeReproducer(link.toStdString(), written); }).contains("is there already"));
    QVERIFY(!QFileInfo::exists(folder.filePath("elsewhere")));
    QVERIFY(
        textOf([&] { readReproducer(folder.path().toStdString()); }).contains("cannot be read"));
  }

  /// On a full disk it is the closing that fails; here a limit on files stands for it.
  void whatIsWrittenLastCanFail() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a.json").toStdString();
    rlimit before{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing{0, before.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &nothing), 0);
    const QString why = textOf([&] { writeReproducer(path, failure(Verdict::RunError, tiled())); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    QVERIFY2(why.contains("cannot be written: File too large"), qPrintable(why));
    QVERIFY(!QFileInfo::exists(QString::fromStdString(path)));
  }

  /// From a session's file, with the session's own time-outs.
  void recordsBecomeReproducers() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.nwdb");
    SessionConfig config;
    config.trials = 64;
    config.measure.runTimeoutSeconds = 2.5;
    config.measure.threads = 0;
    const RowId session = made_up::makeSession(path, config, {16});
    QCOMPARE(made_up::runToEnd(path, session), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    RecordQuery query;
    query.onlyErrors = true;
    const std::vector<Record> failed = store.records().page(query);
    QVERIFY(!failed.empty());
    const Reproducer reproducer = reproducerOf(store, failed.front().id);
    QCOMPARE(reproducer.verdict, Verdict::RunError);
    QCOMPARE(reproducer.steps, failed.front().steps);
    QCOMPARE(reproducer.reason, failed.front().result.error);
    QCOMPARE(reproducer.options.runTimeoutSeconds, 2.5);
    QCOMPARE(reproducer.options.threads, 2); // all cores of the target
    const ShortReproducer result = shortened(
        reproducer,
        [](const MeasureOptions&, const MeasureRequest& request) {
          return made_up::madeUpResult(request);
        },
        forEver);
    QVERIFY(result.reproducer.steps.size() <= reproducer.steps.size());
    RecordQuery good;
    good.verdict = Verdict::Ok;
    const RowId fine = store.records().page(good).front().id;
    QVERIFY(textOf([&] { reproducerOf(store, fine); }).contains("no failure"));
    QVERIFY(textOf([&] { reproducerOf(store, 4711); }).contains("no record 4711"));
  }

  /// All cores of the machine that measured it, not of this one.
  void programsAreCountedOnAsManyThreads() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.nwdb"), said = folder.filePath("threads");
    SessionConfig config;
    config.trials = 32;
    config.measure.threads = 0;
    const RowId session = made_up::makeSession(path, config, {16});
    QCOMPARE(made_up::runToEnd(path, session), SessionStatus::Finished);
    openDatabaseFile(path.toStdString(), OpenMode::ReadWrite)
        .execute("UPDATE target SET facts = json_set(facts, '$.cores', 1711)");
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    RecordQuery good;
    good.verdict = Verdict::Ok;
    const WorkerLaunch launch{
        {"/bin/sh", "-c", "echo $OMP_NUM_THREADS > '" + said.toStdString() + "'"}};
    const RowId record = store.records().page(good).front().id;
    QVERIFY(!textOf([&] { countRecord(store, record, launch); }).isEmpty()); // it only says that
    QFile file(said);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("1711\n"));
  }
};

NW_TEST_APPLESS(ReproducerTest)

} // namespace nestwright::reproducer_test

#include "reproducer.moc"
