/// Files of a library that were cut, changed or taken from another one: each is refused in a
/// sentence, and nothing reads beyond its end. NESTWRIGHT_DAMAGED_LIBRARIES asks for so many random
/// ones of each kind.

#include "core/deploy/fit_library.h"
#include "core/deploy/manifest.h"
#include "core/support/hash.h"
#include "core/support/json_document.h"
#include "core/support/random.h"
#include "core/target/target.h"
#include "tests/deploy/c_program.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace nestwright::damaged_libraries_test {

using namespace deploy_test;
using nlohmann::json;
using test::messageOf;
using test::says;

/// Opens the network with each file of constants that standard input names.
const QByteArray kOpenEach = R"(
#include "net.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  char path[4096];
  while (fgets(path, sizeof path, stdin)) {
    path[strcspn(path, "\n")] = 0;
    const net_options options = {.weights = path};
    net_instance *instance;
    const int code = net_open(&instance, &options);
    printf("%d %s\n", code, code ? net_error() : "");
    if (code == 0) net_close(instance);
  }
  return 0;
}
)";

int randomCount() {
  const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_DAMAGED_LIBRARIES");
  return wanted > 0 ? wanted : 60;
}

QByteArray withFlippedBit(QByteArray bytes, std::uint64_t bit) {
  const auto at = static_cast<qsizetype>(bit / 8);
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit % 8));
  return bytes;
}

/// Cut at its borders and elsewhere, longer, with bits flipped, and with parts at each other's
/// places.
std::vector<QByteArray> damaged(const QByteArray& whole, const QByteArray& other, Random& random) {
  std::vector<QByteArray> all = {QByteArray(), whole.left(1), whole.chopped(1),
                                 whole + '\0', other,         whole + whole};
  const auto size = static_cast<std::uint64_t>(whole.size());
  for (int i = 0; i < randomCount(); ++i) {
    all.push_back(whole.left(static_cast<qsizetype>(random.below(size))));
    all.push_back(withFlippedBit(whole, random.below(8 * size)));
    QByteArray mixed = whole;
    const auto from = static_cast<qsizetype>(random.below(size));
    mixed.replace(from, 64, other.mid(from, 64));
    all.push_back(mixed);
  }
  std::erase(all, whole);
  return all;
}

class DamagedLibraries : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const char* const flags = "-g -fsanitize=address,undefined -fno-sanitize-recover";
    qputenv("CFLAGS", flags);
    for (const auto& [folder, network] :
         {std::pair("net", "torch_resnet.onnx"), std::pair("other", "torch_mobilenet.onnx")}) {
      const ProgramResult result =
          run({"deploy", QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/") + network, "--name", "net",
               "--allow-naive", "--threads", "serial", "-o", file(folder)});
      QVERIFY2(result.exitCode == 0, result.errors);
    }
    qunsetenv("CFLAGS");
    QVERIFY(write(file("net/each.c"), kOpenEach));
    const ProgramResult built = runIn(
        file("net"), "sh",
        {"-c", QStringLiteral("cc %1 each.c libnet.a -lm -o each").arg(QLatin1String(flags))});
    QVERIFY2(built.exitCode == 0, built.errors);
  }

  void wholeOnesAreTaken() {
    for (const char* folder : {"net", "other"}) {
      const LibraryFit fit = fitOfLibrary(file(folder).toStdString(), machine_);
      QCOMPARE(fit.processor, std::string("native"));
      QVERIFY(fit.missingFiles.empty() && !fit.report.tasks.empty());
      QCOMPARE(fit.report.count(TaskFit::Never), fit.report.tasks.size());
    }
  }

  void constantsAreRefused() {
    const QByteArray whole = contents(file("net/net.weights"));
    Random random(1);
    std::vector<QByteArray> files = damaged(
        whole, contents(file("other/net.weights")).leftJustified(whole.size(), 0, true), random);
    for (std::uint64_t bit = 0; bit < 8 * 64; ++bit) // the header has no byte that says nothing
      files.push_back(withFlippedBit(whole, bit));
    QByteArray names = file("net/net.weights").toUtf8() + '\n' + file("nowhere").toUtf8() + '\n';
    QVERIFY(QDir(folder_.path()).mkdir("weights"));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const QString name = file(QStringLiteral("weights/%1").arg(i));
      QVERIFY(write(name, files[i]));
      names += name.toUtf8() + '\n';
    }
    QVERIFY(write(file("names"), names));
    const ProgramResult opened = runIn(file("net"), "sh", {"-c", "./each < ../names"});
    QVERIFY2(opened.exitCode == 0, opened.errors);
    QByteArrayList lines = opened.output.trimmed().split('\n');
    QCOMPARE(lines.size(), static_cast<qsizetype>(files.size() + 2));
    QCOMPARE(lines.takeFirst().trimmed(), QByteArray("0"));
    QVERIFY2(lines.takeFirst().contains("cannot be opened"), opened.output);
    for (const QByteArray& line : lines)
      QVERIFY2(line.startsWith("2 ") &&
                   (line.contains("checksum is wrong") || line.contains("does not have its")),
               line);
  }

  void manifestsAreRefused() {
    const QString path = file("net/MANIFEST.json");
    const QByteArray whole = contents(path);
    Random random(2);
    std::vector<QByteArray> files = damaged(whole, contents(file("other/MANIFEST.json")), random);
    files.push_back(QByteArray(whole).replace("\": ", "\" : ")); // the same to a reader of JSON
    files.push_back(QByteArray(100'000, '['));
    files.push_back("{\"kind\": \"nestwright library\", \"version\": " + QByteArray(100'000, '[') +
                    QByteArray(100'000, ']') + "}");
    for (const QByteArray& bytes : files) {
      QVERIFY(write(path, bytes));
      const std::string message = refusal("net");
      QVERIFY2(message.find("checksum") != std::string::npos ||
                   message.find("no manifest of a library") != std::string::npos ||
                   message.find("it is no JSON") != std::string::npos ||
                   message.find("nested") != std::string::npos ||
                   message.find("this program reads version 1") != std::string::npos,
               message.c_str());
    }
    const ProgramResult told = run({"fit", file("net")});
    QCOMPARE(told.exitCode, 1);
    QVERIFY2(told.errors.contains("MANIFEST.json"), told.errors);
    QVERIFY(write(path, whole));
    QCOMPARE(run({"fit", file("net")}).exitCode, 0);
  }

  /// By somebody who makes the checksum right again: no sense is made of it, and nothing crashes.
  void manifestsThatSayNonsenseAreRefused() {
    const QString path = file("net/MANIFEST.json");
    const QByteArray bytes = contents(path);
    const json whole = json::parse(bytes.toStdString());
    for (const char* key : {"files", "variants", "subject", "device"})
      for (const json& value :
           {json(nullptr), json(7), json("x"), json::array({1}), json::object()}) {
        json changed = whole;
        changed[key] = value;
        changed.erase("checksum");
        changed["checksum"] = hashHex(documentText(changed));
        QVERIFY(write(path, QByteArray::fromStdString(documentText(changed))));
        const std::string message = refusal("net");
        const bool harmless = value.is_string() && key == std::string("subject");
        QVERIFY2(message.empty() == harmless, (key + value.dump() + message).c_str());
      }
    QVERIFY(write(path, bytes));
  }

  void otherFilesAreRefused() {
    for (const char* name : {"libnet.so", "libnet.a", "net.h", "net.py", "net.weights", "main.c"}) {
      const QString path = file(QStringLiteral("net/") + name);
      const QByteArray whole = contents(path);
      for (const QByteArray& bytes : {withFlippedBit(whole, 8 * 40), whole.chopped(10),
                                      contents(file(QStringLiteral("other/") + name)) + ' '}) {
        QVERIFY(write(path, bytes));
        QVERIFY(
            says(refusal("net"), std::string("net/") + name + " is damaged or another library's"));
      }
      QVERIFY(QFile::remove(path));
      QCOMPARE(fitOfLibrary(file("net").toStdString(), machine_).missingFiles,
               std::vector<std::string>{name});
      QVERIFY(write(path, whole));
    }
    QVERIFY(says(refusal("nowhere"), "cannot be read"));
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }

  std::string refusal(const QString& folder) const {
    return messageOf([&] { fitOfLibrary(file(folder).toStdString(), machine_); });
  }

  QTemporaryDir folder_;
  const TargetFacts machine_ = hostTarget();
};

NW_TEST_GUILESS(DamagedLibraries)

} // namespace nestwright::damaged_libraries_test

#include "damaged_libraries.moc"
