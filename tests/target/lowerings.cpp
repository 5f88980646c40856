/// A target whose programs are lowered plainly is another one: in its identity, its text, and what
/// is stored of it.

#include "core/support/error.h"
#include "core/target/target_json.h"
#include "core/target/target_text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::lowerings_test {

TargetFacts processor(Lowering lowering) {
  TargetFacts facts;
  facts.cpuName = "znver5";
  facts.cores = 2;
  facts.lowering = lowering;
  return facts;
}

class Lowerings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areTargetsOfTheirOwn() {
    const TargetFacts full = processor(Lowering::Full), plain = processor(Lowering::Plain);
    QVERIFY(full.id() != plain.id());
    QCOMPARE(full.text(), std::string("llvm -keys=cpu -mcpu=znver5 -num-cores=2"));
    QCOMPARE(plain.text(), std::string("llvm -keys=cpu -mcpu=znver5 -num-cores=2 -lowering=plain"));
    QVERIFY(plain.id().starts_with("llvm-plain-2c-"));
    // What public records have is the machine's alone.
    QVERIFY(full.recordHardware() == plain.recordHardware());
  }

  void areReadFromTexts() {
    for (const Lowering lowering : {Lowering::Full, Lowering::Plain, Lowering::PlainPacked}) {
      const TargetFacts facts = processor(lowering);
      const TargetFacts read = targetFromText(facts.text(), facts.recordHardware());
      QCOMPARE(read.lowering, lowering);
      QCOMPARE(read.text(), facts.text());
    }
  }

  /// A text of another lowering is of another target than any here (C28).
  void othersAreRefusedInTexts() {
    QVERIFY_EXCEPTION_THROWN(targetFromText("llvm -keys=cpu -lowering=best", {}), InputError);
    QVERIFY_EXCEPTION_THROWN(targetFromText("llvm -keys=cpu -lowering=", {}), InputError);
  }

  void areStored() {
    QVERIFY(!toJson(processor(Lowering::Full)).contains("lowering")); // as files have it
    for (const Lowering lowering : {Lowering::Full, Lowering::Plain, Lowering::PlainPacked}) {
      const TargetFacts facts = processor(lowering);
      const TargetFacts read = targetFactsFromJson(toJson(facts));
      QCOMPARE(read.lowering, lowering);
      QCOMPARE(read.id(), facts.id());
    }
    nlohmann::json unknown = toJson(processor(Lowering::Plain));
    unknown["lowering"] = "best";
    QVERIFY_EXCEPTION_THROWN(targetFactsFromJson(unknown), InputError);
  }
};

NW_TEST_APPLESS(Lowerings)

} // namespace nestwright::lowerings_test

#include "lowerings.moc"
