/// \file What AutoTVM's models see of a configuration, worked out by hand from the definition
/// (handbook/cost-models.md 3.4).

#include "core/feature/template_features.h"

#include "core/feature/curve_features.h"
#include "core/feature/feature_cache.h"
#include "core/feature/itervar_features.h"
#include "core/feature/tree_features.h"
#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/template/annotate_knob.h"
#include "core/template/reorder_knob.h"
#include "core/template/split_knob.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace nestwright::template_features_test {

using nlohmann::json;

ComputeDag denseTask(std::int64_t m, std::int64_t n, std::int64_t k) {
  const json arguments = {
      {"TENSOR", {m, k}, "float32"}, {"TENSOR", {n, k}, "float32"}, nullptr, "float32"};
  return templateTask(*findTemplate("dense_nopack.x86"), TemplateArguments(arguments));
}

/// Rows into 2 and 1, columns into 4 and 2, the sum into 2 and 2:
///
///     parallel f in [0, 8)                      # row f / 4, columns from 2 (f % 4)
///       unrolled e in [0, 2)                    # partial sums P[column, lane] = 0
///         vectorized v in [0, 2)
///       for k in [0, 2)
///         unrolled e in [0, 2)                  # P[e, v] += data[f/4, 2k+v] * weight[2(f%4)+e,
///         2k+v]
///           vectorized v in [0, 2)
///       for yi in [0, 1)
///         for xi in [0, 2)
///           C[f/4, 2(f%4)+xi] = 0
///           unrolled v in [0, 2)                # C[...] += P[xi, v]
constexpr std::int64_t kM = 2, kN = 8, kK = 4;
std::vector<NamedEntity> smallConfig() {
  return {{"tile_y", SplitEntity{{-1, 1}}},
          {"tile_x", SplitEntity{{-1, 2}}},
          {"tile_k", SplitEntity{{-1, 2}}}};
}

TouchedNest nestOf(const ComputeDag& task, const TemplateConfig& config) {
  const TemplateProgram program = templateProgram(task, config);
  const State state = State::replay(program.dag, program.steps);
  return touchedNest(state, inferBounds(state));
}

TouchedNest smallNest() {
  return nestOf(denseTask(kM, kN, kK), {"dense_nopack.x86", TemplateVersion::V0_11, smallConfig()});
}

/// What is expected of an access under a loop.
struct Expected {
  double stride, count, reuse, threadCount = 0, threadReuse = 0;
  bool operator==(const Expected&) const = default;
};

std::map<std::string, Expected> touchesOf(const TouchedNest& nest, std::size_t loop) {
  std::map<std::string, Expected> touches;
  for (const LoopTouch& touch : nest.loops[loop].touches)
    touches[nest.accesses[static_cast<std::size_t>(touch.access)].name] = {
        touch.stride, touch.count, touch.reuse, touch.threadCount, touch.threadReuse};
  return touches;
}

QString text(const TouchedNest& nest) {
  std::string all;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const TouchedLoop& loop = nest.loops[i];
    all += fmt::format("\n{} {} level {} length {} topdown {} bottomup {} ops {} {} {}", i,
                       keyword(loop.annotation), loop.level, loop.length, loop.topdown,
                       loop.bottomup, loop.addSub, loop.mul, loop.divMod);
    for (const auto& [name, touch] : touchesOf(nest, i))
      all += fmt::format("\n    {} stride {} count {} reuse {} thread {} {}", name, touch.stride,
                         touch.count, touch.reuse, touch.threadCount, touch.threadReuse);
  }
  return QString::fromStdString(all);
}

/// A tree's nodes, a line each below its parent's; behind a name the facts that are not 0, without
/// their logarithm. A name's number is its place among all names of the nest, behind two others.
QString text(const TouchedNest& nest, const std::vector<float>& tree) {
  std::set<std::string> sorted;
  for (const TouchedLoop& loop : nest.loops)
    sorted.insert(loop.name);
  for (const TouchedAccess& access : nest.accesses)
    sorted.insert(access.buffer);
  std::vector<std::string> names = {"root", "for"};
  names.insert(names.end(), sorted.begin(), sorted.end());
  std::vector<std::size_t> depths;
  std::string all;
  for (std::size_t node = 0; node * TreeColumns::kCount < tree.size(); ++node) {
    const std::span<const float> row =
        std::span(tree).subspan(node * TreeColumns::kCount, TreeColumns::kCount);
    const float parent = row[TreeColumns::kParent];
    depths.push_back(parent < 0 ? 0 : depths.at(static_cast<std::size_t>(parent)) + 1);
    all += fmt::format("{:{}}{}", "", 2 * depths.back(),
                       names.at(static_cast<std::size_t>(row[TreeColumns::kName])));
    for (std::size_t i = 0; i < TreeColumns::kFactCount; ++i)
      if (const double fact = std::exp2(static_cast<double>(row[TreeColumns::kFacts + i])) - 1;
          fact != 0)
        all += fmt::format(" {}: {:.3g}", i, fact);
    all += '\n';
  }
  return QString::fromStdString(all);
}

class TemplateFeaturesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void loopsInTheirOrder() {
    const TouchedNest nest = smallNest();
    struct Loop {
      Annotation annotation;
      double length;
      int level;
      double topdown, bottomup, addSub, mul;
    };
    const std::vector<Loop> expected = {
        {Annotation::Parallel, 8, 1, 8, 64, 0, 0}, // weight: 64 x 1; data: 32 x 2
        {Annotation::Unroll, 2, 2, 16, 4, 0, 0},   {Annotation::Vectorize, 2, 3, 32, 2, 0, 0},
        {Annotation::None, 2, 2, 16, 8, 0, 0}, // weight: 8 x 1
        {Annotation::Unroll, 2, 3, 32, 4, 0, 0},   {Annotation::Vectorize, 2, 4, 64, 2, 1, 1},
        {Annotation::None, 1, 2, 8, 4, 0, 0}, // trivial, and kept
        {Annotation::None, 2, 3, 16, 4, 0, 0},     {Annotation::Unroll, 2, 4, 32, 2, 1, 0},
    };
    QVERIFY2(nest.loops.size() == expected.size(), qPrintable(text(nest)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const TouchedLoop& loop = nest.loops[i];
      QVERIFY2(loop.annotation == expected[i].annotation && loop.length == expected[i].length &&
                   loop.level == expected[i].level && loop.topdown == expected[i].topdown &&
                   loop.bottomup == expected[i].bottomup && loop.addSub == expected[i].addSub &&
                   loop.mul == expected[i].mul && loop.divMod == 0,
               qPrintable(QString::number(i) + text(nest)));
    }
  }

  /// Every access on its own, numbered by its buffer in the order of execution; a store comes
  /// before what it stores is read.
  void accessesUnderEachLoop() {
    const TouchedNest nest = smallNest();
    const std::string p = "dense.rf", c = "dense.repl";
    const auto equal = [&](std::size_t loop, const std::map<std::string, Expected>& expected) {
      return touchesOf(nest, loop) == expected;
    };
    // e moves P by the two lanes, v by one.
    QVERIFY2(equal(2, {{p + "_0", {1, 2, 1}}}), qPrintable(text(nest)));
    QVERIFY2(equal(1, {{p + "_0", {2, 4, 1}}}), qPrintable(text(nest)));
    QVERIFY2(equal(5, {{p + "_1", {1, 2, 1}},
                       {p + "_2", {1, 2, 1}},
                       {"data_0", {1, 2, 1}},
                       {"weight_0", {1, 2, 1}}}),
             qPrintable(text(nest)));
    QVERIFY2(equal(4, {{p + "_1", {2, 4, 1}},
                       {p + "_2", {2, 4, 1}},
                       {"data_0", {0, 2, 2}},     // one row for all columns
                       {"weight_0", {4, 4, 1}}}), // a column is 4 long
             qPrintable(text(nest)));
    QVERIFY2(equal(3, {{p + "_1", {0, 4, 2}},
                       {p + "_2", {0, 4, 2}},
                       {"data_0", {2, 4, 2}},
                       {"weight_0", {2, 8, 1}}}),
             qPrintable(text(nest)));
    QVERIFY2(equal(8, {{c + "_1", {0, 1, 2}}, {c + "_2", {0, 1, 2}}, {p + "_3", {1, 2, 1}}}),
             qPrintable(text(nest)));
    QVERIFY2(equal(7, {{c + "_0", {1, 2, 1}},
                       {c + "_1", {1, 2, 2}},
                       {c + "_2", {1, 2, 2}},
                       {p + "_3", {2, 4, 1}}}),
             qPrintable(text(nest)));
    // A loop of one iteration moves nothing, and multiplies by one.
    QVERIFY2(equal(6, {{c + "_0", {0, 2, 1}},
                       {c + "_1", {0, 2, 2}},
                       {c + "_2", {0, 2, 2}},
                       {p + "_3", {0, 4, 1}}}),
             qPrintable(text(nest)));
    // f is divided for data (stride 1), its remainder taken for weight (1), and both together are
    // 2 f for C; P is memory of one thread. The last two say by how much that of all threads is
    // more than that of one: 8 times the elements, or 8 times the same.
    QVERIFY2(equal(0, {{p + "_0", {0, 4, 8, 1, 8}},
                       {p + "_1", {0, 4, 16, 1, 8}},
                       {p + "_2", {0, 4, 16, 1, 8}},
                       {"data_0", {1, 32, 2, 8, 1}},
                       {"weight_0", {1, 64, 1, 8, 1}},
                       {c + "_0", {2, 16, 1, 8, 1}},
                       {c + "_1", {2, 16, 2, 8, 1}},
                       {c + "_2", {2, 16, 2, 8, 1}},
                       {p + "_3", {0, 4, 8, 1, 8}}}),
             qPrintable(text(nest)));
  }

  /// 18 numbers a loop and 6 an access, logarithms but for the level and the kind of loop.
  void itervarsInOneRow() {
    const std::vector<float> features = itervarFeatures(smallNest());
    const std::size_t touches = 9 + 1 + 1 + 3 * 4 + 2 * 4 + 3;
    QCOMPARE(features.size(), 9 * 18 + 6 * touches);
    const auto log = [](double x) { return static_cast<float>(std::log2(x + 1)); };
    // The first loop, and the first of its accesses by name: data_0.
    const std::vector<float> first = {log(8), 1, log(8), log(64), 0, 0, 0, 0, 0,
                                      0,      0, 0,      1,       0, 0, 0, 0, 0};
    // One-hot: 4 numbers, then block x y z, thread x y z, unrolled, vectorized, parallel.
    QCOMPARE(std::vector<float>(features.begin(), features.begin() + 18), first);
    const std::vector<float> access = {log(1), -1, log(32), log(2), log(8), log(1)};
    QCOMPARE(std::vector<float>(features.begin() + 18, features.begin() + 24), access);
  }

  /// Of the accesses at the deepest level (4) the last to each raw name: data, weight and, of what
  /// is called dense with any suffix, the last read of partial sums.
  void curvesOfTheInnermostAccesses() {
    const TouchedNest nest = smallNest();
    const std::vector<float> features = curveFeatures(nest);
    QCOMPARE(features.size(), std::size_t{3 * 160});
    // By name: data_0, dense.rf_3, weight_0. Weight's points, with the zero in front and sorted:
    // count 0 1 2 3 6, reuse 0 0 0 0 0, topdown 0 3 4 5 6.
    const auto curve = [&](int number) {
      std::vector<float> result;
      for (int i = 0; i < 40; ++i)
        result.push_back(features[static_cast<std::size_t>(320 + 40 * number + i)]);
      return result;
    };
    std::vector<float> reuseOverCount, countOverReuse, topdownOverCount, countOverTopdown;
    const float behindCount[] = {0, 0, 0, 0, 1, 2}, topdown[] = {0, 3, 4, 5, 5, 5};
    const float behindTopdown[] = {0, 1, 2, 0, 0, 0}, count[] = {0, 0, 0, 1, 2, 3};
    for (int x = 0; x < 20; ++x) {
      const auto tail = static_cast<float>(x - 6); // both lists end at 6
      const bool isTail = x >= 6;
      reuseOverCount.insert(reuseOverCount.end(), {0, isTail ? tail : behindCount[x]});
      countOverReuse.insert(countOverReuse.end(), {6, static_cast<float>(x)});
      topdownOverCount.insert(topdownOverCount.end(),
                              {isTail ? 6 : topdown[x], isTail ? tail : behindCount[x]});
      countOverTopdown.insert(countOverTopdown.end(),
                              {isTail ? 6 : count[x], isTail ? tail : behindTopdown[x]});
    }
    QCOMPARE(curve(0), reuseOverCount);
    QCOMPARE(curve(1), countOverReuse);
    QCOMPARE(curve(2), topdownOverCount);
    QCOMPARE(curve(3), countOverTopdown);
  }

  /// Fact 0 is the length; the flags behind it are 7 unrolled, 8 vectorised, 9 parallel, 10 serial.
  /// An access has those loops below it that move it; the last facts of the root are the options.
  void treesOfLoops() {
    const TouchedNest nest = smallNest();
    const std::vector<float> options = {7, 0, 1};
    const QString expected = R"(
root 21: 7 23: 1
  for 0: 8 9: 1
    ax0.0@ax1.0@
    for 0: 2 7: 1
      y@x@
      for 0: 2 8: 1
        k_i
        dense.rf
          y@x@
          k_i
    for 0: 2 10: 1
      k_o
      for 0: 2 7: 1
        y@x@
        for 0: 2 8: 1
          k_i
          dense.rf
            y@x@
            k_i
          dense.rf
            y@x@
            k_i
          data
            ax0.0@ax1.0@
            k_o
            k_i
          weight
            ax0.0@ax1.0@
            k_o
            y@x@
            k_i
    for 0: 1 10: 1
      ax0.1
      for 0: 2 10: 1
        ax1.1
        dense.repl
          ax0.0@ax1.0@
          ax1.1
        for 0: 2 7: 1
          k_i_v
          dense.repl
            ax0.0@ax1.0@
            ax1.1
          dense.repl
            ax0.0@ax1.0@
            ax1.1
          dense.rf
            ax1.1
            k_i_v
)";
    const QString given = text(nest, treeFeatures(nest, options));
    QVERIFY2(given == expected.mid(1), qPrintable("\n" + given));
  }

  /// As the public code cuts them.
  void treesHaveTwentyChildrenANode() {
    TouchedLoop loop;
    loop.length = 3;
    const TouchedNest nest{std::vector(25, loop), {}};
    const std::vector<float> tree = treeFeatures(nest);
    QCOMPARE(tree.size(), (1 + 2 * kMostChildren) * TreeColumns::kCount);
    QCOMPARE(tree[TreeColumns::kCount + TreeColumns::kFacts], 2.0F); // log2(3 + 1)
  }

  /// Also of options that are below 0, which have no logarithm, and of more than there is room for.
  void treesEndTheirRootWithOptions() {
    std::vector<float> options(30, 3);
    options[23] = -5;
    const std::vector<float> tree = treeFeatures(TouchedNest(), options);
    QCOMPARE(tree.size(), TreeColumns::kCount);
    QCOMPARE(tree.back(), -5.0F);
    QCOMPARE(std::count(tree.begin(), tree.end(), 2.0F), 23);
  }

  void knobsAsNumbers() {
    const ConfigSpace space({splitKnob("tile", {.extent = 8}), allOrders("order", 3),
                             annotations("annotation", 2, {"none", "unroll", "vec"}),
                             options("unroll", {{true}, {false}}),
                             options("steps", {{std::int64_t{0}}, {std::int64_t{512}}}),
                             options("word", {{"a"}, {"b"}})});
    const KnobFeatures knobs(space);
    for (std::int64_t config = 0; config < space.size(); config += 7) {
      const std::vector<NamedEntity> entities = space.at(config);
      std::vector<float> expected, chosen;
      for (const std::int64_t size : std::get<SplitEntity>(entities[0].entity).sizes)
        expected.push_back(static_cast<float>(size));
      for (const int loop : std::get<ReorderEntity>(entities[1].entity).order)
        expected.push_back(static_cast<float>(loop));
      // none, vec, unroll, then what belongs to GPUs.
      for (const std::string& each : std::get<AnnotateEntity>(entities[2].entity).annotations) {
        std::vector<float> oneOf(11, 0);
        oneOf[each == "none" ? 0 : each == "vec" ? 1 : 2] = 1;
        expected.insert(expected.end(), oneOf.begin(), oneOf.end());
      }
      const std::vector<std::size_t> digits = space.digits(config);
      chosen = {digits[3] == 0 ? 1.0F : 0.0F, digits[4] == 0 ? 0.0F : 512.0F,
                static_cast<float>(digits[5])};
      expected.insert(expected.end(), chosen.begin(), chosen.end());
      QCOMPARE(knobs.of(config), expected);
      QCOMPARE(knobs.optionsOf(config), chosen);
    }
    QVERIFY_THROWS_EXCEPTION(InputError, knobs.of(-1));
    QVERIFY_THROWS_EXCEPTION(InputError, knobs.of(space.size()));
  }

  /// The same vectors for one configuration at a time and for many on all cores, from the cache and
  /// anew; options come last.
  void manyAtOnce() {
    const ComputeDag task = parseTaskSpec("conv2d:n=1,h=8,w=8,ci=8,co=16,k=3,s=1,p=1").dag;
    const TaskTemplate of = templatesFor(task).fitting.at(0);
    std::vector<std::int64_t> configs;
    for (std::int64_t config = 0; config < of.space.size(); config += 5)
      configs.push_back(config);
    configs.push_back(configs.front());
    for (const TemplateFeatureKind kind :
         {TemplateFeatureKind::Itervar, TemplateFeatureKind::Knob, TemplateFeatureKind::Curve}) {
      TemplateFeatures features(task, of, kind);
      const std::vector<std::vector<float>> all = features.of(configs);
      QCOMPARE(features.of(configs), all);
      QCOMPARE(features.kept(), kind == TemplateFeatureKind::Knob ? 0 : configs.size() - 1);
      std::size_t made = 0;
      for (std::size_t i = 0; i < configs.size(); i += 9) {
        TemplateFeatures alone(task, of, kind);
        QCOMPARE(alone.of(std::span(configs).subspan(i, 1)).at(0), all[i]);
        if (all[i].empty()) continue;
        ++made;
        for (const float value : all[i])
          QVERIFY(std::isfinite(value));
        const std::vector<float> options = KnobFeatures(of.space).optionsOf(configs[i]);
        QVERIFY(!options.empty());
        QVERIFY(std::equal(options.rbegin(), options.rend(), all[i].rbegin()));
      }
      QVERIFY(made > 3);
      QVERIFY_THROWS_EXCEPTION(InputError, features.of(std::vector{of.space.size()}));
    }
  }

  /// Of a GPU's programs, too: loops are bound to blocks, virtual threads and threads.
  void seesThreads() {
    for (const char* spec : {"conv2d:n=1,h=8,w=8,ci=8,co=16,k=3,s=1,p=1", "matmul:m=64,n=64,k=32",
                             "matmul:m=4,n=64,k=32", "batch_matmul:b=2,m=16,n=16,k=16",
                             "depthwise_conv2d:n=1,h=8,w=8,c=16,k=3,s=1,p=1"}) {
      const ComputeDag task = parseTaskSpec(spec).dag;
      const TaskTemplate of =
          templatesFor(task, TemplateVersion::V0_11, TemplateMachine::Gpu).fitting.at(0);
      const std::int64_t config = of.space.size() * 2 / 3;
      const TouchedNest nest = nestOf(task, {of.kind->name, of.version, of.space.at(config)});
      QVERIFY(std::ranges::any_of(nest.loops, [](const TouchedLoop& loop) {
        return blockAxis(loop.annotation).has_value();
      }));
      QVERIFY(std::ranges::any_of(nest.loops, [](const TouchedLoop& loop) {
        return threadAxis(loop.annotation).has_value();
      }));
      for (const TemplateFeatureKind kind :
           {TemplateFeatureKind::Itervar, TemplateFeatureKind::Knob, TemplateFeatureKind::Curve,
            TemplateFeatureKind::Tree})
        QVERIFY2(!TemplateFeatures(task, of, kind).of(std::vector{config}).at(0).empty(),
                 fmt::format("{} {}", of.kind->name, name(kind)).c_str());
    }
  }

  /// Other configurations have other features, where loops have other extents.
  void tellsConfigurationsApart() {
    const ComputeDag task = denseTask(8, 32, 32);
    const TaskTemplate of = templatesFor(task).fitting.at(0);
    std::vector<std::int64_t> configs(static_cast<std::size_t>(of.space.size()));
    std::iota(configs.begin(), configs.end(), std::int64_t{0});
    TemplateFeatures features(task, of, TemplateFeatureKind::Itervar);
    std::vector<std::vector<float>> all = features.of(configs);
    std::erase_if(all, [](const auto& row) { return row.empty(); });
    QVERIFY(all.size() > configs.size() / 2);
    const std::size_t made = all.size();
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    QVERIFY2(all.size() == made, qPrintable(QString("%1 of %2").arg(all.size()).arg(made)));
  }

  /// Memory is bounded by the number of vectors, and where they are long by their numbers.
  void dropsAllWhenFull() {
    FeatureCache cache(3, 100);
    for (std::int64_t config = 0; config < 3; ++config)
      cache.add(config, std::vector<float>(10, static_cast<float>(config)));
    QCOMPARE(cache.size(), std::size_t{3});
    QCOMPARE(cache.at(1), std::vector<float>(10, 1));
    cache.add(3, std::vector<float>(60));
    QCOMPARE(cache.size(), std::size_t{1});
    QVERIFY(cache.contains(3) && !cache.contains(1));
    cache.add(4, std::vector<float>(40));
    QCOMPARE(cache.numbers(), std::size_t{100});
    cache.add(5, std::vector<float>(1));
    QCOMPARE(cache.numbers(), std::size_t{1});
    QVERIFY(!cache.contains(4));
  }

  void areNamed() {
    for (const char* each : {"itervar", "knob", "curve", "tree"})
      QCOMPARE(name(templateFeatureKind(each)), each);
    QVERIFY_THROWS_EXCEPTION(UsageError, templateFeatureKind("itervars"));
  }
};

NW_TEST_APPLESS(TemplateFeaturesTest)

} // namespace nestwright::template_features_test

#include "template_features.moc"
