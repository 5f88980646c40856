/// Spaces of templates have the sizes, the values and the numbers of the public implementation;
/// what that computes stands in tests/data/search-oracle.json.

#include "core/support/error.h"
#include "core/template/annotate_knob.h"
#include "core/template/reorder_knob.h"
#include "core/template/split_knob.h"
#include "core/template/task_template.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QtTest>

namespace nestwright::template_spaces_test {

using nlohmann::json;

const json& oracle() {
  static const json read = [] {
    QFile file(QStringLiteral(NESTWRIGHT_TEST_DATA "/search-oracle.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("tests/data/search-oracle.json cannot be read");
    return json::parse(file.readAll().toStdString());
  }();
  return read;
}

json tensor(const std::vector<std::int64_t>& shape) {
  return {"TENSOR", shape, "float32"};
}

TemplateArguments convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t columns,
                              std::int64_t kernel) {
  const std::int64_t pad = kernel / 2;
  return TemplateArguments({tensor({1, inputs, columns, columns}),
                            tensor({outputs, inputs, kernel, kernel}),
                            {1, 1},
                            {pad, pad, pad, pad},
                            {1, 1},
                            "NCHW",
                            "NCHW",
                            "float32"});
}

TemplateArguments dense(std::int64_t rows, std::int64_t sum, std::int64_t columns) {
  return TemplateArguments({tensor({rows, sum}), tensor({columns, sum}), nullptr, "float32"});
}

void compare(const ConfigSpace& space, const json& expected) {
  QCOMPARE(space.size(), expected.at("size").get<std::int64_t>());
  QCOMPARE(space.knobs().size(), expected.at("knobs").size());
  for (std::size_t i = 0; i < space.knobs().size(); ++i) {
    QCOMPARE(space.knobs()[i].name, expected["knobs"][i][0].get<std::string>());
    QCOMPARE(space.knobs()[i].values.size(), expected["knobs"][i][1].get<std::size_t>());
  }
}

ConfigSpace spaceOf(const char* kind, const TemplateArguments& arguments,
                    TemplateVersion version = TemplateVersion::V0_11) {
  return findTemplate(kind)->space(arguments, version);
}

std::vector<std::int64_t> lastSizes(const Knob& knob) {
  std::vector<std::int64_t> sizes;
  for (const Entity& value : knob.values)
    sizes.push_back(std::get<SplitEntity>(value).sizes.back());
  return sizes;
}

class TemplateSpaces : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void convolutionsOfResnet18() {
    const json& layers =
        oracle()["spaces"]["conv2d_NCHWc.x86, resnet-18 (in, out channels, output width, kernel)"];
    QCOMPARE(layers.size(), std::size_t(12));
    std::int64_t inAll = 0;
    for (const json& layer : layers) {
      const auto shape = layer["layer"].get<std::vector<std::int64_t>>();
      const TemplateArguments arguments = convolution(shape[0], shape[1], shape[2], shape[3]);
      compare(spaceOf("conv2d_NCHWc.x86", arguments), layer["v0.11"]);
      const ConfigSpace old = spaceOf("conv2d_NCHWc.x86", arguments, TemplateVersion::TopHub);
      compare(old, layer["tophub_v0.04"]);
      inAll += old.size();
    }
    QCOMPARE(inAll, std::int64_t(6852));
  }

  void products() {
    const json& spaces = oracle()["spaces"];
    const TemplateArguments arguments = dense(128, 768, 2304);
    const json& packed = spaces["dense_pack.x86 128x768->2304"];
    compare(spaceOf("dense_pack.x86", arguments), packed["v0.11"]);
    compare(spaceOf("dense_pack.x86", arguments, TemplateVersion::V0_8),
            packed["v0.8.dev (the BERT log)"]);
    compare(spaceOf("dense_nopack.x86", arguments), spaces["dense_nopack.x86 128x768->2304"]);
    compare(spaceOf("batch_matmul.x86",
                    TemplateArguments({tensor({12, 128, 64}), tensor({12, 128, 64})})),
            spaces["batch_matmul.x86 12x128x64 by 12x128x64"]);
  }

  void depthwise() {
    const TemplateArguments arguments(
        {tensor({1, 32, 112, 112}), tensor({32, 1, 3, 3}), {1, 1}, {1, 1, 1, 1}, {1, 1}});
    compare(spaceOf("depthwise_conv2d_NCHWc.x86", arguments),
            oracle()["spaces"]["depthwise_conv2d_NCHWc.x86, 32 channels on 112"]);
  }

  /// Until v0.8 the type stands where the number of groups stands since.
  void convolutionsOverThreeAxesMayHaveGroups() {
    const auto arguments = [](const std::vector<json>& last) {
      json list = {tensor({1, 4, 6, 8, 8}), tensor({8, 4, 3, 3, 3}), 1, 1, 1};
      for (const json& argument : last)
        list.push_back(argument);
      return TemplateArguments(list);
    };
    const ConfigSpace old = spaceOf("conv3d_ncdhw.x86", arguments({"float32"}));
    for (const TemplateVersion version : kTemplateVersions) {
      const ConfigSpace space = spaceOf("conv3d_ncdhw.x86", arguments({1, "float32"}), version);
      QCOMPARE(space.size(), old.size());
    }
    const TemplateKind& kind = *findTemplate("conv3d_ncdhw.x86");
    const ComputeDag wide = templateTask(kind, arguments({1, "float64"}));
    QVERIFY(wide.outputs()[0]->output->type == parseDataType("float64"));
    QCOMPARE(print(wide), print(templateTask(kind, arguments({"float64"}))));
    const std::string message = test::messageOf([&] {
      spaceOf("conv3d_ncdhw.x86", arguments({2, "float32"}));
    });
    QVERIFY2(message.find("in 2 groups has no program") != std::string::npos, message.c_str());
  }

  /// Whatever a log has for one of them, in a list or by itself.
  void numbersHaveAUsualSize_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("argument");
    QTest::addColumn<QString>("value");
    for (const int argument : {2, 3, 4})
      for (const char* value :
           {"4611686018427387904", "-4611686018427387904", "18446744073709551615", "1.5", "true",
            "[1, 4611686018427387904]", "[18446744073709551615, 1]", "[1, 1.5]"})
        for (const char* kind : {"conv2d_NCHWc.x86", "conv2d_nchw.cuda", "conv3d_ncdhw.x86"})
          QTest::addRow("%s, argument %d: %s", kind, argument, value)
              << QString(kind) << argument << QString(value);
  }
  void numbersHaveAUsualSize() {
    QFETCH(QString, kind);
    QFETCH(int, argument);
    QFETCH(QString, value);
    const bool isDeep = kind.startsWith("conv3d");
    json list = {isDeep ? tensor({1, 4, 6, 8, 8}) : tensor({1, 4, 8, 8}),
                 isDeep ? tensor({8, 4, 3, 3, 3}) : tensor({8, 4, 3, 3}), 1, 1, 1};
    const std::string name = kind.toStdString();
    QVERIFY(spaceOf(name.c_str(), TemplateArguments(list)).size() > 0);
    list[static_cast<std::size_t>(argument)] = json::parse(value.toStdString());
    const std::string message =
        test::messageOf([&] { spaceOf(name.c_str(), TemplateArguments(list)); });
    QVERIFY2(message.find("of a usual size") != std::string::npos, message.c_str());
  }

  /// The paper's table 1 of AdaTune counts this space.
  void resnetsFirstConvolutionOnAGpu() {
    const TemplateArguments arguments(
        {tensor({1, 3, 224, 224}), tensor({64, 3, 7, 7}), {2, 2}, {3, 3, 3, 3}, {1, 1}, "float32"});
    QCOMPARE(spaceOf("conv2d_nchw.cuda", arguments).size(), std::int64_t(79'027'200));
  }

  void splitsAreEnumeratedAsThere() {
    const json& splits = oracle()["split_entities"];
    const Knob factors = splitKnob("k", {.extent = 64, .parts = 3});
    const json& ends = splits["64 into 3, factors, first and last five"];
    for (std::size_t i = 0; i < 5; ++i) {
      QCOMPARE(text(factors.values[i]), ends[0][i].dump());
      QCOMPARE(text(factors.values[factors.values.size() - 5 + i]), ends[1][i].dump());
    }
    const auto upTo64 = [](const SplitEntity& entity) { return entity.sizes.back() <= 64; };
    const auto verbose = [&](std::int64_t extent) {
      return lastSizes(
          splitKnob("k", {.extent = extent, .policy = SplitPolicy::Verbose, .filter = upTo64}));
    };
    QVERIFY(json(verbose(56)) ==
            splits["56 into 2, verbose, in the order of TVM (Python 3 set order)"]);
    QVERIFY(json(verbose(112)) == splits["112, the same"]);
    auto ascending = verbose(56);
    std::ranges::sort(ascending);
    QVERIFY(json(ascending) == splits["56 into 2, verbose, inner at most 64, ascending"]);
    // Powers of two leave tails, unless there may be none.
    QVERIFY(lastSizes(splitKnob("k", {.extent = 12, .policy = SplitPolicy::Power2})) ==
            std::vector<std::int64_t>({1, 2, 4, 8}));
    QVERIFY(
        lastSizes(splitKnob("k", {.extent = 12, .policy = SplitPolicy::Power2, .noTail = true})) ==
        std::vector<std::int64_t>({1, 2, 4}));
    QVERIFY(lastSizes(splitKnob("k", {.extent = 12, .maxFactor = 4})) ==
            std::vector<std::int64_t>({1, 2, 3, 4}));
  }

  void orders() {
    QCOMPARE(text(identityOrder("k", 3).values.front()), std::string("[0,1,2]"));
    QCOMPARE(allOrders("k", 4).values.size(), std::size_t(24));
    const Knob some = allOrders("k", 4, 1, 3);
    QCOMPARE(some.values.size(), std::size_t(2));
    QCOMPARE(text(some.values[1]), std::string("[0,2,1,3]"));
    // Two spatial axes of three loops, a reduction of two: that with most loops left comes next.
    const Chains spatial{{0, 1, 2}, {3, 4, 5}}, reduction{{6, 7}};
    QCOMPARE(text(interleavedOrder("k", spatial, reduction).values.front()),
             std::string("[0,3,1,4,6,2,5,7]"));
    QCOMPARE(text(interleavedOrderForGpu("k", spatial, reduction).values.front()),
             std::string("[0,3,1,4,6,7,2,5]"));
    QVERIFY_EXCEPTION_THROWN(allOrders("k", 2, 1, 3), InputError);
  }

  void whatIsDoneToLoops() {
    const Knob tried = annotations("k", 2, {"none", "unroll", "vec"});
    QCOMPARE(tried.values.size(), std::size_t(8)); // of nine, one has two vectors
    QCOMPARE(text(tried.values[1]), std::string(R"(["none","unroll"])"));
    QCOMPARE(text(boundToGpu("k", 5).values.front()),
             std::string(R"(["fuse","blockIdx.y","blockIdx.x","threadIdx.y","threadIdx.x"])"));
    QCOMPARE(text(boundToGpuWithVirtualThreads("k", 3).values.front()),
             std::string(R"(["blockIdx.x","vthread","threadIdx.x"])"));
    QVERIFY_EXCEPTION_THROWN(boundToGpu("k", 1), InputError);
  }

  /// Every index means the entities that it is found by.
  void indicesAndEntitiesGoTogether() {
    const ConfigSpace space = spaceOf("conv2d_NCHWc.x86", convolution(64, 128, 56, 3));
    for (std::int64_t index = 0; index < space.size(); ++index) {
      const std::vector<NamedEntity> entities = space.at(index);
      QCOMPARE(space.indexOf(entities), index);
      QVERIFY(namedEntityFromJson(toJson(entities.front())) == entities.front());
    }
    // The first knob is the least significant digit.
    QCOMPARE(toJson(space.at(1).front()).dump(), std::string(R"(["tile_ic","sp",[-1,2]])"));
    QVERIFY_EXCEPTION_THROWN((void)space.at(space.size()), InputError);
    QVERIFY_EXCEPTION_THROWN((void)space.at(-1), InputError);
  }

  /// Logs of 2018 have the outermost size where later ones have -1.
  void oldSplitsMeanTheSame() {
    const ConfigSpace space = spaceOf("dense_nopack.x86", dense(128, 768, 2304));
    std::vector<NamedEntity> entities = space.at(1000);
    for (NamedEntity& named : entities) {
      auto& split = std::get<SplitEntity>(named.entity);
      split.sizes.front() = 7;
    }
    QCOMPARE(space.indexOf(entities), std::int64_t(1000));
  }

  void neighboursDifferInOneKnob() {
    const ConfigSpace space = spaceOf("dense_nopack.x86", dense(128, 768, 2304));
    Random random(1);
    std::set<std::size_t> changed;
    for (std::int64_t at = 77, i = 0; i < 200; ++i) {
      const std::int64_t next = space.neighbour(at, random);
      const auto before = space.digits(at), after = space.digits(next);
      int differences = 0;
      for (std::size_t knob = 0; knob < before.size(); ++knob)
        if (before[knob] != after[knob]) {
          ++differences;
          changed.insert(knob);
        }
      QCOMPARE(differences, 1);
      at = next;
    }
    QCOMPARE(changed.size(), std::size_t(3));
    const ConfigSpace one({splitKnob("k", {.extent = 1})});
    QCOMPARE(one.neighbour(0, random), std::int64_t(0));
  }

  void whatIsNotThereIsSaid() {
    const ConfigSpace space = spaceOf("dense_nopack.x86", dense(128, 768, 2304));
    std::vector<NamedEntity> entities = space.at(0);
    std::get<SplitEntity>(entities[0].entity).sizes = {-1, 30};
    const auto message = [&] {
      return QString::fromStdString(test::messageOf([&] { (void)space.indexOf(entities); }));
    };
    QVERIFY2(message().contains("tile_y cannot be [-1,30]; the nearest of its 8 values is [-1,32]"),
             qPrintable(message()));
    QVERIFY(!space.find(entities));
    entities = space.at(0);
    entities[2].knob = "tile_z";
    QVERIFY2(message().contains("no knob tile_z; its knobs are tile_y, tile_x, tile_k"),
             qPrintable(message()));
    entities.pop_back();
    QVERIFY2(message().contains("tile_k is not given"), qPrintable(message()));
    QVERIFY_EXCEPTION_THROWN(spaceOf("dense_nopack.x86", TemplateArguments(json::array())),
                             InputError);
    const TemplateArguments tooSmall(
        {tensor({1, 3, 2, 2}), tensor({8, 3, 7, 7}), {1, 1}, {0, 0, 0, 0}, {1, 1}});
    QVERIFY_EXCEPTION_THROWN(spaceOf("conv2d_NCHWc.x86", tooSmall), InputError);
    // Whatever numbers a log has, nothing takes for ever.
    for (const std::int64_t columns :
         {std::int64_t(1) << 28, std::int64_t(9'000'000'000'000'000'000)})
      QVERIFY_EXCEPTION_THROWN(spaceOf("dense_nopack.x86", dense(128, 768, columns)), InputError);
    QVERIFY_EXCEPTION_THROWN(splitKnob("k", {.extent = 14'414'400, .parts = 4}), InputError);
    QCOMPARE(findTemplate("dense_rank.x86"), static_cast<const TemplateKind*>(nullptr));
  }
};

NW_TEST_APPLESS(TemplateSpaces)

} // namespace nestwright::template_spaces_test

#include "template_spaces.moc"
