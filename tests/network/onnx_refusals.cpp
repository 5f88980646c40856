/// \file Models that cannot work: what is said about them, and that nothing else happens.

#include "core/network/execution/executor.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/onnx/onnx_survey.h"
#include "core/support/error.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>
#include <random>

namespace nestwright::onnx_refusals_test {

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

void requireMentions(const QString& message, const QStringList& texts) {
  for (const QString& text : texts)
    QVERIFY2(message.contains(text), qPrintable(message));
}

using Build = std::function<void(Model&)>;
using Entries = std::map<std::string, std::string>; // of external data

/// What is said against a model in the folder that adds weights 'kernel' from elsewhere.
QString refusalOfWeights(const QTemporaryDir& folder, const Entries& entries) {
  Model model;
  model.external("kernel", entries);
  model.node("sum", "Add", {"x", "kernel"}, "out");
  const QString path = folder.filePath("model.onnx");
  writeBytes(path, model.bytes());
  return refusal([&] { importOnnx(path.toStdString()); });
}

/// What is said against a model in memory.
QString refusalOfModel(const Build& build) {
  Model model;
  build(model);
  return refusal([&] { importOnnxBytes(model.bytes(), "test"); });
}

/// Columns of a test of such models, and a row: what to build, and what is to be said of it.
void addBuilds() {
  QTest::addColumn<Build>("build");
  QTest::addColumn<QStringList>("mentions");
}
void addBuild(const char* name, const QStringList& mentions, const Build& build) {
  QTest::newRow(name) << build << mentions;
}

class OnnxRefusals : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nodesAtFaultAreNamed_data();
  void nodesAtFaultAreNamed();
  void allUnsupportedOperatorsAreListed();
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
  void constantsFromNothingAreBounded_data();
  void constantsFromNothingAreBounded();
  void sharedConstantsAreMadeOnce();
  void unreadableModelsEndQuickly_data();
  void unreadableModelsEndQuickly();
};

// The message begins with the node's name and the operator that the file calls it.
void OnnxRefusals::nodesAtFaultAreNamed_data() {
  addBuilds();
  addBuild("cycle", {"node 'first' (Add)", "node 'second' (Relu)", "cycle"}, [](Model& m) {
    m.node("first", "Add", {"x", "b"}, "a");
    m.node("second", "Relu", {"a"}, "b");
    m.node("third", "Relu", {"b"}, "out");
  });
  addBuild("cycle of one node", {"node 'self' (Add)", "cycle"}, [](Model& m) {
    m.node("self", "Add", {"x", "out"}, "out");
  });
  addBuild("unknown operator",
           {"node 'odd' (Unique)", "not supported, nor are Det, NonZero of", "--onnx"},
           [](Model& m) {
             m.node("odd", "Unique", {"x"}, "out");
             m.node("known", "Relu", {"x"}, "a");
             m.node("other", "Det", {"a"}, "b");
             m.node("another", "NonZero", {"a"}, "c");
           });
  addBuild("add", {"node 'sum' (Add)", "[2, 3]", "[2, 4]"}, [](Model& m) {
    m.filled("w", {2, 4});
    m.node("sum", "Add", {"x", "w"}, "out");
  });
  addBuild("matrix product", {"node 'product' (MatMul)", "inner extents", "[4, 5]"}, [](Model& m) {
    m.filled("w", {4, 5});
    m.node("product", "MatMul", {"x", "w"}, "out");
  });
  addBuild("dense layer", {"node 'dense' (Gemm)", "inner extents"}, [](Model& m) {
    m.filled("w", {4, 5});
    m.node("dense", "Gemm", {"x", "w"}, "out");
  });
  addBuild("convolution", {"node 'window' (Conv)", "dimensions"}, [](Model& m) {
    m.filled("w", {1, 3, 3, 3});
    m.node("window", "Conv", {"x", "w"}, "out");
  });
  addBuild("reshape", {"node 'turn' (Reshape)", "[4, 2]", "[2, 3]"}, [](Model& m) {
    m.integers("s", {4, 2});
    m.node("turn", "Reshape", {"x", "s"}, "out");
  });
  addBuild("endless reshape", {"node 'turn' (Reshape)", "no tensor has the shape"}, [](Model& m) {
    m.integers("s", {20, std::numeric_limits<std::int64_t>::min() / 2 + 4, -1});
    m.node("turn", "Reshape", {"x", "s"}, "out");
  });
  addBuild("concatenation", {"node 'join' (Concat)"}, [](Model& m) {
    m.filled("w", {5, 4});
    integer(m.node("join", "Concat", {"x", "w"}, "out"), "axis", 0);
  });
  addBuild("endless axis", {"node 'first' (ArgMax)", "too much"}, [](Model& m) {
    m.integers("s", {std::int64_t{1} << 34, 2, 3});
    m.node("wide", "Expand", {"x", "s"}, "wide");
    integer(m.node("first", "ArgMax", {"wide"}, "out"), "axis", 0);
  });
  addBuild("scales of an axis that is not there",
           {"node 'steps' (QuantizeLinear)", "axis 2 is out of range for 2 dimensions"},
           [](Model& m) {
             m.filled("s", {3});
             integer(m.node("steps", "QuantizeLinear", {"x", "s"}, "out"), "axis", 2);
           });
  addBuild("scales of another number",
           {"node 'steps' (QuantizeLinear)", "4 entries", "axis 1", "3 elements"}, [](Model& m) {
             m.filled("s", {4});
             m.node("steps", "QuantizeLinear", {"x", "s"}, "out");
           });
  addBuild("a zero point of another type", {"node 'real' (DequantizeLinear)", "int8", "uint8"},
           [](Model& m) {
             m.filled("s", {});
             m.integers("z", {}, {0});
             integer(m.node("narrow", "Cast", {"z"}, "z8"), "to", onnx::TensorProto::INT8);
             m.node("steps", "QuantizeLinear", {"x", "s"}, "q");
             m.node("real", "DequantizeLinear", {"q", "s", "z8"}, "out");
           });
  addBuild("an integer product of floats",
           {"node 'product' (MatMulInteger)", "operand 0 is float32", "uint8"}, [](Model& m) {
             m.filled("w", {3, 2});
             m.node("product", "MatMulInteger", {"x", "w"}, "out");
           });
  addBuild("a loss without classes", {"node 'loss' (SoftmaxCrossEntropyLoss)", "[3]", "[2, 3]"},
           [](Model& m) {
             m.integers("t", {0, 1, 2});
             m.node("loss", "SoftmaxCrossEntropyLoss", {"x", "t"}, "out");
           });
  addBuild("constant zero", {"node 'ratio' (Div)", "zero"}, [](Model& m) {
    m.integers("a", {4, 2});
    m.integers("b", {1, 0});
    m.node("ratio", "Div", {"a", "b"}, "c");
    integer(m.node("convert", "Cast", {"c"}, "out"), "to", onnx::TensorProto::FLOAT);
  });
}

void OnnxRefusals::nodesAtFaultAreNamed() {
  QFETCH(Build, build);
  QFETCH(QStringList, mentions);
  const QString message = refusalOfModel(build);
  requireMentions(message, mentions);
  QVERIFY2(message.startsWith("node '"), qPrintable(message));
}

void OnnxRefusals::allUnsupportedOperatorsAreListed() {
  const QTemporaryDir folder;
  Model model;
  model.node("first", "Unheard", {"x"}, "a");
  model.node("fine", "Relu", {"a"}, "b");
  model.node("gelu 1", "Gelu", {"b"}, "c").set_domain("com.vendor");
  model.node("", "Gelu", {"c"}, "d").set_domain("com.vendor");
  model.node("own", "Relu", {"d"}, "out").set_domain("com.vendor");
  const QString path = folder.filePath("model.onnx");
  writeBytes(path, model.bytes());
  const std::vector<UnsupportedOperator> found = unsupportedOperators(path.toStdString());
  QStringList lines;
  for (const UnsupportedOperator& one : found)
    lines << QString::fromStdString(fmt::format("{}: {}", one.name, fmt::join(one.nodes, ", ")));
  QCOMPARE(lines,
           (QStringList{"com.vendor.Gelu: gelu 1, d", "Unheard: first", "com.vendor.Relu: own"}));
  // Of a later opset, which is read in the words of an older one.
  Model later({2, 3}, 20);
  later.node("gelu", "Gelu", {"x"}, "a");
  later.node("unheard", "Unheard", {"a"}, "out");
  writeBytes(path, later.bytes());
  QCOMPARE(unsupportedOperators(path.toStdString()).size(), std::size_t(1));
  QCOMPARE(unsupportedOperators(path.toStdString()).front().name, std::string("Unheard"));
  writeBytes(path, "no model");
  QVERIFY(!refusal([&] { unsupportedOperators(path.toStdString()); }).isEmpty());
}

void OnnxRefusals::externalWeightsAreRead() {
  const QTemporaryDir folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::string bytes(16 + values.size() * sizeof(float), 'x');
  std::memcpy(bytes.data() + 16, values.data(), values.size() * sizeof(float));
  writeBytes(folder.filePath("weights.bin"), bytes + "rest");
  for (const bool stated : {true, false}) {
    Model model;
    Entries entries{{"location", "weights.bin"}, {"offset", "16"}};
    if (stated) entries["length"] = "24";
    model.external("w", entries);
    model.node("sum", "Add", {"x", "w"}, "out");
    const QString path = folder.filePath("model.onnx");
    writeBytes(path, model.bytes());
    const Network network = importOnnx(path.toStdString());
    const Array ones{{2, 3}, std::vector<float>(6, 1)};
    const std::vector<Array> outputs = interpret(partition(network), {ones});
    QVERIFY((outputs[0].floats() == std::vector<float>{2, 3, 4, 5, 6, 7}));
  }
}

void OnnxRefusals::externalWeightsMustBeThere_data() {
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
  QFETCH(Entries, entries);
  QFETCH(QStringList, mentions);
  const QTemporaryDir folder;
  writeBytes(folder.filePath("weights.bin"), std::string(40, '\0'));
  requireMentions(refusalOfWeights(folder, entries),
                  QStringList{"model.onnx", "'kernel'"} + mentions);
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
  writeBytes(outside.filePath("weights.bin"), std::string(24, '\0'));
  writeBytes(folder.filePath("weights.bin"), std::string(24, '\0'));
  QVERIFY(QFile::link(outside.filePath("weights.bin"), folder.filePath("link.bin")));
  QVERIFY(QFile::link(outside.path(), folder.filePath("elsewhere")));
  QVERIFY(QFile::link("absent.bin", folder.filePath("dangling.bin")));
  QVERIFY(QDir(folder.path()).mkdir("folder"));
  QCOMPARE(mkfifo(qPrintable(folder.filePath("pipe.bin")), 0600), 0);
  requireMentions(refusalOfWeights(folder, {{"location", location.toStdString()}}),
                  QStringList{"model.onnx", "'kernel'"} + mentions);
}

// Also when the model is reached through a link, since that one the person named.
void OnnxRefusals::weightsInAFolderBesideAreRead() {
  const QTemporaryDir folder, links;
  QVERIFY(QDir(folder.path()).mkpath("a/b"));
  writeBytes(folder.filePath("a/b/weights.bin"), std::string(24, '\0'));
  Model model;
  model.external("w", {{"location", "a/./b/weights.bin"}});
  model.node("sum", "Add", {"x", "w"}, "out");
  writeBytes(folder.filePath("model.onnx"), model.bytes());
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
  requireMentions(message, {"large.onnx", "2 GiB", "external data"});
}

void OnnxRefusals::foldersAreRefused() {
  const QTemporaryDir folder;
  const QString message = refusal([&] { importOnnx(folder.path().toStdString()); });
  requireMentions(message, {"is a folder"});
}

void OnnxRefusals::pipesAreRefused() {
  const QTemporaryDir folder;
  const QString path = folder.filePath("pipe.onnx");
  QCOMPARE(mkfifo(qPrintable(path), 0600), 0);
  const QString message = refusal([&] { importOnnx(path.toStdString()); });
  requireMentions(message, {"pipe.onnx", "no regular file"});
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

// Files of a few hundred bytes that ask for gigabytes. The node that asks for too much is named.
void OnnxRefusals::constantsFromNothingAreBounded_data() {
  QTest::addColumn<Build>("build");
  QTest::addColumn<QString>("node");
  const auto row = [](const char* name, const char* node, const Build& build) {
    QTest::newRow(name) << build << QString(node);
  };
  constexpr std::int64_t kLarge = std::int64_t{1} << 31;
  // What the constants come to is needed at import: a slice's start.
  const auto use = [](Model& m, const char* large) {
    m.node("least", "ReduceMin", {large}, "least_out");
    m.integers("one", {1});
    m.node("flat", "Reshape", {"least_out", "one"}, "flat_out");
    integer(m.node("whole", "Cast", {"flat_out"}, "start"), "to", onnx::TensorProto::INT64);
    m.integers("end", {2});
    m.node("part", "Slice", {"x", "start", "end"}, "out");
  };
  row("filled", "'fill' (ConstantOfShape)", [=](Model& m) {
    m.integers("shape", {kLarge});
    m.node("fill", "ConstantOfShape", {"shape"}, "large");
    use(m, "large");
  });
  row("expanded", "'wide' (Expand)", [=](Model& m) {
    m.filled("w", {1});
    m.integers("shape", {kLarge});
    m.node("wide", "Expand", {"w", "shape"}, "large");
    use(m, "large");
  });
  row("tiled", "'tiles' (Tile)", [=](Model& m) {
    m.filled("w", {2});
    m.integers("times", {kLarge});
    m.node("tiles", "Tile", {"w", "times"}, "large");
    use(m, "large");
  });
  row("padded", "'border' (Pad)", [=](Model& m) {
    m.filled("w", {2});
    m.integers("pads", {0, kLarge});
    m.node("border", "Pad", {"w", "pads"}, "large");
    use(m, "large");
  });
  row("doubled", "'twice2", [=](Model& m) {
    m.filled("w0", {2});
    for (int i = 0; i < 40; ++i) {
      const std::string from = fmt::format("w{}", i), to = fmt::format("w{}", i + 1);
      integer(m.node(fmt::format("twice{}", i).c_str(), "Concat",
                     {QString::fromStdString(from), QString::fromStdString(from)}, to.c_str()),
              "axis", 0);
    }
    use(m, "w40");
  });
  row("range", "'count' (Range)", [=](Model& m) {
    m.integers("first", {0});
    m.integers("limit", {1 << 27});
    m.integers("step", {1});
    m.node("count", "Range", {"first", "limit", "step"}, "large");
    integer(m.node("real", "Cast", {"large"}, "reals"), "to", onnx::TensorProto::FLOAT);
    use(m, "reals");
  });
  row("many small ones", "(Expand)", [=](Model& m) {
    m.filled("w", {1});
    m.integers("shape", {1 << 14});
    for (int i = 0; i < 20000; ++i)
      m.node("", "Expand", {"w", "shape"}, fmt::format("e{}", i).c_str());
    m.node("", "Relu", {"x"}, "out");
  });
  row("outer product", "'product' (Mul)", [=](Model& m) {
    m.filled("row", {1, 20000});
    m.filled("column", {20000, 1});
    m.node("product", "Mul", {"row", "column"}, "large");
    use(m, "large");
  });
}

void OnnxRefusals::constantsFromNothingAreBounded() {
  QFETCH(Build, build);
  QFETCH(QString, node);
  const QString message = refusalOfModel(build);
  requireMentions(message, {node, " bytes is too much", "make it an input"});
}

// Each of these doubles what a naive evaluation does: 2^60 steps.
void OnnxRefusals::sharedConstantsAreMadeOnce() {
  Model model;
  model.filled("w0", {1}, 1);
  model.integers("wide", {20000});
  model.node("", "Expand", {"w0", "wide"}, "s0");
  for (int i = 0; i < 60; ++i) {
    const std::string from = fmt::format("s{}", i);
    model.node("", "Mul", {from.c_str(), from.c_str()}, fmt::format("s{}", i + 1).c_str());
  }
  integer(model.node("", "ReduceMax", {"s60"}, "largest"), "keepdims", 0);
  model.node("", "Add", {"x", "largest"}, "out");
  const Network network = importOnnxBytes(model.bytes(), "test");
  const Array zeros{{2, 3}, std::vector<float>(6, 0)};
  QCOMPARE(interpret(partition(network), {zeros})[0].floats()[0], 1.0F);
}

void OnnxRefusals::unreadableModelsEndQuickly_data() {
  addBuilds();
  const Shape many(5000, 1);
  addBuild("weights with many dimensions", {"'w'", "5000 dimensions", "up to 32"}, [=](Model& m) {
    m.filled("w", many);
    m.node("sum", "Add", {"x", "w"}, "out");
  });
  addBuild("a reshape to many dimensions", {"'turn' (Reshape)", "5002 dimensions"}, [=](Model& m) {
    Shape shape = many;
    shape.insert(shape.end(), {2, 3});
    m.integers("shape", shape);
    m.node("turn", "Reshape", {"x", "shape"}, "out");
  });
  const std::string name(1 << 20, 'a');
  addBuild("a long name of a node", {"1048576 bytes", "'aaaa"},
           [=](Model& m) { m.node(name.c_str(), "Relu", {"x"}, "out"); });
  addBuild("a long name of a tensor", {"1048576 bytes", "'aaaa"}, [=](Model& m) {
    m.node("first", "Relu", {"x"}, name.c_str());
    m.node("second", "Relu", {name.c_str()}, "out");
  });
  addBuild("a long name of weights", {"1048576 bytes", "'aaaa"}, [=](Model& m) {
    m.filled(name.c_str(), {3});
    m.node("sum", "Add", {"x", name.c_str()}, "out");
  });
}

void OnnxRefusals::unreadableModelsEndQuickly() {
  QFETCH(Build, build);
  QFETCH(QStringList, mentions);
  const QString message = refusalOfModel(build);
  requireMentions(message, mentions);
  QVERIFY(message.size() < 1000);
}

NW_TEST_APPLESS(OnnxRefusals)

} // namespace nestwright::onnx_refusals_test

#include "onnx_refusals.moc"
