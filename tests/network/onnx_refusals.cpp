/// \file Models that cannot work: what is said about them, and that nothing else happens.

#include "core/network/executor.h"
#include "core/network/onnx_import.h"
#include "core/support/error.h"
#include "tests/network/onnx_model.h"

#include <sys/stat.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>
#include <random>

using namespace nestwright;

namespace {

/// The message with which something is refused; empty when it is not.
template <class F>
QString refusal(const F& f) {
  try {
    f();
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

using Build = std::function<void(Model&)>;

} // namespace

Q_DECLARE_METATYPE(Build)

class OnnxRefusals : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nodesAtFaultAreNamed_data();
  void nodesAtFaultAreNamed();
  void externalWeightsAreRead();
  void externalWeightsMustBeThere_data();
  void externalWeightsMustBeThere();
  void externalWeightsAreRegularFiles_data();
  void externalWeightsAreRegularFiles();
  void weightsInAFolderBesideAreRead();
  void modelsBeyondTheFormatsLimitAreRefused();
  void foldersAreRefused();
  void pipesAreRefused();
  void damagedFilesAreRefusedOrRead();
};

// The message begins with the node's name and the operator that the file calls it.
void OnnxRefusals::nodesAtFaultAreNamed_data() {
  QTest::addColumn<Build>("build");
  QTest::addColumn<QStringList>("mentions");
  const auto row = [](const char* name, const QStringList& mentions, const Build& build) {
    QTest::newRow(name) << build << mentions;
  };
  row("cycle", {"node 'first' (Add)", "node 'second' (Relu)", "cycle"}, [](Model& m) {
    m.node("first", "Add", {"x", "b"}, "a");
    m.node("second", "Relu", {"a"}, "b");
    m.node("third", "Relu", {"b"}, "out");
  });
  row("cycle of one node", {"node 'self' (Add)", "cycle"}, [](Model& m) {
    m.node("self", "Add", {"x", "out"}, "out");
  });
  row("unknown operator",
      {"node 'odd' (Unique)", "not supported, nor are Det, NonZero of", "--onnx"}, [](Model& m) {
        m.node("odd", "Unique", {"x"}, "out");
        m.node("known", "Relu", {"x"}, "a");
        m.node("other", "Det", {"a"}, "b");
        m.node("another", "NonZero", {"a"}, "c");
      });
  row("add", {"node 'sum' (Add)", "[2, 3]", "[2, 4]"}, [](Model& m) {
    m.filled("w", {2, 4});
    m.node("sum", "Add", {"x", "w"}, "out");
  });
  row("matrix product", {"node 'product' (MatMul)", "inner extents", "[4, 5]"}, [](Model& m) {
    m.filled("w", {4, 5});
    m.node("product", "MatMul", {"x", "w"}, "out");
  });
  row("dense layer", {"node 'dense' (Gemm)", "inner extents"}, [](Model& m) {
    m.filled("w", {4, 5});
    m.node("dense", "Gemm", {"x", "w"}, "out");
  });
  row("convolution", {"node 'window' (Conv)", "dimensions"}, [](Model& m) {
    m.filled("w", {1, 3, 3, 3});
    m.node("window", "Conv", {"x", "w"}, "out");
  });
  row("reshape", {"node 'turn' (Reshape)", "[4, 2]", "[2, 3]"}, [](Model& m) {
    m.integers("s", {4, 2});
    m.node("turn", "Reshape", {"x", "s"}, "out");
  });
  row("endless reshape", {"node 'turn' (Reshape)", "no tensor has the shape"}, [](Model& m) {
    m.integers("s", {20, std::numeric_limits<std::int64_t>::min() / 2 + 4, -1});
    m.node("turn", "Reshape", {"x", "s"}, "out");
  });
  row("concatenation", {"node 'join' (Concat)"}, [](Model& m) {
    m.filled("w", {5, 4});
    integer(m.node("join", "Concat", {"x", "w"}, "out"), "axis", 0);
  });
  row("constant zero", {"node 'ratio' (Div)", "zero"}, [](Model& m) {
    m.integers("a", {4, 2});
    m.integers("b", {1, 0});
    m.node("ratio", "Div", {"a", "b"}, "c");
    integer(m.node("convert", "Cast", {"c"}, "out"), "to", onnx::TensorProto::FLOAT);
  });
}

void OnnxRefusals::nodesAtFaultAreNamed() {
  QFETCH(Build, build);
  QFETCH(QStringList, mentions);
  Model model;
  build(model);
  const QString message = refusal([&] { importOnnxBytes(model.bytes(), "test"); });
  for (const QString& text : mentions)
    QVERIFY2(message.contains(text), qPrintable(message));
  QVERIFY2(message.startsWith("node '"), qPrintable(message));
}

void OnnxRefusals::externalWeightsAreRead() {
  const QTemporaryDir folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::string bytes(16 + values.size() * sizeof(float), 'x');
  std::memcpy(bytes.data() + 16, values.data(), values.size() * sizeof(float));
  write(folder.filePath("weights.bin"), bytes + "rest");
  for (const bool stated : {true, false}) {
    Model model;
    std::map<std::string, std::string> entries{{"location", "weights.bin"}, {"offset", "16"}};
    if (stated) entries["length"] = "24";
    model.external("w", entries);
    model.node("sum", "Add", {"x", "w"}, "out");
    const QString path = folder.filePath("model.onnx");
    write(path, model.bytes());
    const Network network = importOnnx(path.toStdString());
    const Array ones{{2, 3}, std::vector<float>(6, 1)};
    const std::vector<Array> outputs = interpret(partition(network), {ones});
    QVERIFY((outputs[0].floats() == std::vector<float>{2, 3, 4, 5, 6, 7}));
  }
}

void OnnxRefusals::externalWeightsMustBeThere_data() {
  using Entries = std::map<std::string, std::string>;
  QTest::addColumn<Entries>("entries");
  QTest::addColumn<QStringList>("mentions");
  const auto row = [](const char* name, const Entries& entries, const QStringList& mentions) {
    QTest::newRow(name) << entries << mentions;
  };
  row("missing", {{"location", "absent.bin"}}, {"absent.bin", "cannot be read", "beside"});
  row("a folder", {{"location", "."}}, {"cannot be read"});
  row("no location", {}, {"not beside the model"});
  row("elsewhere", {{"location", "/etc/passwd"}}, {"/etc/passwd", "not beside the model"});
  row("above", {{"location", "../weights.bin"}}, {"../weights.bin", "not beside the model"});
  row("above, hidden", {{"location", std::string("..\0x/weights.bin", 16)}},
      {"not beside the model"});
  row("offset beyond the end", {{"location", "weights.bin"}, {"offset", "4000"}},
      {"too short", "24 bytes from byte 4000", "cut off"});
  row("offset near the end", {{"location", "weights.bin"}, {"offset", "20"}},
      {"too short", "24 bytes from byte 20"});
  row("huge offset", {{"location", "weights.bin"}, {"offset", "9223372036854775807"}},
      {"too short"});
  row("negative offset", {{"location", "weights.bin"}, {"offset", "-4"}}, {"'-4'"});
  row("offset in words", {{"location", "weights.bin"}, {"offset", "four"}}, {"'four'"});
  row("other length", {{"location", "weights.bin"}, {"length", "20"}},
      {"20 bytes", "[2, 3]", "24"});
  row("huge length", {{"location", "weights.bin"}, {"length", "9223372036854775807"}},
      {"9223372036854775807 bytes", "24"});
}

void OnnxRefusals::externalWeightsMustBeThere() {
  using Entries = std::map<std::string, std::string>;
  QFETCH(Entries, entries);
  QFETCH(QStringList, mentions);
  const QTemporaryDir folder;
  write(folder.filePath("weights.bin"), std::string(40, '\0'));
  Model model;
  model.external("kernel", entries);
  model.node("sum", "Add", {"x", "kernel"}, "out");
  const QString path = folder.filePath("model.onnx");
  write(path, model.bytes());
  const QString message = refusal([&] { importOnnx(path.toStdString()); });
  QVERIFY2(message.contains("model.onnx") && message.contains("'kernel'"), qPrintable(message));
  for (const QString& text : mentions)
    QVERIFY2(message.contains(text), qPrintable(message));
}

// A link would read a file from elsewhere, a pipe would wait for ever.
void OnnxRefusals::externalWeightsAreRegularFiles_data() {
  QTest::addColumn<QString>("location");
  QTest::addColumn<QStringList>("mentions");
  const auto row = [](const char* name, const QString& location, const QStringList& mentions) {
    QTest::newRow(name) << location << mentions;
  };
  row("a link", "link.bin", {"link.bin", "symbolic link", "put the file itself"});
  row("a link on the way", "elsewhere/weights.bin", {"'elsewhere'", "symbolic link"});
  row("a link to nothing", "dangling.bin", {"symbolic link"});
  row("a pipe", "pipe.bin", {"pipe.bin", "no regular file"});
  row("a folder", "folder", {"no regular file"});
  row("a file as a folder", "weights.bin/weights.bin", {"cannot be read", "Not a directory"});
}

void OnnxRefusals::externalWeightsAreRegularFiles() {
  QFETCH(QString, location);
  QFETCH(QStringList, mentions);
  const QTemporaryDir outside, folder;
  write(outside.filePath("weights.bin"), std::string(24, '\0'));
  write(folder.filePath("weights.bin"), std::string(24, '\0'));
  QVERIFY(QFile::link(outside.filePath("weights.bin"), folder.filePath("link.bin")));
  QVERIFY(QFile::link(outside.path(), folder.filePath("elsewhere")));
  QVERIFY(QFile::link("absent.bin", folder.filePath("dangling.bin")));
  QVERIFY(QDir(folder.path()).mkdir("folder"));
  QCOMPARE(mkfifo(qPrintable(folder.filePath("pipe.bin")), 0600), 0);
  Model model;
  model.external("kernel", {{"location", location.toStdString()}});
  model.node("sum", "Add", {"x", "kernel"}, "out");
  const QString path = folder.filePath("model.onnx");
  write(path, model.bytes());
  const QString message = refusal([&] { importOnnx(path.toStdString()); });
  QVERIFY2(message.contains("model.onnx") && message.contains("'kernel'"), qPrintable(message));
  for (const QString& text : mentions)
    QVERIFY2(message.contains(text), qPrintable(message));
}

// Also when the model is reached through a link, since that one the person named.
void OnnxRefusals::weightsInAFolderBesideAreRead() {
  const QTemporaryDir folder, links;
  QVERIFY(QDir(folder.path()).mkpath("a/b"));
  write(folder.filePath("a/b/weights.bin"), std::string(24, '\0'));
  Model model;
  model.external("w", {{"location", "a/./b/weights.bin"}});
  model.node("sum", "Add", {"x", "w"}, "out");
  write(folder.filePath("model.onnx"), model.bytes());
  QVERIFY(QFile::link(folder.path(), links.filePath("models")));
  const Network network = importOnnx(links.filePath("models/model.onnx").toStdString());
  QCOMPARE(network.nodes.size(), std::size_t(1));
}

// A sparse file: nothing of it is read.
void OnnxRefusals::modelsBeyondTheFormatsLimitAreRefused() {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("large.onnx").toStdString();
  std::ofstream(path).put('\b');
  std::filesystem::resize_file(path, std::uintmax_t{1} << 31);
  const QString message = refusal([&] { importOnnx(path); });
  for (const char* text : {"large.onnx", "2 GiB", "external data"})
    QVERIFY2(message.contains(text), qPrintable(message));
}

void OnnxRefusals::foldersAreRefused() {
  const QTemporaryDir folder;
  const QString message = refusal([&] { importOnnx(folder.path().toStdString()); });
  QVERIFY2(message.contains("is a folder"), qPrintable(message));
}

void OnnxRefusals::pipesAreRefused() {
  const QTemporaryDir folder;
  const QString path = folder.filePath("pipe.onnx");
  QCOMPARE(mkfifo(qPrintable(path), 0600), 0);
  const QString message = refusal([&] { importOnnx(path.toStdString()); });
  QVERIFY2(message.contains("pipe.onnx") && message.contains("no regular file"),
           qPrintable(message));
}

// The fuzz target of tests/fuzz in small: whatever is done to a file, it is read or refused.
void OnnxRefusals::damagedFilesAreRefusedOrRead() {
  std::ifstream file(NESTWRIGHT_TEST_DATA "/onnx/elementwise.onnx", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  QVERIFY(whole.size() > 500);
  std::mt19937 random(4);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, random() % 8);
        break;
      default:
        bytes.insert(at, random() % 8, static_cast<char>(random()));
      }
    }
    refused += refusal([&] { importOnnxBytes(bytes, "damaged"); }).isEmpty() ? 0 : 1;
  }
  QVERIFY2(refused > 100 && refused < 400, qPrintable(QString::number(refused)));
}

QTEST_APPLESS_MAIN(OnnxRefusals)
#include "onnx_refusals.moc"
