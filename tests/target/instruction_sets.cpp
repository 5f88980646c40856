/// A target whose programs use less than the processor has is another one: in its facts, its
/// identity, its text, and what is stored of it.

#include "core/support/error.h"
#include "core/target/instruction_set.h"
#include "core/target/target_json.h"
#include "core/target/target_text.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::instruction_sets_test {

constexpr InstructionSet kSets[] = {InstructionSet::Native, InstructionSet::Sse42,
                                    InstructionSet::Avx2, InstructionSet::Avx512};

/// With AVX-512 and something that no level has.
TargetFacts server() {
  TargetFacts facts;
  facts.cpuName = "znver5";
  facts.cores = 2;
  facts.features = featuresOf(InstructionSet::Avx512);
  facts.features.emplace_back("vaes");
  facts.peakFlopsPerCore = 64;
  facts.peakBytesPerCore = 32;
  return facts;
}

/// A processor without AVX-512.
TargetFacts desktop() {
  TargetFacts facts = server();
  facts.features = featuresOf(InstructionSet::Avx2);
  facts.vectorBytes = 32;
  return facts;
}

class InstructionSets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// C28
  void areTargetsOfTheirOwn() {
    std::set<std::string> ids, texts;
    for (const InstructionSet set : kSets)
      for (const Lowering lowering : {Lowering::Full, Lowering::Plain}) {
        TargetFacts facts = withInstructionSet(server(), set);
        facts.lowering = lowering;
        ids.insert(facts.id());
        texts.insert(facts.text());
      }
    QCOMPARE(ids.size(), std::size_t{8});
    QCOMPARE(texts.size(), std::size_t{8});
    TargetFacts facts = withInstructionSet(server(), InstructionSet::Avx2);
    facts.lowering = Lowering::Plain;
    QCOMPARE(facts.text(), std::string("llvm -keys=cpu -mcpu=x86-64-v3 -num-cores=2 "
                                       "-lowering=plain -isa=avx2"));
    QVERIFY(facts.id().starts_with("llvm-plain-avx2-2c-"));
    // Also where the processor has nothing beyond it.
    QVERIFY(withInstructionSet(desktop(), InstructionSet::Avx2).id() != desktop().id());
    // As before, so that earlier records are found.
    QCOMPARE(withInstructionSet(server(), InstructionSet::Native).id(), server().id());
  }

  void factsFollow() {
    const TargetFacts sse = withInstructionSet(server(), InstructionSet::Sse42);
    QCOMPARE(sse.vectorBytes, 16);
    QCOMPARE(sse.recordHardware()[1], std::int64_t{16});
    QCOMPARE(sse.peakFlopsPerCore, 16.0);
    QCOMPARE(sse.peakBytesPerCore, 8.0);
    QCOMPARE(sse.features, featuresOf(InstructionSet::Sse42));
    QCOMPARE(withInstructionSet(server(), InstructionSet::Avx2).vectorBytes, 32);
    QCOMPARE(withInstructionSet(server(), InstructionSet::Avx512).vectorBytes, 64);
    // Each level has what the one before has.
    for (std::size_t i = 2; i < std::size(kSets); ++i)
      QVERIFY(std::ranges::includes(featuresOf(kSets[i]), featuresOf(kSets[i - 1])));
  }

  void machinesLikeATarget() {
    TargetFacts known = withInstructionSet(server(), InstructionSet::Sse42);
    known.lowering = Lowering::PlainPacked;
    QCOMPARE(alike(server(), known).id(), known.id());
    QVERIFY(alike(desktop(), known).text() == known.text());
  }

  void whatIsMissingIsSaid() {
    QVERIFY(!canRun(desktop(), InstructionSet::Avx512));
    QVERIFY(canRun(desktop(), InstructionSet::Avx2));
    QVERIFY(canRun(desktop(), InstructionSet::Native));
    QCOMPARE(test::messageOf([] { withInstructionSet(desktop(), InstructionSet::Avx512); }),
             std::string("this machine's processor cannot run programs for avx512: it lacks "
                         "avx512bw, avx512cd, avx512dq, avx512f, avx512vl; choose another "
                         "instruction set (native, sse4.2, avx2) or another machine"));
    const TargetFacts gpu = cudaTarget(gpuPreset({9, 0}));
    QVERIFY(!canRun(gpu, InstructionSet::Sse42));
    QVERIFY_THROWS_EXCEPTION(UsageError, withInstructionSet(gpu, InstructionSet::Sse42));
    QVERIFY_THROWS_EXCEPTION(InputError, instructionSetFromName("avx"));
  }

  void areReadFromTexts() {
    for (const InstructionSet set : kSets) {
      const TargetFacts facts = withInstructionSet(server(), set);
      const TargetFacts read = targetFromText(facts.text(), facts.recordHardware());
      QCOMPARE(read.instructionSet, set);
      QCOMPARE(read.text(), facts.text());
      QCOMPARE(targetFromText(facts.text(), {}).vectorBytes, facts.vectorBytes);
    }
    QVERIFY_THROWS_EXCEPTION(InputError, targetFromText("llvm -keys=cpu -isa=avx3", {}));
    QVERIFY_THROWS_EXCEPTION(InputError, targetFromText("llvm -keys=cpu -isa=", {}));
  }

  void areStored() {
    QVERIFY(!toJson(server()).contains("isa")); // as files have it
    for (const InstructionSet set : kSets) {
      const TargetFacts facts = withInstructionSet(server(), set);
      const TargetFacts read = targetFactsFromJson(toJson(facts));
      QCOMPARE(read.instructionSet, set);
      QCOMPARE(read.id(), facts.id());
    }
    nlohmann::json unknown = toJson(server());
    unknown["isa"] = "avx3";
    QVERIFY_THROWS_EXCEPTION(InputError, targetFactsFromJson(unknown));
  }
};

NW_TEST_APPLESS(InstructionSets)

} // namespace nestwright::instruction_sets_test

#include "instruction_sets.moc"
