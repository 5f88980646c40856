/// AutoTVM's and AdaTune's searches over templates as people start them, and what can be done with
/// their records.

#include "core/model/cost_model.h"
#include "core/record/format/record_program.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/search/search_policy.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/subject.h"
#include "core/template/task_template.h"
#include "tests/end_to_end/killed_sessions.h"
#include "tests/end_to_end/run_program.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <set>

namespace nestwright::template_tuning_test {

using nlohmann::json;
using test::killAfter, test::measurementsLeft;
using test::killedWithin;
using test::recordsOf;

const char* const kTask = "matmul:m=16,n=32,k=32";

/// A log of AutoTVM with all configurations of a template of the task, and made-up times: the best
/// splits have factors of about four.
QByteArray wholeSpace() {
  const TaskTemplate of =
      templateNamed(resolveSubjects({kTask}).at(0).tasks.at(0).dag, "dense_nopack.x86");
  json input = json::parse(logKey(of));
  input.insert(input.begin(), "llvm");
  QByteArray lines;
  for (std::int64_t index = 0; index < of.space.size(); ++index) {
    json entities = json::array();
    double seconds = 1e-5;
    for (const NamedEntity& entity : of.space.at(index)) {
      entities.push_back(toJson(entity));
      for (const json& factor : entities.back().at(2))
        if (factor > 0) seconds *= 1 + 0.3 * std::abs(std::log2(factor.get<double>()) - 2);
    }
    const json config{{"index", index}, {"code_hash", nullptr}, {"entity", entities}};
    const json line{{"input", input},
                    {"config", config},
                    {"result", {{seconds}, 0, 0.5, 1.6e9}},
                    {"version", 0.2},
                    {"tvm_version", "0.11.1"}};
    lines += QByteArray::fromStdString(line.dump()) + '\n';
  }
  return lines;
}

class TemplateTuning : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void methodsTune_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("evaluator");
#ifdef HAS_COST_MODEL
    QTest::newRow("autotvm") << QStringList{"--method", "autotvm", "--plan", "8", "--chains", "16"}
                             << "annealing"
                             << "fixed";
    QTest::newRow("treegru") << QStringList{"--method", "autotvm", "--model",  "treegru",
                                            "--plan",   "8",       "--chains", "16"}
                             << "annealing"
                             << "fixed";
    QTest::newRow("adatune") << QStringList{"--method", "adatune", "--plan", "8", "--chains", "16"}
                             << "contextual"
                             << "adaptive:runs=500,batch=50,cv=0.1,least=3,speed=batch";
#endif
    for (const char* policy : {"random", "grid", "genetic"})
      QTest::newRow(policy) << QStringList{"--space", "templates",          "--policy",
                                           policy,    "--trials-per-round", "8"}
                            << policy << "fixed";
  }
  void methodsTune() {
    QFETCH(QStringList, options);
    QFETCH(QString, policy);
    QFETCH(QString, evaluator);
    if (options.contains("treegru")) NW_NEED_LEARNER();
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("tuned.nwdb"));
    const ProgramResult tuned = run(QStringList{"tune", kTask, "--trials", "24", "--threads", "1",
                                                "--repeats", "1", "--json", "--db", path} +
                                    options);
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const json result = tuned.json();
    QCOMPARE(result.at("trials"), 24);
    QVERIFY(result.at("tasks").at(0).at("verified").get<bool>());
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    const SessionConfig config = configOf(store.sessions().all().front());
    QCOMPARE(config.space, SearchSpace::Templates);
    QCOMPARE(QString::fromStdString(config.policy), policy);
    QCOMPARE(config.trialsPerRound, 8);
    QCOMPARE(config.templateFeatures, options.contains("treegru") ? "tree" : "itervar");
    QCOMPARE(QString::fromStdString(toText(config.measure.evaluator)), evaluator);
    std::set<std::string> programs;
    for (const Record& record : recordsOf(path)) {
      QVERIFY(ownTemplateConfigOf(record));
      QVERIFY2(record.result.verdict == Verdict::Ok || record.result.verdict == Verdict::Illegal,
               record.result.error.c_str());
      programs.insert(record.program);
    }
    QCOMPARE(programs.size(), 24u);
    useRecords(path);
  }

  void badOptionsGetASentence() {
    const auto refused = [](const QStringList& options, const char* sentence, int code = 2) {
      QTemporaryDir folder;
      const QString path = folder.filePath(QStringLiteral("none.nwdb"));
      const ProgramResult result = run(QStringList{"tune", kTask, "--db", path} + options);
      QCOMPARE(result.exitCode, code);
      QVERIFY2(result.errors.contains(sentence), result.errors);
      QVERIFY(!QFile::exists(path));
    };
    refused({"--method", "alchemy"}, "there is no method \"alchemy\"");
    refused({"--policy", "contextual"}, "searches the configurations of templates");
    refused({"--space", "templates", "--policy", "evolutionary"}, "searches sketches");
    refused({"--space", "templates", "--plan", "0"}, "a plan has from 1");
    refused({"--space", "moon"}, "there are sketches and templates");
    refused({"--energy", "dark"}, "there are relative and raw");
    refused({"--exploration", "far"}, "there are contextual and fixed");
    refused({"--space", "templates", "--templates", "magic"}, "there is no template \"magic\"");
#ifdef HAS_COST_MODEL
    refused({"--method", "autotvm", "--model", "treegru", "--template-features", "knob"},
            "treegru reads the template features tree, and not knob");
    refused({"--policy", "evolutionary", "--model", "treegru"},
            "reads configurations of templates");
    refused({"--method", "autotvm", "--model", "treegru", "--history", "old.nwdb"},
            "treegru learns nothing from other tasks");
    refused({"--method", "adatune", "--history", "old.nwdb"}, "forest learns nothing from other");
    refused({"--method", "autotvm", "--history", "/nowhere/old.nwdb"}, "/nowhere/old.nwdb", 1);
    QTemporaryDir folder;
    const QString empty = folder.filePath(QStringLiteral("empty.nwdb"));
    RecordStore::open(empty.toStdString(), OpenMode::Create);
    refused({"--method", "autotvm", "--history", empty}, "takes 500 records of other tasks", 1);
#endif
    refused({"--space", "templates", "--templates", "conv2d_NCHWc.x86"}, "no template to search");
    refused({"--policy", "beam", "--target", "cuda:sm_90"}, "grows programs for processors");
  }

  /// Where no task has one there is a sentence with the reason, and no session.
  void withoutATemplateThereIsNoSession() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("none.nwdb"));
    const ProgramResult tuned = run({"tune", "softmax:m=8,n=16", "--space", "templates", "--trials",
                                     "8", "--threads", "1", "--db", path});
    QCOMPARE(tuned.exitCode, 2);
    QVERIFY2(tuned.errors.contains("no template to search"), tuned.errors);
    QVERIFY2(tuned.errors.contains("2 reductions"), tuned.errors);
    QVERIFY(!QFile::exists(path));
  }

#ifdef HAS_COST_MODEL
  /// kill -9 in the middle, again and again: fed the same measurements, a session decides as one
  /// that nobody disturbed, whose chains, models and plans go on where they stood (C25).
  void killedSessionsDecideAsUndisturbedOnes_data() {
    QTest::addColumn<QStringList>("method");
    QTest::addColumn<int>("trials");
    QTest::addColumn<int>("kills");
    QTest::newRow("annealing") << QStringList{"--method", "autotvm"} << 120 << 10;
    QTest::newRow("contextual") << QStringList{"--method", "adatune"} << 120 << 10;
    // Each life starts the learner, and each plan trains a network.
    QTest::newRow("a network") << QStringList{"--method", "autotvm", "--model", "treegru"} << 60
                               << 3;
  }
  void killedSessionsDecideAsUndisturbedOnes() {
    QFETCH(QStringList, method);
    QFETCH(int, trials);
    QFETCH(int, kills);
    if (method.contains("treegru")) NW_NEED_LEARNER();
    QTemporaryDir folder;
    const QString log = folder.filePath(QStringLiteral("space.log"));
    const QString recording = folder.filePath(QStringLiteral("space.nwdb"));
    QFile file(log);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(wholeSpace());
    file.close();
    const ProgramResult imported = run({"import", recording, log});
    QVERIFY2(imported.exitCode == 0, imported.errors);
    const auto arguments = [&](const QString& path) {
      // The template whose records there are.
      return QStringList{"tune",     kTask,     "--machine",   "recorded:" + recording,
                         "--db",     path,      "--templates", "dense_nopack.x86",
                         "--plan",   "12",      "--chains",    "16",
                         "--seed",   "3",       "--trials",    QString::number(trials),
                         "--resume", "--events"} +
             method;
    };
    const auto decisions = [](const QString& path) {
      QStringList programs;
      for (const Record& record : recordsOf(path))
        programs << QString::fromStdString(record.program);
      return programs;
    };
    const QString whole = folder.filePath(QStringLiteral("whole.nwdb"));
    const ProgramResult undisturbed = run(arguments(whole));
    QVERIFY2(undisturbed.exitCode == 0, undisturbed.errors);
    const QString killed = folder.filePath(QStringLiteral("killed.nwdb"));
    for (int kill = 0; kill < kills; ++kill)
      killAfter(measurementsLeft(killed, trials, 3 + 5 * kill % 13), arguments(killed));
    const ProgramResult last = run(arguments(killed));
    QVERIFY2(last.exitCode == 0, last.errors);
    const QStringList expected = decisions(whole);
    QCOMPARE(expected.size(), trials);
    QCOMPARE(decisions(killed), expected);
    int ranked = 0; // all but the first plan and what was drawn at random
    for (const Record& record : recordsOf(whole))
      ranked += std::isfinite(traceOf(record)->predictedScore.value_or(kUnknownProgram));
    QVERIFY2(3 * ranked > 2 * trials, qPrintable(QString::number(ranked)));
  }

  /// kill -9 in the middle: no configuration is measured twice, and nothing is lost.
  void killedSessionsGoOn() {
    for (const char* method : {"autotvm", "adatune"}) {
      QTemporaryDir folder;
      const QString path = folder.filePath(QStringLiteral("killed.nwdb"));
      const QStringList arguments = {"tune",      kTask,      "--method",  method,     "--plan",
                                     "8",         "--chains", "16",        "--trials", "48",
                                     "--threads", "1",        "--repeats", "1",        "--db",
                                     path,        "--resume", "--events"};
      for (int kill = 0; kill < 3; ++kill)
        killedWithin(700 + 400 * kill, arguments);
      const ProgramResult last = run(arguments);
      QVERIFY2(last.exitCode == 0, last.errors);
      std::set<std::string> programs;
      for (const Record& record : recordsOf(path))
        programs.insert(record.program);
      QCOMPARE(programs.size(), 48u);
      QCOMPARE(recordsOf(path).size(), 48u);
    }
  }
#endif

 private:
  /// What people do with records goes on with the program that the configuration gives.
  static void useRecords(const QString& path) {
    RowId good = 0;
    for (const Record& record : recordsOf(path))
      if (record.result.verdict == Verdict::Ok) good = record.id;
    const ProgramResult shown = run({"show", "--db", path, QString::number(good), "--steps",
                                     "--loops", "--ir", "--asm", "--features"});
    QVERIFY2(shown.exitCode == 0, shown.errors);
    QVERIFY(shown.output.contains("parallel"));
    const ProgramResult again =
        run({"measure", "--db", path, "--threads", "1", "--limit", "4", "--json"});
    QVERIFY2(again.exitCode == 0, again.errors);
    QCOMPARE(again.json().at("measured"), 4);
    QCOMPARE(again.json().at("errors"), 0);
    // As lines of AutoTVM, which come out equal once they are imported.
    QTemporaryDir folder;
    const QString lines = folder.filePath(QStringLiteral("lines.json"));
    const QString imported = folder.filePath(QStringLiteral("imported.nwdb"));
    const QString exported = folder.filePath(QStringLiteral("again.json"));
    for (const QStringList& arguments :
         {QStringList{"export", path, "--session", "1", "--output", lines},
          QStringList{"import", imported, lines},
          QStringList{"export", imported, "--output", exported},
          QStringList{"measure", "--db", imported, "--threads", "1", "--limit", "2"}}) {
      const ProgramResult result = run(arguments);
      QVERIFY2(result.exitCode == 0, result.output + result.errors);
    }
    QFile first(lines), second(exported);
    QVERIFY(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
    const QByteArray text = first.readAll();
    QCOMPARE(text.count("\"dense_"), 24);
    QCOMPARE(second.readAll(), text);
    const ProgramResult check = run({"db", "check", path});
    QVERIFY2(check.exitCode == 0, check.output + check.errors);
  }
};

NW_TEST_GUILESS(TemplateTuning)

} // namespace nestwright::template_tuning_test

#include "template_tuning.moc"
