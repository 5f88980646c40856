/// Exported networks are valid ONNX, hold the network's numbers, and score as the learner does.

#include "core/learn/learner.h"
#include "core/learn/onnx/export_network.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/support/error.h"
#include "tests/learn/example_programs.h"
#include "tests/learn/with_learner.h"
#include "tests/support/test_program.h"

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <QtTest>

#include <cmath>
#include <fstream>

namespace nestwright::exported_networks_test {

constexpr std::size_t kColumns = 12;

/// Small and fresh, and as if its columns had been normalised where they are.
TrainedNetwork exampleNetwork(Architecture architecture, Loss loss) {
  TrainedNetwork trained;
  trained.options = publishedTraining(architecture, loss);
  trained.machines = {"one machine"};
  trained.tasks = {"a task"};
  NetworkShape shape = publishedShape(architecture, kColumns);
  shape.hidden = 24;
  shape.encoder = {10, 12, 16, 32};
  shape.decoder = {16, 8, 4, 1};
  if (shape.architecture == Architecture::Lstm) shape.length = 6;
  if (shape.ofSteps()) shape.length = 9;
  trained.network = freshNetwork(shape, 3);
  if (!shape.ofSteps())
    for (std::size_t c = 0; c < kColumns; ++c)
      trained.network.maxima.push_back(static_cast<float>(c % 5 + 1));
  return trained;
}

/// The programs as the model's inputs.
std::vector<Array> inputsOf(const TrainedNetwork& trained, const FeatureTable& table) {
  const NetworkShape& shape = trained.network.shape;
  std::size_t places = shape.ofSteps() ? shape.length : 0;
  for (std::size_t p = 0; p < table.programs() && !shape.ofSteps(); ++p)
    places = std::max(places, table.rowCount(p));
  std::vector<float> rows(table.programs() * places * table.columns(), 0);
  std::vector<std::int64_t> lengths;
  for (std::size_t p = 0; p < table.programs(); ++p) {
    const std::size_t count = std::min(table.rowCount(p), places);
    const std::span<const float> values = table.program(p).first(count * table.columns());
    std::copy(values.begin(), values.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(p * places * table.columns()));
    lengths.push_back(static_cast<std::int64_t>(count));
    if (!shape.ofSteps()) // what is behind a program's rows has no effect
      std::fill(rows.begin() + static_cast<std::ptrdiff_t>((p * places + count) * table.columns()),
                rows.begin() + static_cast<std::ptrdiff_t>((p + 1) * places * table.columns()), 3);
  }
  const auto programs = static_cast<std::int64_t>(table.programs());
  std::vector<Array> inputs;
  inputs.push_back(
      {{programs, static_cast<std::int64_t>(places), static_cast<std::int64_t>(table.columns())},
       std::move(rows)});
  if (!shape.ofSteps()) inputs.push_back({{programs}, std::move(lengths)});
  return inputs;
}

/// For tests/bench/onnx_scores.py, which asks another library.
void keepWhereAsked(const char* name, const std::string& model, const std::vector<Array>& inputs,
                    const Array& scores) {
  const QByteArray folder = qgetenv("NESTWRIGHT_KEEP_ONNX");
  if (folder.isEmpty()) return;
  std::string words = name;
  std::ranges::replace(words, ' ', '_');
  const std::filesystem::path to = std::filesystem::path(folder.toStdString()) / words;
  std::filesystem::create_directories(to);
  std::ofstream(to / "model.onnx", std::ios::binary) << model;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    writeTensorFile(to / fmt::format("input_{}.pb", i), inputs[i]);
  writeTensorFile(to / "output_0.pb", scores);
}

class ExportedNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scoreAsTheLearner_data() {
    QTest::addColumn<int>("architecture");
    QTest::addColumn<int>("loss");
    QTest::newRow("mlp") << static_cast<int>(Architecture::Mlp)
                         << static_cast<int>(Loss::LambdaRank);
    QTest::newRow("mlp behind a sigmoid")
        << static_cast<int>(Architecture::Mlp) << static_cast<int>(Loss::Mse);
    QTest::newRow("lstm") << static_cast<int>(Architecture::Lstm) << static_cast<int>(Loss::Mse);
    QTest::newRow("tlp") << static_cast<int>(Architecture::Tlp)
                         << static_cast<int>(Loss::LambdaRank);
    QTest::newRow("mtl-tlp") << static_cast<int>(Architecture::MtlTlp)
                             << static_cast<int>(Loss::LambdaRank);
  }
  void scoreAsTheLearner() {
    NW_NEED_LEARNER();
    QFETCH(int, architecture);
    QFETCH(int, loss);
    QTemporaryDir folder;
    const TrainedNetwork trained =
        exampleNetwork(static_cast<Architecture>(architecture), static_cast<Loss>(loss));
    const FeatureTable table =
        test::examplePrograms({.programs = 7, .columns = kColumns, .leastRows = 1}).features;
    const std::filesystem::path file = folder.filePath("network.onnx").toStdString();
    std::ofstream(file, std::ios::binary) << toOnnx(trained);
    const std::vector<Array> inputs = inputsOf(trained, table);
    const std::vector<Array> outputs = runOnnxReference(file, inputs);
    const std::size_t heads = trained.network.shape.heads;
    QCOMPARE(outputs.size(), std::size_t{1});
    QCOMPARE(outputs[0].floats().size(), table.programs() * heads);
    const std::vector<float> learned = Learner().score(trained.network, table, 1);
    std::vector<float> kept(learned.size());
    for (std::size_t head = 0; head < heads; ++head) {
      const std::vector<double> scores = scoresOf(trained, learned, table, head);
      for (std::size_t p = 0; p < scores.size(); ++p) {
        kept[p * heads + head] = static_cast<float>(scores[p]);
        const auto given = static_cast<double>(outputs[0].floats()[p * heads + head]);
        QVERIFY2(std::abs(given - scores[p]) < 1e-5 * (1 + std::abs(scores[p])),
                 qPrintable(QString("%1 and %2").arg(given).arg(scores[p])));
      }
      QVERIFY(std::ranges::max(scores) > std::ranges::min(scores));
    }
    keepWhereAsked(QTest::currentDataTag(), toOnnx(trained), inputs,
                   {{static_cast<std::int64_t>(table.programs()), static_cast<std::int64_t>(heads)},
                    std::move(kept)});
  }

  void treesHaveNoForm() {
    QVERIFY_THROWS_EXCEPTION(UsageError,
                             toOnnx(exampleNetwork(Architecture::TreeGru, Loss::Pairwise)));
  }

  void areValidAndWhole_data() { scoreAsTheLearner_data(); }
  void areValidAndWhole() {
    QFETCH(int, architecture);
    QFETCH(int, loss);
    const TrainedNetwork trained =
        exampleNetwork(static_cast<Architecture>(architecture), static_cast<Loss>(loss));
    onnx::ModelProto model;
    QVERIFY(model.ParseFromString(toOnnx(trained, "paper,flags")));
    onnx::checker::check_model(model);
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       {true, 1, true}); // throws where extents disagree
    std::map<std::string, const onnx::TensorProto*> tensors;
    for (const onnx::TensorProto& tensor : model.graph().initializer())
      tensors[tensor.name()] = &tensor;
    std::size_t place = 0;
    for (const ParameterShape& parameter : parametersOf(trained.network.shape)) {
      const std::size_t first = place;
      place += parameter.size();
      if (parameter.name.starts_with("lstm.")) continue; // its gates are in ONNX's order
      QVERIFY2(tensors.contains(parameter.name), parameter.name.c_str());
      const onnx::TensorProto& tensor = *tensors[parameter.name];
      QCOMPARE(tensor.dims_size(), parameter.isVector ? 1 : 2);
      QCOMPARE(static_cast<std::size_t>(tensor.dims(0)), parameter.rows);
      QCOMPARE(tensor.raw_data().size(), parameter.size() * sizeof(float));
      QVERIFY(tensor.raw_data() ==
              bytesOf(std::span(trained.network.weights).subspan(first, parameter.size())));
    }
    QVERIFY(QString::fromStdString(model.doc_string()).contains("Input rows"));
    std::map<std::string, std::string> properties;
    for (const onnx::StringStringEntryProto& entry : model.metadata_props())
      properties[entry.key()] = entry.value();
    QCOMPARE(properties["architecture"], std::string(name(trained.network.shape.architecture)));
    QCOMPARE(properties["features"], std::string("paper,flags"));
    QCOMPARE(properties["targets"], std::string("[\"one machine\"]"));
  }
};

NW_TEST_APPLESS(ExportedNetworks)

} // namespace nestwright::exported_networks_test

#include "exported_networks.moc"
