/// Libraries with code for several kinds of processors: each variant answers as a library of its
/// own does, to the bit, and takes only what is its own.

#include "core/deploy/deploy_options.h"
#include "core/network/execution/executor.h"
#include "core/network/execution/stored_values.h"
#include "core/network/zoo/zoo.h"
#include "core/target/instruction_set.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::several_processors_test {

using namespace deploy_test;
using nlohmann::json;

const QString kMatmul = QStringLiteral("matmul:m=48,n=64,k=40");
const QString kNetwork = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");

/// What the library says of itself.
const QByteArray kAsk = R"(
#include "it.h"
#include <stdio.h>
int main(void) { printf("%d %s %zu\n", it_check(), it_processor(), it_workspace_bytes(3)); }
)";

QByteArray inputOf(const Network& network) {
  const Array values = randomInputs(network, 1).front();
  QByteArray bytes(elementCount(values.shape) * 4, '\0');
  storeValues(values, kFloat32, bytes.data());
  return bytes;
}

class SeveralProcessors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const TargetFacts machine = hostTarget();
    for (const InstructionSet set :
         {InstructionSet::Avx512, InstructionSet::Avx2, InstructionSet::Sse42})
      if (canRun(machine, set) && processors_.size() < 2) {
        processors_ << processorName(set);
        tune(kMatmul, name(set), "8");
        tune(kNetwork, name(set), "24");
      }
    if (processors_.size() < 2) QSKIP("this processor can run one level of x86-64 alone");
    input_ = inputOf(parseNetworkSpec(kNetwork.toStdString()));
  }

  void cleanup() { qunsetenv("it_CPU"); }

  void variantsAnswerAsTheirOwnLibraries_data() {
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QStringList>("options");
    QTest::addRow("operator") << kMatmul << QStringList{"--threads", "serial"};
    QTest::addRow("network") << kNetwork << QStringList{};
    QTest::addRow("embedded") << kNetwork << QStringList{"--embed", "--threads", "serial"};
  }

  void variantsAnswerAsTheirOwnLibraries() {
    QFETCH(QString, subject);
    QFETCH(QStringList, options);
    const QString tag = QTest::currentDataTag();
    const json manifest = deploy(subject, tag, processors_.join(','), options);
    QCOMPARE(manifest.at("variants").size(), 2U);
    for (int v = 0; v < 2; ++v) {
      const json& variant = manifest.at("variants").at(static_cast<std::size_t>(v));
      QCOMPARE(variant.at("processor").get<std::string>(), processors_[v].toStdString());
      const QString alone = tag + "_" + processors_[v];
      const json single = deploy(subject, alone, processors_[v], options);
      QCOMPARE(variant.at("tasks"), single.at("variants").at(0).at("tasks"));
      QVERIFY(variant.at("coverage").get<double>() > 0);
      qputenv("it_CPU", processors_[v].toUtf8());
      const ProgramResult both = answer(tag), one = answer(alone);
      QVERIFY2(both.exitCode == 0 && one.exitCode == 0, both.errors + one.errors);
      QVERIFY2(both.output.contains("code for " + processors_[v].toUtf8()), both.output);
      QVERIFY(!contents(file(tag + "/out.bin")).isEmpty());
      QCOMPARE(contents(file(tag + "/out.bin")), contents(file(alone + "/out.bin")));
    }
    // By itself the larger one is taken; on a processor that fits none nothing runs.
    qunsetenv("it_CPU");
    QVERIFY(answer(tag).output.contains("code for " + processors_.first().toUtf8()));
    qputenv("it_CPU", "x86-64");
    const ProgramResult refused = answer(tag);
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.errors.contains("it is for " + processors_.join(", ").toUtf8()),
             refused.errors);
  }

  /// Memory is what the chosen one needs.
  void theLibrarySaysWhichItTook() {
    const json manifest = deploy(kMatmul, "told", processors_.join(','), {});
    QVERIFY(write(file("told/ask.c"), kAsk));
    compile("told", {"ask.c", "-L.", "-lit", "-Wl,-rpath,$ORIGIN", "-o", "ask"});
    for (const json& variant : manifest.at("variants")) {
      const std::string processor = variant.at("processor");
      qputenv("it_CPU", QByteArray::fromStdString(processor));
      const auto bytes = variant.at("workspace_bytes").get<std::int64_t>() +
                         3 * variant.at("thread_workspace_bytes").get<std::int64_t>();
      QCOMPARE(runIn(file("told"), file("told/ask"), {}).output,
               QByteArray::fromStdString(fmt::format("0 {} {}\n", processor, bytes)));
    }
    qputenv("it_CPU", "x86-64");
    QCOMPARE(runIn(file("told"), file("told/ask"), {}).output, QByteArray("1  0\n"));
  }

  /// What a variant does not read does not stop it.
  void damagedConstantsStopTheVariantsThatReadThem() {
    const json manifest = deploy(kNetwork, "spoilt", processors_.join(','), {});
    const QString path = file("spoilt/it.weights");
    const QByteArray whole = contents(path);
    QCOMPARE(answer("spoilt").exitCode, 0);
    const QByteArray expected = contents(file("spoilt/out.bin"));
    const json& parts = manifest.at("weights").at("parts");
    std::int64_t end = 64;
    for (const json& part : parts) {
      QCOMPARE(part.at("offset").get<std::int64_t>(), end);
      end += part.at("bytes").get<std::int64_t>();
      QByteArray flipped = whole;
      char& last = flipped.data()[end - 1];
      last = static_cast<char>(last ^ 0x40);
      QFile::remove(path);
      QVERIFY(write(path, flipped));
      const std::vector<std::string> readers = part.at("processors");
      for (const QString& processor : processors_) {
        qputenv("it_CPU", processor.toUtf8());
        const ProgramResult ran = answer("spoilt");
        const bool reads = std::ranges::find(readers, processor.toStdString()) != readers.end();
        QCOMPARE(ran.exitCode, reads ? 1 : 0);
        QCOMPARE(ran.errors.contains("checksum is wrong"), reads);
      }
    }
    QCOMPARE(end, whole.size());
    QFile::remove(path);
    QVERIFY(write(path, whole.left(whole.size() - 64)));
    QVERIFY(answer("spoilt").errors.contains("does not have its"));
    QFile::remove(path);
    QVERIFY(write(path, whole));
    qunsetenv("it_CPU");
    QCOMPARE(answer("spoilt").exitCode, 0);
    QCOMPARE(contents(file("spoilt/out.bin")), expected);
  }

  /// Each is asked for its records.
  void aProcessorWithoutRecordsIsNamed() {
    const QString subject = "matmul:m=24,n=32,k=16";
    tune(subject, processors_.first() == "x86-64-v4" ? "avx512" : "avx2", "4");
    const QStringList wish = {"deploy", subject,      "--db",  database(),
                              "-o",     file("half"), "--cpu", processors_.join(',')};
    const ProgramResult refused = run(wish);
    QCOMPARE(refused.exitCode, 1);
    const QByteArray lacking = "-mcpu=" + processors_.last().toUtf8();
    QVERIFY2(refused.errors.contains("no verified record for 1 of 1 task on llvm") &&
                 refused.errors.contains(lacking) && !QFile::exists(file("half")),
             refused.errors);
    QVERIFY2(!refused.errors.contains("-mcpu=" + processors_.first().toUtf8()), refused.errors);
    const ProgramResult allowed = run(wish + QStringList{"--allow-naive", "--json"});
    QVERIFY2(allowed.exitCode == 0, allowed.errors);
    const json manifest = allowed.json().at("libraries").at(0).at("manifest");
    QCOMPARE(manifest.at("coverage").get<double>(), 0.0); // of the one with the least
    QCOMPARE(manifest.at("variants").at(0).at("coverage").get<double>(), 1.0);
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }
  QString database() const { return file("several.nwdb"); }

  void tune(const QString& subject, const QString& set, const QString& trials) const {
    const ProgramResult tuned =
        run({"tune", subject, "--isa", set, "--trials", trials, "--trials-per-round", "4",
             "--repeats", "1", "--seed", "1", "--db", database()});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
  }

  /// The manifest of the library, which has the example built and its input beside it.
  json deploy(const QString& subject, const QString& folder, const QString& processors,
              const QStringList& options) const {
    const ProgramResult result =
        run(QStringList{"deploy", subject, "--db", database(), "-o", file(folder), "--name", "it",
                        "--cpu", processors, "--allow-naive", "--json"} +
            options);
    if (result.exitCode != 0) {
      QTest::qFail(result.errors, __FILE__, __LINE__);
      return {};
    }
    compile(folder, {"-O1", "main.c", "-L.", "-lit", "-Wl,-rpath,$ORIGIN", "-o", "main"});
    write(file(folder + "/in.bin"), input_);
    return result.json().at("libraries").at(0).at("manifest");
  }

  /// Of a network for its input, of an operator for what the example makes up.
  ProgramResult answer(const QString& folder) const {
    QStringList arguments = {"-r", "1", "-o", "out.bin"};
    if (contents(file(folder + "/it.h")).contains("it_open"))
      arguments << "-i"
                << "in.bin";
    return runIn(file(folder), file(folder + "/main"), arguments);
  }

  void compile(const QString& folder, const QStringList& arguments) const {
    const ProgramResult built =
        runIn(file(folder), "cc", QStringList{"-Wall", "-Werror"} + arguments);
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  QTemporaryDir folder_;
  QStringList processors_; // the larger one first
  QByteArray input_;
};

NW_TEST_GUILESS(SeveralProcessors)

} // namespace nestwright::several_processors_test

#include "several_processors.moc"
