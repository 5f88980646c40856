/// \file Models that cannot work: what is said about them, and that nothing else happens.

#include "core/network/executor.h"
#include "core/network/onnx_import.h"
#include "core/support/error.h"

#include <onnx/onnx_pb.h>

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>
#include <random>

using namespace nestwright;

namespace {

/// A model under construction: input `x` of shape [2, 3], output `out`.
class Model {
 public:
  Model() {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(13);
    proto_.mutable_graph()->set_name("test");
    onnx::TensorShapeProto& x = declare(*proto_.mutable_graph()->add_input(), "x");
    x.add_dim()->set_dim_value(2);
    x.add_dim()->set_dim_value(3);
    onnx::TensorShapeProto& out = declare(*proto_.mutable_graph()->add_output(), "out");
    out.add_dim()->set_dim_param("rows");
    out.add_dim()->set_dim_param("columns");
  }

  onnx::NodeProto& node(const char* name, const char* op, const QStringList& inputs,
                        const char* output) {
    onnx::NodeProto& node = *proto_.mutable_graph()->add_node();
    node.set_name(name);
    node.set_op_type(op);
    for (const QString& input : inputs)
      node.add_input(input.toStdString());
    node.add_output(output);
    return node;
  }

  onnx::TensorProto& weight(const char* name, const Shape& shape) {
    onnx::TensorProto& tensor = *proto_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : shape)
      tensor.add_dims(extent);
    return tensor;
  }

  void filled(const char* name, const Shape& shape, float value = 1) {
    onnx::TensorProto& tensor = weight(name, shape);
    for (std::int64_t i = 0; i < elementCount(shape); ++i)
      tensor.add_float_data(value);
  }

  void integers(const char* name, const std::vector<std::int64_t>& values) {
    onnx::TensorProto& tensor = weight(name, {static_cast<std::int64_t>(values.size())});
    tensor.set_data_type(onnx::TensorProto::INT64);
    for (const std::int64_t value : values)
      tensor.add_int64_data(value);
  }

  /// Weights `name` of shape [2, 3] that are in another file.
  void external(const char* name, const std::map<std::string, std::string>& entries) {
    onnx::TensorProto& tensor = weight(name, {2, 3});
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      onnx::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  }

  std::string bytes() const { return proto_.SerializeAsString(); }

 private:
  /// The shape of a value to be filled in.
  static onnx::TensorShapeProto& declare(onnx::ValueInfoProto& value, const char* name) {
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    return *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  }

  onnx::ModelProto proto_;
};

void write(const QString& path, const std::string& bytes) {
  QFile file(path);
  if (!file.open(QFile::WriteOnly)) qFatal("cannot write");
  file.write(bytes.data(), static_cast<qint64>(bytes.size()));
}

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
  void modelsBeyondTheFormatsLimitAreRefused();
  void foldersAreRefused();
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
      {"node 'odd' (Einsum)", "not supported, nor are Det, NonZero of", "--onnx"}, [](Model& m) {
        onnx::AttributeProto& equation = *m.node("odd", "Einsum", {"x"}, "out").add_attribute();
        equation.set_name("equation");
        equation.set_type(onnx::AttributeProto::STRING);
        equation.set_s("ij->ji");
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
    onnx::AttributeProto& axis = *m.node("join", "Concat", {"x", "w"}, "out").add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(0);
  });
  row("endless axis", {"node 'first' (ArgMax)", "too long"}, [](Model& m) {
    m.integers("s", {3, std::int64_t{1} << 36});
    m.filled("w", {1, 1});
    m.node("wide", "Expand", {"w", "s"}, "wide");
    onnx::AttributeProto& axis = *m.node("first", "ArgMax", {"wide"}, "out").add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(1);
  });
  row("constant zero", {"node 'ratio' (Div)", "zero"}, [](Model& m) {
    m.integers("a", {4, 2});
    m.integers("b", {1, 0});
    m.node("ratio", "Div", {"a", "b"}, "c");
    onnx::AttributeProto& to = *m.node("convert", "Cast", {"c"}, "out").add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(onnx::TensorProto::FLOAT);
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
