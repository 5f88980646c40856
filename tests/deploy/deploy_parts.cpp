/// Names, shares, features and sums: what a library is made of, without a compiler.

#include "core/deploy/cpu_features.h"
#include "core/deploy/deploy_options.h"
#include "core/deploy/fit_measure.h"
#include "core/deploy/template_text.h"
#include "core/deploy/weights.h"
#include "core/target/instruction_set.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace nestwright::deploy_parts_test {

using test::messageOf;
using test::says;

class DeployParts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesAreIdentifiers() {
    for (const char* name : {"resnet18", "a_b2", "R"})
      QCOMPARE(messageOf([&] { requireIdentifier(name); }), std::string());
    for (const char* name : {"", "2d", "a-b", "_x", "int", "namespace", "a b", "ä"})
      QVERIFY(says(messageOf([&] { requireIdentifier(name); }), "cannot name a C library"));
    for (const char* name : {"m", "gomp", "kernel", "lambda", "torch", "abs", "zip"})
      QVERIFY(says(messageOf([&] { requireIdentifier(name); }), "a library cannot be called"));
    QCOMPARE(identifierFrom("net.v1-b"), std::string("net_v1_b"));
    QCOMPARE(identifierFrom("3d"), std::string("n3d"));
    QCOMPARE(identifierFrom("float"), std::string("float_library"));
    QCOMPARE(identifierFrom("--"), std::string("library"));
  }

  void parametersAreThereOnce() {
    const std::vector<std::string> names =
        parameterNames({"x", "x", "in/put:0", "pool", "x_2"}, {"pool"});
    QCOMPARE(names, (std::vector<std::string>{"x", "x_2", "in_put_0", "pool_2", "x_2_2"}));
  }

  void sharesAreRead() {
    QCOMPARE(parseShare("95%"), 0.95);
    QCOMPARE(parseShare("0.5"), 0.5);
    QCOMPARE(parseShare("100%"), 1.0);
    for (const char* text : {"", "%", "95", "-1%", "nan", "95 %", "101%"})
      QVERIFY(says(messageOf([&] { parseShare(text); }), "is no share"));
  }

  void promisesAreKeptOrNot() {
    const auto slowdown = [](double now, const char* failure) {
      return KeptPromise{"task", 1, 2.0, now, failure}.slowdown();
    };
    QCOMPARE(slowdown(2.5, ""), 0.25);
    QCOMPARE(slowdown(1.5, ""), -0.25);
    QVERIFY(std::isinf(slowdown(0, "")) && std::isinf(slowdown(1.5, "wrong answer")));
  }

  void processorsAreNamedAsCompilersDo() {
    QCOMPARE(processorNames(),
             (std::vector<std::string>{"native", "x86-64-v2", "x86-64-v3", "x86-64-v4"}));
    for (const std::string& name : processorNames())
      QCOMPARE(std::string(processorName(instructionSetOfProcessor(name))), name);
    QVERIFY(says(messageOf([] { instructionSetOfProcessor("i386"); }), "x86-64-v3"));
  }

  void severalProcessorsAreASet() {
    using enum InstructionSet;
    QVERIFY(parseProcessors("native") == std::vector{Native});
    QVERIFY(parseProcessors("x86-64-v3,x86-64-v4") == (std::vector{Avx512, Avx2}));
    QVERIFY(parseProcessors("x86-64-v4,x86-64-v2,x86-64-v3,x86-64-v2") ==
            (std::vector{Avx512, Avx2, Sse42}));
    QVERIFY(says(messageOf([] { parseProcessors("native,x86-64-v3"); }), "native is for this"));
    for (const char* text : {"", "x86-64-v3,", ",x86-64-v3", "x86-64-v3 x86-64-v4", "x86-64-v5"})
      QVERIFY(says(messageOf([&] { parseProcessors(text); }), "is no processor to compile for"));
    QVERIFY(says(messageOf([] { arrangedSets({}); }), "no processor is chosen"));
    QCOMPARE(processorsText(parseProcessors("x86-64-v2,x86-64-v3")),
             std::string("x86-64-v3, x86-64-v2"));
  }

  void featuresBelongToTheFirstLevelThatHasThem() {
    const auto level = [](const char* name) {
      TargetFacts target;
      target.features = {"sse2", name};
      return levelOf(neededCpuFeatures(target).at(0));
    };
    QCOMPARE(level("sse4_2"), 2);
    QCOMPARE(level("fma"), 3);
    QCOMPARE(level("avx512bw"), 4);
    QCOMPARE(level("avx512_vnni"), 5);
  }

  /// What variants read in the same order is there once; what one alone reads lies together.
  void constantsAreSharedWhereTheyAreEqual() {
    const PackedLayout wide{{4, 8}, {"k", "n"}, {{1, 1, 8}, {0, 1, 4}}};
    const auto variant = [](std::vector<std::pair<TensorId, std::optional<PackedLayout>>> reads) {
      LibraryVariant made;
      made.plan.buffers.push_back({PlannedBuffer::Place::Input, 0, 64, 0, {}});
      for (auto& [tensor, layout] : reads)
        made.plan.buffers.push_back(
            {PlannedBuffer::Place::Constant, tensor, 100 + tensor, 0, std::move(layout)});
      return made;
    };
    // Two orders of the second one in one variant; the third is one variant's alone.
    const std::vector<LibraryVariant> variants = {variant({{1, {}}, {2, wide}, {2, {}}}),
                                                  variant({{2, {}}, {1, {}}, {3, {}}})};
    const WeightsLayout layout = weightsLayout(variants);
    QVERIFY(layout.offsets ==
            (std::vector<std::vector<std::int64_t>>{{-1, 64, 448, 192}, {-1, 192, 64, 320}}));
    QCOMPARE(layout.bytes, 576);
    std::vector<std::array<std::int64_t, 3>> parts;
    for (const WeightsLayout::Part& part : layout.parts)
      parts.push_back({part.variants, part.offset, part.bytes});
    QVERIFY(parts == (std::vector<std::array<std::int64_t, 3>>{
                         {0b11, 64, 256}, {0b10, 320, 128}, {0b01, 448, 128}}));
  }

  /// Nothing that the code may use goes unasked.
  void everyFeatureOfALevelIsAskedFor() {
    // Every processor of x86-64 has these.
    const std::vector<std::string> base = {"cmov", "cx8", "fpu",  "fxsr",
                                           "mmx",  "sse", "sse2", "xsave"};
    for (const InstructionSet set :
         {InstructionSet::Sse42, InstructionSet::Avx2, InstructionSet::Avx512}) {
      TargetFacts target;
      target.features = featuresOf(set);
      const std::vector<CpuFeature> needed = neededCpuFeatures(target);
      for (const std::string& feature : featuresOf(set)) {
        const bool asked =
            std::ranges::any_of(needed, [&](const CpuFeature& one) { return feature == one.name; });
        QVERIFY2(asked != (std::ranges::find(base, feature) != base.end()), feature.c_str());
      }
    }
    TargetFacts arm;
    arm.features = {"asimd", "sve"};
    QVERIFY(says(messageOf([&] { neededCpuFeatures(arm); }), "x86-64 only"));
  }

  /// Any bit that changes changes the sum, and so do words that change places.
  void theChecksumSeesEveryChange() {
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(7 * i);
    const std::uint64_t sum = weightsChecksum(bytes);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::vector<std::uint8_t> other = bytes;
      other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      QVERIFY(weightsChecksum(other) != sum);
    }
    std::vector<std::uint8_t> swapped = bytes;
    std::swap_ranges(swapped.begin(), swapped.begin() + 64, swapped.begin() + 128);
    QVERIFY(weightsChecksum(swapped) != sum);
    QVERIFY(weightsChecksum(std::span(bytes).first(192)) != sum);
  }

  void templatesAreFilled() {
    QCOMPARE(filled("@A@_run(@B@) @A@", {{"A", "net"}, {"B", "x"}}), std::string("net_run(x) net"));
  }
};

NW_TEST_APPLESS(DeployParts)

} // namespace nestwright::deploy_parts_test

#include "deploy_parts.moc"
