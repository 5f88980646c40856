/// \file The second opinion on ONNX models against what exporters computed, and the importer
/// against the second opinion.

#include "core/network/onnx_reference/onnx_reference.h"

#include "core/network/execution/executor.h"
#include "core/network/graph/spec.h"
#include "core/network/onnx/onnx_import.h"
#include "core/support/error.h"
#include "tests/network/onnx_model.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>

namespace nestwright::onnx_reference_test {

const std::string kFolder = NESTWRIGHT_TEST_DATA "/onnx/";

Array readArray(const std::string& path, const Tensor& tensor) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto copy = [&](auto element) {
    std::vector<decltype(element)> values(bytes.size() / sizeof(element));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return Array{tensor.shape, std::move(values)};
  };
  return tensor.type.isFloat() ? copy(float{}) : copy(std::int64_t{});
}

/// How far the importer's outputs are from the second opinion's, at the worst.
double disagreement(const Model& model, std::uint64_t seed) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("model.onnx");
  writeBytes(path, model.bytes());
  const Network network = importOnnx(path.toStdString());
  const std::vector<Array> inputs = randomInputs(network, seed);
  const std::vector<Array> expected = runOnnxReference(path.toStdString(), inputs);
  const std::vector<Array> actual = interpret(optimisedPartition(network), inputs);
  double worst = actual.size() == expected.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(
        worst, actual[i].shape == expected[i].shape ? relativeError(actual[i], expected[i]) : 1e9);
  return worst;
}

using Build = std::function<Model()>;

void numbers(onnx::NodeProto& node, const char* name, const Shape& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values)
    attribute.add_ints(value);
}

void permute(onnx::NodeProto& node, const Shape& permutation) {
  numbers(node, "perm", permutation);
}

/// A model with a node 'odd' whose operands do not fit it, and the shape of its input.
struct Unfit {
  Model model;
  Shape input;
};
using BuildUnfit = std::function<Unfit()>;

/// Attention within shifted windows of 4 by 4 of a picture of 8 by 8, as a Swin transformer exports
/// it: the mask is a picture of zeros into which each region is scattered, all of it constant.
Model shiftedWindows() {
  constexpr std::int64_t kSide = 8, kWindow = 4, kShift = 2, kChannels = 6;
  Model m({1, kSide, kSide, kChannels}, 16, 3);
  m.integers("picture", {kSide, kSide});
  m.node("", "ConstantOfShape", {"picture"}, "mask0");
  const std::int64_t cuts[] = {0, kWindow, kSide - kShift, kSide};
  for (int region = 0; region < 9; ++region) {
    std::vector<std::int64_t> places;
    for (std::int64_t r = cuts[region / 3]; r < cuts[region / 3 + 1]; ++r)
      for (std::int64_t c = cuts[region % 3]; c < cuts[region % 3 + 1]; ++c)
        places.insert(places.end(), {r, c});
    const auto count = static_cast<std::int64_t>(places.size() / 2);
    const std::string number = std::to_string(region), next = std::to_string(region + 1);
    m.integers(("at" + number).c_str(), {count, 2}, places);
    m.filled(("number" + number).c_str(), {count}, static_cast<float>(region));
    m.node("", "ScatterND",
           {("mask" + number).c_str(), ("at" + number).c_str(), ("number" + number).c_str()},
           ("mask" + next).c_str());
  }
  m.integers("split", {2, kWindow, 2, kWindow});
  m.node("", "Reshape", {"mask9", "split"}, "apart");
  permute(m.node("", "Transpose", {"apart"}, "windows"), {0, 2, 1, 3});
  m.integers("row", {4, 1, kWindow * kWindow});
  m.integers("column", {4, kWindow * kWindow, 1});
  m.node("", "Reshape", {"windows", "row"}, "rows");
  m.node("", "Reshape", {"windows", "column"}, "columns");
  m.node("", "Equal", {"rows", "columns"}, "together");
  m.filled("zero", {}, 0);
  m.filled("far", {}, -100);
  m.node("", "Where", {"together", "zero", "far"}, "mask");
  // The picture rolled by the shift, in windows.
  for (const int axis : {1, 2}) {
    const std::string a = std::to_string(axis), from = axis == 1 ? "x" : "rolled1";
    m.integers(("axis" + a).c_str(), {axis});
    m.integers(("shift" + a).c_str(), {kShift});
    m.integers(("start" + a).c_str(), {0});
    m.integers(("end" + a).c_str(), {kSide});
    const QString axes = ("axis" + a).c_str(), shift = ("shift" + a).c_str();
    m.node("", "Slice", {from.c_str(), shift, ("end" + a).c_str(), axes}, ("back" + a).c_str());
    m.node("", "Slice", {from.c_str(), ("start" + a).c_str(), shift, axes}, ("front" + a).c_str());
    integer(
        m.node("", "Concat", {("back" + a).c_str(), ("front" + a).c_str()}, ("rolled" + a).c_str()),
        "axis", axis);
  }
  m.integers("parts", {2, kWindow, 2, kWindow, kChannels});
  m.node("", "Reshape", {"rolled2", "parts"}, "pieces");
  permute(m.node("", "Transpose", {"pieces"}, "turned"), {0, 2, 1, 3, 4});
  m.integers("tokens", {4, kWindow * kWindow, kChannels});
  m.node("", "Reshape", {"turned", "tokens"}, "words");
  for (const char* name : {"q", "k", "v"}) {
    const QString weight = QString("w") + name;
    m.random(qPrintable(weight), {kChannels, kChannels});
    m.node("", "MatMul", {"words", weight}, name);
  }
  permute(m.node("", "Transpose", {"k"}, "kt"), {0, 2, 1});
  m.node("", "MatMul", {"q", "kt"}, "scores");
  m.node("", "Add", {"scores", "mask"}, "masked");
  integer(m.node("", "Softmax", {"masked"}, "soft"), "axis", -1);
  m.integers("training", {}, {1}); // which drops nothing, as "zero" of it is
  m.node("", "Dropout", {"soft", "zero", "training"}, "kept");
  m.node("", "MatMul", {"kept", "v"}, "out");
  return m;
}

class OnnxReferenceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void knowsWhatTheImporterKnows();
  void givesWhatTheExporterComputed_data();
  void givesWhatTheExporterComputed();
  void agreesWithTheImporter_data();
  void agreesWithTheImporter();
  void refusesWhatDoesNotFit_data();
  void refusesWhatDoesNotFit();
  void saysWhatItDoesNotKnow();
};

void OnnxReferenceTest::knowsWhatTheImporterKnows() {
  QCOMPARE(onnxReferenceOperators(), importableOperators());
}

void OnnxReferenceTest::givesWhatTheExporterComputed_data() {
  QTest::addColumn<QString>("file");
  for (const char* file : {"movement", "elementwise", "normalisation", "torch_resnet",
                           "torch_resnet_norms", "torch_mobilenet", "torch_encoder",
                           "torch_encoder_sequence_first", "torch_attention:batch=2,sequence=5"})
    QTest::newRow(file) << file;
}

// On every export of the tests: the second opinion is the exporter's, and the importer's network,
// with all its passes, gives the same.
void OnnxReferenceTest::givesWhatTheExporterComputed() {
  QFETCH(QString, file);
  const Spec spec = parseSpec(file.toStdString());
  const std::string path = kFolder + spec.name + ".onnx";
  const Network network = importOnnx(path, {spec.parameters, {}});
  const Array input =
      readArray(kFolder + spec.name + ".x.bin", network.tensor(network.inputs.at(0)));
  const Array expected =
      readArray(kFolder + spec.name + ".out.bin", network.tensor(network.outputs.at(0)));
  const std::vector<Array> outputs = runOnnxReference(path, {input});
  QCOMPARE(outputs.at(0).shape, expected.shape);
  const double error = relativeError(outputs[0], expected);
  QVERIFY2(error < 1e-5, qPrintable(QString::number(error)));
  const double apart =
      relativeError(interpret(optimisedPartition(network), {input})[0], outputs[0]);
  QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
}

void OnnxReferenceTest::agreesWithTheImporter_data() {
  QTest::addColumn<Build>("build");
  const auto row = [](const char* name, const Build& build) { QTest::newRow(name) << build; };
  row("batch norm behind a convolution with a bias", [] {
    Model m({2, 3, 5, 5}, 13, 4);
    m.random("w", {4, 3, 3, 3});
    m.filled("bias", {4}, 2);
    m.random("scale", {4});
    m.random("shift", {4});
    m.random("mean", {4});
    m.filled("variance", {4}, 0.7F);
    m.node("conv", "Conv", {"x", "w", "bias"}, "c");
    m.node("norm", "BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, "out");
    return m;
  });
  row("shifted windows", shiftedWindows);
  for (const char* way : {"", "exclusive", "reverse"})
    row(qPrintable(QString("CumSum %1").arg(way)), [=] {
      Model m({2, 5, 3}, 13, 3);
      m.integers("axis", {}, {-2});
      onnx::NodeProto& node = m.node("sums", "CumSum", {"x", "axis"}, "out");
      if (*way != 0) integer(node, way, 1);
      return m;
    });
  row("ReverseSequence", [] {
    Model m({4, 3, 2}, 13, 3);
    m.integers("lengths", {1, 4, 3});
    m.node("turned", "ReverseSequence", {"x", "lengths"}, "out");
    return m;
  });
  row("a bias for each head, the same in all windows", [] {
    Model m({2, 3, 4, 5}, 16, 4);
    m.random("w", {2, 3, 5, 4});
    m.node("", "MatMul", {"x", "w"}, "scores");
    m.random("bias", {1, 3, 4, 4});
    m.node("", "Add", {"scores", "bias"}, "out");
    return m;
  });
  for (const char* op : {"Softmax", "LogSoftmax"})
    row(qPrintable(QString("%1 of no elements").arg(op)), [=] {
      Model m;
      m.integers("zero", {0});
      m.integers("one", {1});
      m.node("", "Slice", {"x", "zero", "zero", "one"}, "none");
      integer(m.node("", op, {"none"}, "soft"), "axis", 1);
      m.node("", "ReduceSum", {"soft", "one"}, "column");
      m.node("", "Add", {"x", "column"}, "out");
      return m;
    });
  row("Einsum of no elements", [] {
    Model m;
    m.integers("zero", {0});
    m.integers("one", {1});
    m.node("", "Slice", {"x", "zero", "zero", "one"}, "none");
    text(m.node("", "Einsum", {"none"}, "sums"), "equation", "ij->i");
    m.node("", "Unsqueeze", {"sums", "one"}, "column");
    m.node("", "Add", {"x", "column"}, "out");
    return m;
  });
  for (const std::int64_t step : {INT64_MAX, INT64_MIN})
    row(step > 0 ? "Slice in the largest step" : "Slice in the smallest step", [=] {
      Model m;
      m.integers("one", {1});
      m.integers("end", {step > 0 ? 3 : -9});
      m.integers("step", {step});
      m.node("", "Slice", {"x", "one", "end", "one", "step"}, "out");
      return m;
    });
  for (const char* reduction : {"none", "add", "mul"}) {
    row(qPrintable(QString("ScatterND at constant places, %1").arg(reduction)), [=] {
      Model m({4, 3, 2}, 16, 3);
      m.integers("at", {4, 2}, {1, 0, -1, -2, 1, 0, 2, 1}); // one place twice
      m.random("updates", {4, 2});
      text(m.node("put", "ScatterND", {"x", "at", "updates"}, "out"), "reduction", reduction);
      return m;
    });
    row(qPrintable(QString("ScatterElements at constant places, %1").arg(reduction)), [=] {
      Model m({3, 4, 2}, 16, 3);
      m.integers("at", {2, 3, 2}, {0, 1, -1, 3, 0, 2, 1, 1, 1, 1, 2, -4});
      m.random("updates", {2, 3, 2});
      onnx::NodeProto& node = m.node("put", "ScatterElements", {"x", "at", "updates"}, "out");
      text(node, "reduction", reduction);
      integer(node, "axis", 1);
      return m;
    });
  }
  // Places that a run computes: x is in [-1, 1).
  const auto places = [](Model& m, const char* from, float factor) {
    m.filled("factor", {1}, factor);
    m.node("scaled", "Mul", {from, "factor"}, "scaled");
    m.node("down", "Floor", {"scaled"}, "down");
    integer(m.node("whole", "Cast", {"down"}, "at"), "to", onnx::TensorProto::INT64);
  };
  for (const char* reduction : {"none", "add", "mul"}) {
    row(qPrintable(QString("ScatterND at computed places, %1").arg(reduction)), [=] {
      Model m({5, 2}, 16, 3);
      places(m, "x", 3);
      m.random("data", {3, 3, 2});
      m.random("updates", {5, 2});
      text(m.node("put", "ScatterND", {"data", "at", "updates"}, "out"), "reduction", reduction);
      return m;
    });
    row(qPrintable(QString("ScatterElements at computed places, %1").arg(reduction)), [=] {
      Model m({4, 2}, 16, 2);
      places(m, "x", 5);
      m.random("data", {5, 3});
      m.random("updates", {4, 2});
      text(m.node("put", "ScatterElements", {"data", "at", "updates"}, "out"), "reduction",
           reduction);
      return m;
    });
  }
  for (const int axis : {0, 1, -1})
    for (const int largest : {0, 1})
      row(qPrintable(QString("TopK along %1, %2").arg(axis).arg(largest)), [=] {
        Model m({4, 5, 3}, 13, 3);
        m.integers("k", {3});
        m.node("steps", "Mul", {"x", "three"}, "large"); // so that some are equal
        m.filled("three", {1}, 3);
        m.node("rounded", "Round", {"large"}, "coarse");
        onnx::NodeProto& node = m.node("best", "TopK", {"coarse", "k"}, "best");
        node.add_output("at");
        integer(node, "axis", axis);
        integer(node, "largest", largest);
        integer(m.node("real", "Cast", {"at"}, "places"), "to", onnx::TensorProto::FLOAT);
        m.node("both", "Add", {"best", "places"}, "out");
        return m;
      });
  struct Sum {
    const char* equation;
    std::vector<Shape> operands; // x is the first
    std::size_t rank;
  };
  for (const Sum& sum :
       std::initializer_list<Sum>{{"bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}, 4},
                                  {"...ij,...jk->...ik", {{2, 3, 4}, {1, 4, 5}}, 3},
                                  {"ij,jk", {{3, 4}, {4, 2}}, 2},
                                  {"ii->i", {{3, 3}}, 1},
                                  {"...ii->...", {{2, 3, 3}}, 1},
                                  {"i,j->ji", {{3}, {4}}, 2},
                                  {"i,i->", {{5}, {5}}, 0},
                                  {"ab,bc,cd->ad", {{2, 3}, {3, 4}, {4, 5}}, 2},
                                  {"ab,bc->c", {{2, 3}, {3, 4}}, 1},
                                  {"b i , b j -> b i j", {{2, 3}, {2, 4}}, 3},
                                  {"ba", {{2, 3}}, 2}})
    row(sum.equation, [sum] {
      Model m(sum.operands[0], 13, sum.rank);
      QStringList names{"x"};
      for (std::size_t i = 1; i < sum.operands.size(); ++i) {
        names.push_back(QString("w%1").arg(i));
        m.random(qPrintable(names.back()), sum.operands[i]);
      }
      text(m.node("sum", "Einsum", names, "out"), "equation", sum.equation);
      return m;
    });
  struct Layer {
    const char* op;
    std::int64_t gates;
    const char* direction;
    bool states, variant; // variant: linear_before_reset, peepholes, layout
  };
  for (const char* direction : {"forward", "reverse", "bidirectional"})
    for (const bool states : {false, true})
      for (const Layer& layer : std::initializer_list<Layer>{{"LSTM", 4, direction, states, states},
                                                             {"GRU", 3, direction, states, !states},
                                                             {"RNN", 1, direction, states, false}})
        row(qPrintable(QString("%1 %2 %3").arg(layer.op, direction).arg(states)), [layer] {
          Model m({3, 2, 4}, 14, 4);
          const std::int64_t directions = QString(layer.direction) == "bidirectional" ? 2 : 1;
          m.random("w", {directions, layer.gates * 5, 4});
          m.random("r", {directions, layer.gates * 5, 5});
          m.random("b", {directions, layer.gates * 10});
          m.random("h", {directions, 2, 5});
          m.random("c", {directions, 2, 5});
          m.random("p", {directions, 15});
          QStringList names{"x", "w", "r", "b"};
          const bool isLstm = layer.gates == 4;
          if (layer.states)
            names << ""
                  << "h";
          if (layer.states && isLstm) names << "c";
          if (layer.variant && isLstm) names << "p";
          onnx::NodeProto& node = m.node("steps", layer.op, names, "out");
          integer(node, "hidden_size", 5);
          text(node, "direction", layer.direction);
          if (layer.variant && !isLstm) integer(node, "linear_before_reset", 1);
          return m;
        });
}

void OnnxReferenceTest::agreesWithTheImporter() {
  QFETCH(Build, build);
  const Model model = build();
  for (const std::uint64_t seed : {1, 2}) {
    const double apart = disagreement(model, seed);
    QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
  }
}

void OnnxReferenceTest::refusesWhatDoesNotFit_data() {
  QTest::addColumn<BuildUnfit>("build");
  const auto row = [](const char* name, const BuildUnfit& build) { QTest::newRow(name) << build; };
  row("a scale for fewer channels", [] {
    Model m({2, 3, 2, 2}, 13, 4);
    for (const char* name : {"scale", "shift", "mean", "variance"})
      m.filled(name, {1});
    m.node("odd", "BatchNormalization", {"x", "scale", "shift", "mean", "variance"}, "out");
    return Unfit{m, {2, 3, 2, 2}};
  });
  row("a bias for fewer channels", [] {
    Model m({1, 3, 2, 2}, 13, 4);
    m.filled("w", {4, 3, 1, 1});
    m.filled("bias", {1});
    m.node("odd", "Conv", {"x", "w", "bias"}, "out");
    return Unfit{m, {1, 3, 2, 2}};
  });
  row("no groups", [] {
    Model m({1, 3, 2, 2}, 13, 4);
    m.filled("w", {4, 3, 1, 1});
    integer(m.node("odd", "Conv", {"x", "w"}, "out"), "group", 0);
    return Unfit{m, {1, 3, 2, 2}};
  });
  row("a stride of 0", [] {
    Model m({1, 3, 2, 2}, 13, 4);
    m.filled("w", {4, 3, 1, 1});
    numbers(m.node("odd", "Conv", {"x", "w"}, "out"), "strides", {0, 0});
    return Unfit{m, {1, 3, 2, 2}};
  });
  row("updates beside the data", [] {
    Model m;
    m.integers("at", {3, 1}, {0, 0, 0});
    m.filled("updates", {3, 1});
    integer(m.node("odd", "ScatterElements", {"x", "at", "updates"}, "out"), "axis", 1);
    return Unfit{m, {2, 3}};
  });
  row("the mean of no integers", [] {
    Model m;
    m.integers("none", {0}, {});
    numbers(m.node("odd", "ReduceMean", {"none"}, "out"), "axes", {0});
    return Unfit{m, {2, 3}};
  });
  row("the largest of none", [] {
    Model m({2, 3, 0}, 13, 3);
    m.node("odd", "GlobalMaxPool", {"x"}, "out");
    return Unfit{m, {2, 3, 0}};
  });
  row("copies less than none", [] {
    Model m;
    m.integers("repeats", {-1, 1});
    m.node("odd", "Tile", {"x", "repeats"}, "out");
    return Unfit{m, {2, 3}};
  });
}

void OnnxReferenceTest::refusesWhatDoesNotFit() {
  QFETCH(BuildUnfit, build);
  const Unfit unfit = build();
  const QTemporaryDir folder;
  const QString path = folder.filePath("model.onnx");
  writeBytes(path, unfit.model.bytes());
  const auto count = static_cast<std::size_t>(elementCount(unfit.input));
  try {
    runOnnxReference(path.toStdString(), {{unfit.input, std::vector<float>(count, 1)}});
    QFAIL("answered");
  } catch (const InputError& error) {
    QVERIFY2(QString(error.what()).contains("node 'odd'"), error.what());
  }
}

void OnnxReferenceTest::saysWhatItDoesNotKnow() {
  const QTemporaryDir folder;
  const QString path = folder.filePath("model.onnx");
  Model model;
  model.node("odd", "Det", {"x"}, "out");
  writeBytes(path, model.bytes());
  try {
    runOnnxReference(path.toStdString(), {{{2, 3}, std::vector<float>(6, 1)}});
    QFAIL("answered");
  } catch (const InputError& error) {
    for (const char* text : {"model.onnx", "node 'odd' (Det)", "does not know"})
      QVERIFY2(QString(error.what()).contains(text), error.what());
  }
}

NW_TEST_APPLESS(OnnxReferenceTest)

} // namespace nestwright::onnx_reference_test

#include "onnx_reference.moc"
