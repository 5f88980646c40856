/// Single operators as libraries: called from C, the answers are those of the definition.

#include "core/deploy/deployment.h"
#include "core/network/execution/stored_values.h"
#include "core/session/run/subject.h"
#include "core/tensor/evaluate.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>

namespace nestwright::deployed_operators_test {

using namespace deploy_test;
using nlohmann::json;

const QString kMatmul = QStringLiteral("matmul:m=48,n=64,k=40");
const QString kConv = QStringLiteral("conv2d:h=14,w=14,ci=16,co=32,k=3");

std::vector<float> values(std::size_t count, float seed) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = std::sin(seed + 0.37F * static_cast<float>(i));
  return all;
}

QByteArray raw(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          static_cast<qsizetype>(values.size() * sizeof(float))};
}

/// The inputs of a subject's operator, and what its definition gives for them.
struct Case {
  std::vector<std::vector<float>> inputs;
  std::vector<double> expected;
};

Case caseOf(const QString& subject) {
  const ComputeDag dag = resolveSubject(subject.toStdString()).tasks.front().dag;
  Case made;
  std::map<std::string, TensorValues> given;
  for (const Op& input : dag.inputs()) {
    made.inputs.push_back(values(static_cast<std::size_t>(input->output->elements()),
                                 static_cast<float>(made.inputs.size())));
    given[input->name()] = TensorValues(made.inputs.back().begin(), made.inputs.back().end());
  }
  const auto results = evaluate(dag, given);
  const TensorValues& output = results.at(dag.outputs().front()->name());
  made.expected.assign(output.begin(), output.end());
  return made;
}

class DeployedOperators : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    for (const QString& subject : {kMatmul, kConv}) {
      const ProgramResult tuned = run({"tune", subject, "--trials", "8", "--trials-per-round", "4",
                                       "--repeats", "1", "--seed", "1", "--db", database()});
      QVERIFY2(tuned.exitCode == 0, tuned.errors);
    }
  }

  void answersAreTheDefinitions_data() {
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("threads");
    for (const char* threads : {"serial", "openmp", "callback"}) {
      QTest::addRow("matmul %s", threads) << kMatmul << threads;
      QTest::addRow("conv2d %s", threads) << kConv << threads;
    }
  }

  void answersAreTheDefinitions() {
    QFETCH(QString, subject);
    QFETCH(QString, threads);
    const QString out = file(QString::fromLatin1(QTest::currentDataTag()).replace(' ', '_'));
    const ProgramResult result = run({"deploy", subject, "--db", database(), "-o", out, "--name",
                                      "op", "--threads", threads, "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const json manifest = result.json().at("libraries").at(0).at("manifest");
    QCOMPARE(manifest.at("coverage").get<double>(), 1.0);
    QCOMPARE(manifest.at("interface").get<std::string>(), std::string("operator"));
    QVERIFY(exportedNames(out + "/libop.so").contains("op"));
    const bool gomp = neededLibraries(out + "/libop.so").contains("libgomp.so.1");
    QVERIFY(!gomp || threads == "openmp");
    const ProgramResult built =
        runIn(out, "cc",
              {"-Wall", "-Werror", "main.c", "-L.", "-lop", "-Wl,-rpath,$ORIGIN", "-o", "main"});
    QVERIFY2(built.exitCode == 0, built.errors);
    const Case wanted = caseOf(subject);
    QStringList arguments = {"-r", "2", "-o", "out.bin"};
    for (const std::vector<float>& input : wanted.inputs) {
      const QString name = QStringLiteral("in%1.bin").arg(arguments.size());
      QVERIFY(write(out + '/' + name, raw(input)));
      arguments << "-i" << name;
    }
    const ProgramResult ran = runIn(out, out + "/main", arguments);
    QVERIFY2(ran.exitCode == 0, ran.errors);
    const QByteArray bytes = contents(out + "/out.bin");
    QCOMPARE(bytes.size(), static_cast<qsizetype>(wanted.expected.size() * sizeof(float)));
    for (std::size_t i = 0; i < wanted.expected.size(); ++i) {
      float got = 0;
      std::memcpy(&got, bytes.data() + i * sizeof got, sizeof got);
      QVERIFY2(std::abs(got - wanted.expected[i]) < 1e-4, qPrintable(QString::number(i)));
    }
    if (!answers_.contains(subject)) answers_[subject] = bytes;
    QCOMPARE(bytes, answers_[subject]); // whoever runs the loops
  }

  /// What changes between calls is taken as it is.
  void nothingIsPackedThatIsNoConstant() {
    const ProgramResult result = run({"deploy", "matmul:m=48,n=64,k=40,const_b=0", "--allow-naive",
                                      "-o", file("plain"), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const json told = result.json();
    for (const json& input : told.at("libraries").at(0).at("manifest").at("inputs"))
      QVERIFY(input.at("packed").is_null());
    QCOMPARE(exportedNames(file("plain/libmatmul.so")),
             (QStringList{"__tvm_ffi_matmul", "matmul", "matmul_check", "matmul_error",
                          "matmul_processor", "matmul_tuned", "matmul_workspace_bytes"}));
  }

  /// Each in a folder of its own; code for an older processor has no more than it says.
  void severalSubjectsAndOlderProcessors() {
    const ProgramResult result =
        run({"deploy", kMatmul, kConv, "--allow-naive", "--cpu", "x86-64-v2", "--db", database(),
             "-o", file("both"), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    for (const char* name : {"matmul", "conv2d"}) {
      const QString library = file(QStringLiteral("both/%1/lib%1.so").arg(name));
      QVERIFY(QFile::exists(library));
      const ProgramResult code = runIn("/", "objdump", {"-d", library});
      QVERIFY(code.output.contains("%xmm"));
      QVERIFY(!code.output.contains("%ymm") && !code.output.contains("%zmm"));
    }
    const json variant = result.json().at("libraries").at(0).at("manifest").at("variants").at(0);
    QCOMPARE(variant.at("processor").get<std::string>(), std::string("x86-64-v2"));
    // Records of the whole processor are another target's.
    QCOMPARE(variant.at("tasks").at(0).at("origin").get<std::string>(),
             std::string("tuned elsewhere"));
    QVERIFY(variant.at("tasks").at(0).at("record").is_null());
  }

  /// Records of a smaller instruction set are for the processors that it stands for, and fit here
  /// as well.
  void recordsOfAnOlderProcessorAreItsOwn() {
    const QString subject = "matmul:m=24,n=32,k=16";
    const ProgramResult tuned = run({"tune", subject, "--isa", "sse4.2", "--trials", "4",
                                     "--repeats", "1", "--seed", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    const json fit = run({"fit", subject, "--db", database(), "--json"}).json();
    QCOMPARE(fit.at("compatible").get<int>(), 1);
    QVERIFY(fit.at("tasks").at(0).at("target").get<std::string>().find("-isa=sse4.2") !=
            std::string::npos);
    QCOMPARE(run({"fit", subject, "--db", database(), "--require-tuned", "100%"}).exitCode, 1);
    QCOMPARE(
        run({"fit", subject, "--db", database(), "--cpu", "x86-64-v2", "--require-tuned", "100%"})
            .exitCode,
        0);
    const ProgramResult result = run(
        {"deploy", subject, "--cpu", "x86-64-v2", "--db", database(), "-o", file("old"), "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    const json variant = result.json().at("libraries").at(0).at("manifest").at("variants").at(0);
    QCOMPARE(variant.at("tasks").at(0).at("program").get<std::string>(), std::string("tuned"));
    const ProgramResult code = runIn("/", "objdump", {"-d", file("old/libmatmul.so")});
    QVERIFY(code.output.contains("%xmm") && !code.output.contains("%ymm"));
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }
  QString database() const { return file("operators.nwdb"); }

  QTemporaryDir folder_;
  QMap<QString, QByteArray> answers_;
};

NW_TEST_GUILESS(DeployedOperators)

} // namespace nestwright::deployed_operators_test

#include "deployed_operators.moc"
