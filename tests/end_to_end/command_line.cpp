#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace nestwright::command_line_test {

using nlohmann::json;

class CommandLine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    // One small session that the reading verbs share.
    const ProgramResult result =
        run({"tune", "matmul:m=64,n=64,k=64", "--policy", "random", "--trials", "30", "--seed", "1",
             "--db", database(), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    tuned_ = result.json();
    QVERIFY2(tuned_.is_object(), result.output);
  }

  void everyVerbHelps_data() {
    QTest::addColumn<QString>("verb");
    for (const char* verb :
         {"networks", "tasks", "sketches", "templates", "sample", "tune", "run", "deploy", "fit",
          "recombine", "cross", "show", "reproduce", "query", "forget", "worker", "doctor"})
      QTest::newRow(verb) << verb;
  }
  void everyVerbHelps() {
    QFETCH(QString, verb);
    const ProgramResult result = run({verb, "--help"});
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.output.contains("nestwright " + verb.toUtf8()));
  }

  void mistakesHaveTheirExitCode_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("message");
    QTest::newRow("no verb") << QStringList{} << 2 << "";
    QTest::newRow("unknown verb") << QStringList{"fly"} << 2 << "";
    QTest::newRow("unknown option") << QStringList{"tune", "resnet18", "--fast"} << 2 << "--fast";
    QTest::newRow("no trials") << QStringList{"tune", "resnet18", "--trials", "-1"} << 2
                               << "trials";
    QTest::newRow("all trials of sketches")
        << QStringList{"tune", "resnet18", "--trials", "all"} << 2
        << "sketches have no end of programs: --trials all goes with --space templates";
    QTest::newRow("unknown network") << QStringList{"tasks", "resnet19"} << 1 << "resnet19";
    QTest::newRow("unknown parameter")
        << QStringList{"tasks", "resnet18:colour=3"} << 1 << "colour";
    QTest::newRow("missing file") << QStringList{"tasks", "nowhere.onnx"} << 1 << "nowhere.onnx";
    QTest::newRow("crosses of no task")
        << QStringList{"cross", "--db", database(), "--task", "99"} << 1 << "task 99";
    QTest::newRow("crosses of one program")
        << QStringList{"cross", "--db", database(), "--task", "1", "--parents", "1"} << 1
        << "two programs";
    QTest::newRow("missing database")
        << QStringList{"query", "--db", "nowhere.nwdb"} << 1 << "nowhere.nwdb";
    QTest::newRow("unknown rules")
        << QStringList{"tune", "matmul:m=8,n=8,k=8", "--rules", "magic", "--db", "nowhere.nwdb"}
        << 1 << "magic";
    const QString product = "matmul:m=64,n=48,k=32";
    QTest::newRow("templates of no version")
        << QStringList{"templates", product, "--version", "v9"} << 1 << "v0.8.dev";
    QTest::newRow("a template that is not there")
        << QStringList{"templates", product, "--template", "dense.x86"} << 1 << "dense_pack.x86";
    QTest::newRow("a template for GPUs")
        << QStringList{"templates", product, "--template", "batch_matmul.cuda", "--config", "0"}
        << 1 << "dense_large_batch.gpu or dense_small_batch.gpu does";
    QTest::newRow("a template for another machine")
        << QStringList{"templates",      product,    "--template",
                       "dense_pack.x86", "--target", "cuda:sm_90"}
        << 2 << "dense_pack.x86 is for processors, and cuda:sm_90 is none";
    QTest::newRow("a configuration beyond the space")
        << QStringList{"templates", product, "--config", "99999999"} << 1 << "99999999";
    QTest::newRow("a configuration beyond all numbers")
        << QStringList{"templates", product, "--config", "99999999999999999999"} << 1
        << "99999999999999999999 is not there; the space has those from 0 to ";
    QTest::newRow("a value that a knob does not have")
        << QStringList{"templates",
                       product,
                       "--template",
                       "dense_nopack.x86",
                       "--config",
                       R"([["tile_y","sp",[-1,3]],["tile_x","sp",[-1,8]],["tile_k","sp",[-1,8]]])"}
        << 1 << "the nearest of its 7 values is [-1,4]";
    QTest::newRow("a configuration of words")
        << QStringList{"templates", product, "--config", "fast"} << 1 << "--config fast";
    QTest::newRow("a configuration of a network")
        << QStringList{"templates", "resnet18", "--config", "0"} << 2 << "resnet18#0";
    QTest::newRow("a configuration where no template fits")
        << QStringList{"templates", "softmax", "--config", "0"} << 1 << "2 reductions";
    QTest::newRow("sketches of a network")
        << QStringList{"sketches", "resnet18"} << 2 << "resnet18#0";
    QTest::newRow("unknown rules")
        << QStringList{"sketches", "matmul:m=8,n=8,k=8", "--rules", "nonsense"} << 1
        << "nestwright_nonsense.so";
    QTest::newRow("unknown rules of a session")
        << QStringList{"tune", "matmul:m=8,n=8,k=8", "--rules", "nonsense", "--db", database()} << 1
        << "nestwright_nonsense.so";
    QTest::newRow("unknown target")
        << QStringList{"sketches", "matmul:m=8,n=8,k=8", "--target", "cuda:sm_1"} << 1
        << "known are: llvm, llvm:plain, llvm:plain-packed, cuda, cuda:sm_80, cuda:sm_89, "
           "cuda:sm_90";
    QTest::newRow("cores of a GPU")
        << QStringList{"sketches", "matmul:m=8,n=8,k=8", "--target", "cuda:sm_90", "--cores", "4"}
        << 2 << "--cores";
    QTest::newRow("filter")
        << QStringList{"query", "--db", database(), "--filter", "error:none time<1ms"} << 2
        << "did you mean latency<1ms?\n  error:none time<1ms\n             ^^^^";
    QTest::newRow("SQL that writes")
        << QStringList{"query", "--db", database(), "--sql", "DELETE FROM record"} << 2
        << "only SELECT is allowed";
    QTest::newRow("forget nothing") << QStringList{"forget", "--db", database()} << 2 << "records";
    QTest::newRow("forget what is not there")
        << QStringList{"forget", "--db", database(), "1", "4711"} << 1 << "4711";
    QTest::newRow("pin a task that is not there")
        << QStringList{"tune", "matmul:m=8,n=8,k=8",        "--trials", "2", "--pin", "3",
                       "--db", folder_.filePath("pin.nwdb")}
        << 2 << "--pin 3: the session has the tasks 0 to 0";
    QTest::newRow("rules for some stages")
        << QStringList{"sketches", "matmul:m=8,n=8,k=8", "--rules", "example_rule"} << 2 << "paper";
  }
  void mistakesHaveTheirExitCode() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exitCode);
    QFETCH(QString, message);
    const ProgramResult result = run(arguments);
    QCOMPARE(result.exitCode, exitCode);
    QVERIFY2(result.errors.contains(message.toUtf8()), result.errors);
    QVERIFY(!QFile::exists(QStringLiteral("nowhere.nwdb")));
  }

  /// What a seed decides, and what it does not (C35).
  void threadsAreSaidToChangeTheSpace() {
    const QByteArray help = run({"tune", "--help"}).output.simplified();
    QVERIFY2(help.contains("another number is another search space"), help);
  }

  /// No device is needed to look at its space.
  void targetsHaveSpacesOfTheirOwn() {
    const QString task = "matmul:m=512,n=512,k=512";
    const auto fetches = [&](const QString& target) {
      const json sketches = run({"sketches", task, "--target", target, "--json"}).json();
      std::size_t found = 0;
      for (const json& step : sketches.at(0).at("steps"))
        found += step.at(0) == "CHR" ? 1 : 0;
      return found;
    };
    QCOMPARE(fetches("cuda:sm_90"), 2u);
    QCOMPARE(fetches("llvm"), 0u);
  }

  void samplesSayWhatIsLegal() {
    const QString task = "matmul:m=512,n=512,k=512";
    for (const QString rules : {"paper", "nestwright,paper"}) {
      const ProgramResult result = run({"sample", task, "--target", "cuda:sm_90", "--rules", rules,
                                        "--count", "20", "--seed", "7", "--json"});
      QVERIFY2(result.exitCode == 0, result.errors);
      const json survey = result.json();
      QCOMPARE(survey.at("legal").get<int>(), 20);
      int refused = 0;
      for (const auto& [reason, count] : survey.at("refused").items())
        refused += count.get<int>();
      QCOMPARE(survey.at("drawn").get<int>(), 20 + refused);
      QVERIFY(survey.at("target").get<std::string>().find("-arch=sm_90") != std::string::npos);
    }
    const ProgramResult text = run({"sample", task, "--count", "3"});
    QVERIFY2(text.output.contains(" programs drawn, 3 legal ("), text.output);
  }

  /// Counts of the public implementation, for four cores.
  /// Knobs and sizes of a task's templates, and the program of a configuration by its number or by
  /// its values.
  void templatesShowProgramsOfConfigurations() {
    const QString task = "conv2d:n=1,h=14,w=14,ci=16,co=32,k=3,s=1,p=1,relu=1";
    const json listed = run({"templates", task, "--json"}).json();
    QCOMPARE(listed.at("templates").size(), std::size_t(1));
    const json& packed = listed.at("templates").at(0);
    QCOMPARE(packed.at("template").get<std::string>(), std::string("conv2d_NCHWc.x86"));
    QCOMPARE(packed.at("size").get<int>(), 5 * 6 * 6 * 2);
    QCOMPARE(packed.at("knobs").at(2).dump(),
             std::string(R"({"kind":"split","name":"tile_ow","values":6})"));
    const json numbered = run({"templates", task, "--config", "77", "--json"}).json();
    QCOMPARE(numbered.at("index").get<int>(), 77);
    const json given = run({"templates", task, "--json", "--config",
                            QString::fromStdString(numbered.at("entity").dump())})
                           .json();
    QCOMPARE(given.dump(), numbered.dump());
    const ProgramResult shown = run({"templates", task, "--config", "77"});
    QVERIFY2(shown.output.contains("parallel n@oc_chunk@oh@"), shown.output);
    QVERIFY2(shown.output.contains("tile_oc = "), shown.output);
    const ProgramResult network = run({"templates", "resnet18"});
    QVERIFY2(network.output.contains("dense_nopack.x86: "), network.output);
    QVERIFY2(network.output.contains("no template fits: pool_max"), network.output);
  }

  /// For a GPU, too, and without one.
  void templatesOfAGpuAreShown() {
    const QString task = "matmul:m=64,n=64,k=32,relu=1";
    const auto show = [&](const char* config) {
      return run({"templates", task, "--target", "cuda:sm_90", "--config", config});
    };
    const ProgramResult legal =
        show(R"([["tile_x","sp",[-1,2,8,4]],["tile_y","sp",[-1,2,8,4]],["tile_k","sp",[-1,4,2]]])");
    QVERIFY2(legal.output.contains("dense_large_batch.gpu, v0.11"), legal.output);
    QVERIFY2(legal.output.contains("threadIdx.x"), legal.output);
    QVERIFY2(!legal.output.contains("illegal"), legal.output);
    const ProgramResult illegal = show(
        R"([["tile_x","sp",[-1,2,8,4]],["tile_y","sp",[-1,2,16,2]],["tile_k","sp",[-1,4,2]]])");
    QVERIFY2(illegal.output.contains("illegal for cuda:sm_90: the kernel of compute has loops of"),
             illegal.output);
  }

  void sketchesAreThoseOfThePaper_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<int>("count");
    QTest::newRow("matmul") << "matmul:m=512,n=512,k=512" << 3;
    QTest::newRow("deep matmul") << "matmul:m=8,n=8,k=512" << 5;
    QTest::newRow("softmax") << "softmax:m=1,n=1024" << 9;
    QTest::newRow("convolution") << "conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1"
                                 << 3;
    const auto dag = [&](const char* name, const char* text, int count) {
      QFile file(folder_.filePath(QString("%1.dag").arg(name)));
      QVERIFY(file.open(QFile::WriteOnly));
      file.write(text);
      QTest::newRow(name) << file.fileName() << count;
    };
    dag("min", "A = PLACEHOLDER [10, 1024]\nA_red(ax0) min= A[ax0, k1]\n", 3);
    dag("two",
        "A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
        "C = PLACEHOLDER [512, 512]\nD(i, j) += (A[i, k]*B[k, j])\n"
        "E(i, j) += (D[i, k]*C[k, j])\n",
        9);
    dag("pool",
        "D = PLACEHOLDER [1, 512, 58, 58]\n"
        "P(n, c, h=57, w=57) {rh=2, rw=2} max= D[n, c, (h + rh), (w + rw)]\n",
        1);
  }
  void sketchesAreThoseOfThePaper() {
    QFETCH(QString, task);
    QFETCH(int, count);
    const ProgramResult result =
        run({"sketches", task, "--rules", "paper", "--cores", "4", "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const json sketches = result.json();
    QCOMPARE(static_cast<int>(sketches.size()), count);
    if (!task.startsWith("matmul")) return;
    for (const json& sketch : sketches) {
      QVERIFY(!sketch.at("steps").empty());
      QVERIFY(sketch.at("rules").at(0).contains("stage"));
      QVERIFY(sketch.at("rules").at(0).contains("rule"));
    }
  }

  void tuneTellsItsResult() {
    for (const char* key : {"network", "tasks", "total_seconds", "naive_total_seconds", "trials",
                            "errors", "wall_seconds", "kernel_seconds"})
      QVERIFY2(tuned_.contains(key), key);
    QCOMPARE(tuned_.at("trials").get<int>(), 30);
    const json& task = tuned_.at("tasks").at(0);
    for (const char* key : {"key", "weight", "flops", "best_seconds", "naive_seconds", "gflops",
                            "trials", "errors", "verified"})
      QVERIFY2(task.contains(key), key);
    QVERIFY(task.at("verified").get<bool>());
    QCOMPARE(task.at("flops").get<double>(), 2.0 * 64 * 64 * 64);
    QVERIFY(task.at("best_seconds").get<double>() > 0 &&
            task.at("naive_seconds").get<double>() > 0);
  }

  void queryListsAndShowExplains() {
    const json found =
        run({"query", "--db", database(), "--order", "fastest", "--limit", "1", "--json"}).json();
    QCOMPARE(found.at("total").get<int>(), 30);
    const json& fastest = found.at("records").at(0);
    const QString id = QString::number(fastest.at("id").get<int>());
    const ProgramResult shown =
        run({"show", "--db", database(), id, "--steps", "--loops", "--ir", "--source", "--asm"});
    QVERIFY2(shown.exitCode == 0, shown.errors);
    for (const char* part :
         {"steps:", "loops:", "Placeholder: A, B", "ir:", "source:", "define ", "asm:"})
      QVERIFY2(shown.output.contains(part), part);
    QCOMPARE(run({"show", "--db", database(), "999999"}).exitCode, 1);
    const ProgramResult work = run({"show", "--db", database(), id, "--work"});
    QVERIFY2(work.exitCode == 0, work.errors);
    QVERIFY2(work.output.contains(", 262144 multiplications\nexecuted: "), work.output);
    const json counted =
        run({"show", "--db", database(), id, "--work", "--json"}).json().at("work");
    QCOMPARE(counted.at("definition").at("multiplications").get<double>(), 64.0 * 64 * 64);
    QCOMPARE(counted.at("executed").at("multiplications").get<double>(), 64.0 * 64 * 64);
    const ProgramResult drafted = run({"show", "--db", database(), id, "--draft"});
    QVERIFY2(drafted.exitCode == 0, drafted.errors);
    for (const char* part : {"C ", "  arithmetic ", "  loads and stores ", " clocks", "all "})
      QVERIFY2(drafted.output.contains(part), drafted.output);
    const json draft =
        run({"show", "--db", database(), id, "--draft", "--json"}).json().at("draft");
    QVERIFY(draft.at(0).at("seconds").is_null()); // a processor's only orders programs
    QVERIFY(draft.at(0).at("clocks").get<double>() >=
            draft.at(0).at("parts").at(0).at("clocks").get<double>());
    const ProgramResult features = run({"show", "--db", database(), id, "--features"});
    QVERIFY2(features.exitCode == 0, features.errors);
    for (const char* part : {"float_addsub", "B4.stride", "auto_unroll_max_step", "lowered."})
      QVERIFY2(features.output.contains(part), part);
    QVERIFY(!features.output.contains("asm:"));
    const json document = run({"show", "--db", database(), id, "--features", "--json"}).json();
    const json& matrix = document.at("features");
    QCOMPARE(matrix.at("names").size(), std::size_t{184});
    QCOMPARE(matrix.at("meanings").size(), std::size_t{184});
    for (const json& statement : matrix.at("statements"))
      QCOMPARE(statement.at("values").size(), std::size_t{184});
  }

  /// Each counter is there, or says why it is not.
  void aRecordIsCounted() {
    const QStringList show{"show", "--db", database(), "7", "--counters"};
    const ProgramResult text = run(show);
    QVERIFY2(text.exitCode == 0, text.errors);
    for (const char* part : {"cycles ", "page-faults ", "busy cores ", "energy of a run "})
      QVERIFY2(text.output.contains(part), text.output);
    const json counts = run(show + QStringList{"--json"}).json().at("counters");
    QVERIFY(counts.at("seconds").get<double>() > 0 && counts.at("runs").get<int>() > 0);
    QCOMPARE(counts.at("counters").size(), std::size_t(11));
    for (const auto& [name, counter] : counts.at("counters").items())
      QVERIFY2(counter.at("per_run").is_null() != counter.contains("counted") &&
                   counter.at("per_run").is_null() == counter.contains("why_not"),
               name.c_str());
    QVERIFY(counts.at("energy").at("joules_per_run").is_null() ==
            counts.at("energy").contains("why_not"));
    // A worker is named for counting alone.
    QCOMPARE(run({"show", "--db", database(), "7", "--worker-command", "true"}).exitCode, 2);
    const ProgramResult refused =
        run(show + QStringList{"--worker-command", "/nonexistent/worker"});
    QVERIFY(refused.exitCode == 1 && refused.errors.contains("/nonexistent/worker"));
  }

  void queriesAreFiltered_data() {
    QTest::addColumn<QString>("filter");
    QTest::addColumn<int>("matching"); // -1: some, but not all
    QTest::newRow("all") << "" << 30;
    QTest::newRow("task") << "task:matmul" << 30;
    QTest::newRow("no task") << "task:conv2d" << 0;
    QTest::newRow("trials") << "trial:1..10" << 10;
    QTest::newRow("slow") << "latency>1h" << 0;
    QTest::newRow("one") << "record:7" << 1;
    QTest::newRow("best") << "is:best" << -1;
    QTest::newRow("no step") << "steps:storage-align" << 0;
    QTest::newRow("other steps") << "-steps:storage-align" << 30;
  }
  void queriesAreFiltered() {
    QFETCH(QString, filter);
    QFETCH(int, matching);
    const QStringList query{"query", "--db", database(), "--filter", filter};
    const json found = run(query + QStringList{"--limit", "0", "--json"}).json();
    const int count = found.at("matching").get<int>();
    QCOMPARE(int(found.at("records").size()), count);
    QVERIFY(matching < 0 ? count > 0 && count < 30 : count == matching);
    const ProgramResult lines = run(query + QStringList{"--limit", "0", "--lines"});
    QCOMPARE(int(lines.output.count('\n')), count);
    const json figures = run(query + QStringList{"--statistics", "--json"}).json();
    QCOMPARE(figures.at("records").get<int>(), count);
    QCOMPARE(run(query + QStringList{"--statistics"}).exitCode, 0);
    const json groups = run(query + QStringList{"--group-by", "task", "--json"}).json();
    std::size_t grouped = 0;
    for (const json& group : groups.at("groups")) {
      grouped += group.at("records").get<std::size_t>();
      QCOMPARE(group.at("best_seconds").get<double>(),
               figures.at("seconds").at("best").get<double>());
    }
    QCOMPARE(grouped, found.at("records").size());
    const json facets = run(query + QStringList{"--facets", "--json"}).json();
    const json asked =
        run({"query", "--db", database(), "--sql", "SELECT count(*) AS n FROM records", "--json"})
            .json();
    QCOMPARE(asked.at("rows").at(0).at("n").get<int>(), 30);
    std::size_t counted = 0; // one target has all records
    for (const json& value : facets.at("target"))
      counted += value.at("records").get<std::size_t>();
    QCOMPARE(counted, found.at("records").size());
  }

  void forgottenRecordsComeBack() {
    const QString copy = folder_.filePath(QStringLiteral("forgetful.nwdb"));
    QVERIFY(QFile::copy(database(), copy));
    const auto matching = [&](const QString& filter) {
      return run({"query", "--db", copy, "--filter", filter, "--json"})
          .json()
          .at("matching")
          .get<int>();
    };
    const json best =
        run({"query", "--db", copy, "--filter", "is:best", "--order", "fastest", "--json"}).json();
    const int id = best.at("records").at(0).at("id").get<int>();
    const ProgramResult forgotten =
        run({"forget", "--db", copy, QString::number(id), "3", "--json"});
    QVERIFY2(forgotten.exitCode == 0, forgotten.errors);
    QVERIFY(forgotten.json().at("forgotten").get<bool>());
    const int changed = int(forgotten.json().at("records").size());
    QCOMPARE(matching("is:forgotten"), changed);
    QCOMPARE(matching(""), 30 - changed);
    QCOMPARE(matching(QStringLiteral("is:best record:%1").arg(id)), 0);
    const ProgramResult again = run({"forget", "--db", copy, "3"});
    QVERIFY2(again.output.contains("0 of 1 record forgotten"), again.output);
    const ProgramResult undone = run({"forget", "--undo", "--db", copy, QString::number(id), "3"});
    QVERIFY2(undone.output.contains("records restored"), undone.output);
    QCOMPARE(matching("is:forgotten"), 0);
    QCOMPARE(matching(""), 30);
    QCOMPARE(matching(QStringLiteral("is:best record:%1").arg(id)), 1);
  }

  /// The mode of a task lasts over sessions until it is free again.
  void tasksArePinnedPausedAndFreed() {
    const QString path = folder_.filePath(QStringLiteral("steered.nwdb"));
    const QStringList tune{"tune",
                           "matmul:m=16,n=16,k=16",
                           "matmul:m=32,n=16,k=16",
                           "matmul:m=64,n=16,k=16",
                           "--policy",
                           "random",
                           "--trials-per-round",
                           "4",
                           "--db",
                           path,
                           "--json"};
    const auto trials = [&](const QStringList& more) {
      const ProgramResult result = run(tune + more);
      std::vector<int> made;
      if (result.exitCode != 0) {
        qWarning("%s", result.errors.constData());
        return made;
      }
      const json document = result.json();
      for (const json& task : document.at("tasks"))
        made.push_back(task.at("trials").get<int>());
      return made;
    };
    QCOMPARE(trials({"--trials", "8", "--pin", "1"}), (std::vector<int>{0, 8, 0}));
    QCOMPARE(trials({"--resume", "--trials", "16"}), (std::vector<int>{0, 16, 0}));
    std::vector<int> made =
        trials({"--resume", "--trials", "28", "--free-task", "1", "--pause-task", "0"});
    QCOMPARE(made.size(), std::size_t(3));
    QCOMPARE(made[0], 0);
    QVERIFY(made[2] > 0);
    QCOMPARE(made[1] + made[2], 28);
    made = trials({"--resume", "--trials", "40", "--free-task", "0"});
    QCOMPARE(made.size(), std::size_t(3));
    QVERIFY(made[0] > 0);
  }

  /// A session that learned no cost model says so; it does not print an empty explanation.
  void scoresWithoutAModelCannotBeExplained() {
    const ProgramResult result = run({"show", "--db", database(), "1", "--explain"});
    QCOMPARE(result.exitCode, 1);
    QVERIFY(result.output.isEmpty());
    for (const char* part : {"session 1", "no cost model", "random", "--policy evolutionary"})
      QVERIFY2(result.errors.contains(part), result.errors);
  }

  void scoresAreExplainedByTheirFeatures() {
    const QString path = folder_.filePath(QStringLiteral("learned.nwdb"));
    const ProgramResult tuned =
        run({"tune", "matmul:m=64,n=64,k=64", "--policy", "evolutionary", "--warmup", "12",
             "--trials", "24", "--trials-per-round", "12", "--seed", "1", "--db", path, "--json"});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const QString newest = QStringLiteral("24"); // proposed by the model
    const ProgramResult text = run({"show", "--db", path, newest, "--explain"});
    QVERIFY2(text.exitCode == 0, text.errors);
    for (const char* part : {"score ", "when it was proposed", "added", "before anything is known"})
      QVERIFY2(text.output.contains(part), text.output);

    const json shown = run({"show", "--db", path, newest, "--explain", "--json"}).json();
    const json& explanation = shown.at("explanation");
    QVERIFY(explanation.contains("predicted_before"));
    const json& contributions = explanation.at("contributions");
    QVERIFY(!contributions.empty());
    double sum = explanation.at("bias").get<double>(), last = HUGE_VAL;
    for (const json& contribution : contributions) {
      QVERIFY(!contribution.at("meaning").get<std::string>().empty());
      const double added = contribution.at("added").get<double>();
      QVERIFY(std::abs(added) <= last);
      last = std::abs(added);
      double ofStatements = 0;
      for (const json& statement : contribution.at("statements"))
        ofStatements += statement.at("added").get<double>();
      QVERIFY(std::abs(ofStatements - added) < 1e-6);
      sum += added;
    }
    const double score = explanation.at("score").get<double>();
    QVERIFY2(std::abs(sum - score) < 1e-4, qPrintable(QString::number(sum - score)));
  }

  void twoRecordsAreCompared() {
    const json found =
        run({"query", "--db", database(), "--order", "fastest", "--limit", "30", "--json"}).json();
    const json& records = found.at("records");
    const QString fast = QString::number(records.front().at("id").get<int>());
    const QString other = QString::number(records.at(7).at("id").get<int>());
    const ProgramResult text = run({"show", "--db", database(), other, "--diff", fast, "--steps",
                                    "--loops", "--ir", "--source", "--asm"});
    QVERIFY2(text.exitCode == 0, text.errors);
    for (const char* part :
         {"A: record", "B: record", "B is ", "steps: ", "loops: ", "ir: ", "source: ", "asm: "})
      QVERIFY2(text.output.contains(part), part);
    const json difference =
        run({"show", "--db", database(), other, "--diff", fast, "--json"}).json();
    QVERIFY(difference.at("same_task").get<bool>());
    QVERIFY(difference.at("ratio").get<double>() >= 1);
    QCOMPARE(difference.at("interval").size(), std::size_t(2));
    QVERIFY(difference.at("steps").at("rows").size() > 3);
    const json same = run({"show", "--db", database(), fast, "--diff", fast, "--json"}).json();
    QCOMPARE(same.at("loops").at("summary").get<std::string>(), std::string("no difference"));
    QCOMPARE(same.at("verdict").get<std::string>(), std::string("not significantly different"));
    QCOMPARE(run({"show", "--db", database(), fast, "--diff", "999999"}).exitCode, 1);
    QCOMPARE(run({"show", "--db", database(), fast, "--diff-db", database()}).exitCode, 2);
  }

  void anOperatorInAFileIsTuned() {
    const QString dag = folder_.filePath(QStringLiteral("own.dag"));
    QFile file(dag);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("A = PLACEHOLDER [32, 48]\nB = PLACEHOLDER [48, 40]\n"
               "C(i, j) += (A[i, k]*B[k, j])\nD(i, j) = max(C[i, j], 0f)\n");
    file.close();
    const ProgramResult result = run({"tune", dag, "--trials", "8", "--db",
                                      folder_.filePath(QStringLiteral("own.nwdb")), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(result.json().at("tasks").at(0).at("verified").get<bool>());
  }

  void aFileOfAnotherKindIsLeftAlone() {
    const QString path = folder_.filePath(QStringLiteral("letter.nwdb"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("Dear reader, this is no database.");
    file.close();
    const ProgramResult result = run({"tune", "matmul:m=8,n=8,k=8", "--trials", "2", "--db", path});
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("letter.nwdb"), result.errors);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("Dear reader, this is no database."));
  }

 private:
  QString database() const { return folder_.filePath(QStringLiteral("shared.nwdb")); }

  QTemporaryDir folder_;
  json tuned_;
};

NW_TEST_GUILESS(CommandLine)

} // namespace nestwright::command_line_test

#include "command_line.moc"
