/// Every operator and three networks, tuned, taken away and run with all C code of ours compiled
/// with the address and undefined-behaviour sanitizers: what is around the kernels, what runs them,
/// and the kernels written as C, on arrays that end where they end.
/// `packaging/dev sanitize address -R sanitized_libraries` has the program itself sanitized, too.

#include "core/network/graph/workloads.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::sanitized_libraries_test {

using namespace deploy_test;
using nlohmann::json;

const char* const kFlags = "-g -fsanitize=address,undefined -fno-sanitize-recover";

/// Small, and such that no extent fits the tiles of its neighbours too well.
const QMap<QString, QString> kSizes = {{"matmul", "m=17,n=33,k=20,bias=1"},
                                       {"batch_matmul", "b=3,m=10,n=12,k=9"},
                                       {"conv1d", "l=19,ci=6,co=10,k=3,s=2,p=1"},
                                       {"conv2d", "h=9,w=7,ci=5,co=12,k=3,relu=1"},
                                       {"conv3d", "d=4,h=5,w=6,ci=4,co=6,k=3"},
                                       {"depthwise_conv2d", "h=9,w=11,c=6,k=3,s=2,p=1"},
                                       {"grouped_conv2d", "h=8,w=8,ci=8,co=12,k=3,g=4"},
                                       {"dilated_conv2d", "h=10,w=9,ci=4,co=6,k=3,dil=2"},
                                       {"transposed_conv2d", "h=4,w=5,ci=6,co=4,k=4,s=2,p=1"},
                                       {"softmax", "m=7,n=30"},
                                       {"norm", "b=2,m=9,n=14"}};

/// Calls the kernel in k.c on arrays of their own sizes, whose ends the sanitizer watches.
QByteArray callOf(const QByteArray& source, const json& manifest) {
  static const QRegularExpression signature("^void (\\w+)\\(([^)]*)\\) \\{",
                                            QRegularExpression::MultilineOption);
  QRegularExpressionMatch last; // the kernel stands behind the functions that pack
  auto all = signature.globalMatch(QString::fromUtf8(source));
  while (all.hasNext())
    last = all.next();
  QStringList arguments;
  QByteArray body;
  const auto add = [&](const json& tensor) {
    const QString name = QStringLiteral("a%1").arg(arguments.size());
    body += QStringLiteral("  void *%1 = calloc(1, %2);\n")
                .arg(name)
                .arg(tensor.at("bytes").get<qint64>())
                .toUtf8();
    arguments << name;
  };
  for (const char* kind : {"inputs", "outputs"})
    for (const json& tensor : manifest.at(kind))
      add(tensor);
  const QString parameters = last.captured(2);
  const json& variant = manifest.at("variants").at(0);
  if (parameters.contains("void *workspace")) {
    const qint64 bytes = variant.at("workspace_bytes").get<qint64>() +
                         2 * variant.at("thread_workspace_bytes").get<qint64>();
    body +=
        QStringLiteral("  void *workspace;\n  if (posix_memalign(&workspace, 64, %1)) return 1;\n")
            .arg(bytes)
            .toUtf8();
    arguments << "workspace";
  }
  if (parameters.contains("int threads")) arguments << "2";
  return "#include \"k.c\"\n#include <stdlib.h>\nint main(void) {\n" + body + "  " +
         (last.captured(1) + "(" + arguments.join(", ") + ");\n  return 0;\n}\n").toUtf8();
}

class SanitizedLibraries : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    // Libraries lie in memory until the process ends, and so do OpenMP's threads.
    qputenv("ASAN_OPTIONS", qgetenv("ASAN_OPTIONS") + ":detect_leaks=0");
  }

  void cleanup() { qunsetenv("CFLAGS"); }

  void itRunsClean_data() {
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QStringList>("options");
    const QStringList threads = {"openmp", "serial", "callback"};
    int number = 0;
    for (const WorkloadInfo& workload : workloads()) {
      const QString name = QString::fromStdString(workload.name);
      QVERIFY2(kSizes.contains(name), workload.name.c_str());
      QTest::addRow("%s", workload.name.c_str())
          << name + ':' + kSizes[name] << QStringList{"--threads", threads[number++ % 3]};
    }
    QTest::addRow("winograd") << "conv2d:h=9,w=7,ci=5,co=12,k=3,winograd=2"
                              << QStringList{"--threads", "openmp"};
    const QString models = NESTWRIGHT_TEST_DATA "/onnx/";
    QTest::addRow("torch_resnet") << models + "torch_resnet.onnx" << QStringList{"--onnxruntime"};
    QTest::addRow("torch_mobilenet")
        << models + "torch_mobilenet.onnx" << QStringList{"--threads", "callback"};
    QTest::addRow("torch_encoder") << models + "torch_encoder.onnx" << QStringList{"--embed"};
  }

  void itRunsClean() {
    QFETCH(QString, subject);
    QFETCH(QStringList, options);
    const QString tag = QString::fromLatin1(QTest::currentDataTag()), out = file(tag);
    const QString database = file(tag + ".nwdb");
    const ProgramResult tuned =
        run({"tune", subject, "--trials", "2", "--trials-per-round", "2", "--repeats", "1",
             "--alternatives", "off", "--seed", "1", "--db", database});
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
    qputenv("CFLAGS", kFlags);
    const ProgramResult deployed =
        run(QStringList{"deploy", subject, "--db", database, "--allow-naive", "--name", "it", "-o",
                        out, "--json"} +
            options);
    QVERIFY2(deployed.exitCode == 0, deployed.errors);
    const bool network = tag.startsWith("torch_") && !options.contains("callback");
    builds(out, options.contains("openmp") || network ? "main.c libit.a -lm -lgomp -o main"
                                                      : "main.c libit.a -lm -o main");
    runs(out);
    const json manifest = deployed.json().at("libraries").at(0).at("manifest");
    if (manifest.at("interface") != "operator") return;
    const json record = manifest.at("variants").at(0).at("tasks").at(0).at("record");
    QVERIFY2(record.is_number(), "no program of it was right");
    const ProgramResult source = run({"show", QString::number(record.get<int>()), "--db", database,
                                      "--emit", "c", "-o", out + "/k.c"});
    QVERIFY2(source.exitCode == 0, source.errors);
    QVERIFY(write(out + "/call.c", callOf(contents(out + "/k.c"), manifest)));
    builds(out, "-std=gnu11 -O1 -march=native -fopenmp call.c -lm -o main");
    runs(out);
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }

  static void builds(const QString& folder, const QString& arguments) {
    const ProgramResult built = runIn(
        folder, "sh", {"-c", QStringLiteral("cc %1 %2").arg(QLatin1String(kFlags), arguments)});
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  static void runs(const QString& folder) {
    const ProgramResult ran = runIn(folder, folder + "/main", {});
    QVERIFY2(ran.exitCode == 0, ran.errors);
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(SanitizedLibraries)

} // namespace nestwright::sanitized_libraries_test

#include "sanitized_libraries.moc"
