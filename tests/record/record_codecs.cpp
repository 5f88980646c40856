#include "core/record/format/bytes.h"
#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <limits>

namespace nestwright::record_codecs_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string hex(std::string_view bytes) {
  return QByteArray(bytes.data(), qsizetype(bytes.size())).toHex().toStdString();
}

/// One step of each kind, with unusual numbers.
Steps everyStep() {
  return {AnnotationStep{1, 2, Annotation::Tensorize},
          FuseStep{1, {3, 4, 5}},
          FuseStep{0, {}},
          FuseStep{1, {5, 3, 9}}, // not legal, still kept as it is
          PragmaStep{1, 0, "auto_unroll_max_step$64"},
          PragmaStep{1, 0, "debug_skip_region"},
          PragmaStep{1, 0, "auto_unroll_max_step$064"}, // not how a number is written
          PragmaStep{1, 0, "x$99999999999999999999"},
          PragmaStep{1, 0, "$"},
          ReorderStep{2, {2, 0, 1}},
          SplitStep{2, 1, 512, {8, 2, 4}, true},
          SplitStep{2, 1, std::nullopt, {std::nullopt, 3}, false},
          SplitStep{2, 1, std::int64_t(1) << 40, {}, true},
          SplitStep{2, 1, std::numeric_limits<std::int64_t>::min(), {-1, 0}, true},
          FollowSplitStep{3, 0, 4, 2},
          FollowFusedSplitStep{3, 1, {4, 5}, 1, true},
          StorageAlignStep{3, 1, 32, 16},
          ComputeAtStep{3, 4, 5},
          ComputeInlineStep{6},
          ComputeRootStep{7},
          CacheReadStep{1, "shared", {2, 3}},
          CacheWriteStep{2, "local"},
          RfactorStep{2, 3, 1}};
}

double randomReal(Random& random) {
  switch (random.below(5)) {
  case 0:
    return std::strtod(fmt::format("{:.6g}", random.unit() * 1e-3).c_str(), nullptr);
  case 1:
    return double(random.below(100'000'000'000)) / 1e9; // what a clock gives
  case 2:
    return random.unit() * std::pow(10, int(random.below(600)) - 300);
  case 3:
    return -random.unit();
  default:
    return double(random.below(1000));
  }
}

class RecordCodecs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void realNumbersAreExact_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("bytes");
    QTest::newRow("zero") << 0.0 << 9;
    QTest::newRow("minus zero") << -0.0 << 9;
    QTest::newRow("one") << 1.0 << 1;
    QTest::newRow("failed public cost") << 1e10 << 1;
    QTest::newRow("public cost") << 0.00536798 << 4;
    QTest::newRow("nanoseconds") << 1.234567891 << 6;
    QTest::newRow("third") << 1.0 / 3 << 9;
    QTest::newRow("infinity") << kInfinity << 9;
    QTest::newRow("minus infinity") << -kInfinity << 9;
    QTest::newRow("smallest") << std::numeric_limits<double>::denorm_min() << 9;
    QTest::newRow("largest") << std::numeric_limits<double>::max() << 9;
    QTest::newRow("beyond the short exponents") << 1e40 << 9;
  }
  void realNumbersAreExact() {
    QFETCH(double, value);
    QFETCH(int, bytes);
    ByteWriter out;
    out.real(value);
    QCOMPARE(int(out.bytes().size()), bytes);
    ByteReader in(out.bytes());
    const double back = in.real();
    QCOMPARE(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
    QVERIFY(in.atEnd());
  }

  void randomNumbersAreExact() {
    constexpr std::uint64_t kSeed = 7;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    for (int i = 0; i < 100'000; ++i) {
      const double real = randomReal(random);
      const auto integer = std::int64_t(random.engine()() >> random.below(64));
      ByteWriter out;
      out.real(real);
      out.integer(integer);
      out.integer(-integer);
      out.natural(std::uint64_t(integer));
      ByteReader in(out.bytes());
      const double back = in.real();
      QVERIFY2(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(real),
               fmt::format("{} came back as {}", real, back).c_str());
      QCOMPARE(in.integer(), integer);
      QCOMPARE(in.integer(), -integer);
      QCOMPARE(in.natural(), std::uint64_t(integer));
      QVERIFY(in.atEnd());
    }
  }

  void extremeIntegers() {
    for (const std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
          std::int64_t(-1), std::int64_t(0)}) {
      ByteWriter out;
      out.integer(value);
      QCOMPARE(ByteReader(out.bytes()).integer(), value);
    }
  }

  void textsArePackedWhenItHelps() {
    const std::string longText(70'000, 'x'), shortText = "short";
    QVERIFY(pack(longText).packed);
    QVERIFY(pack(longText).bytes.size() < 200);
    QCOMPARE(unpack(pack(longText).bytes), longText);
    QVERIFY(!pack(shortText).packed);
    QCOMPARE(pack(shortText).bytes, shortText);
    QVERIFY_THROWS_EXCEPTION(InputError, unpack("no such thing"));
    QVERIFY_THROWS_EXCEPTION(InputError, unpack(""));
    std::string cut = pack(longText).bytes;
    cut.resize(cut.size() - 3);
    QVERIFY_THROWS_EXCEPTION(InputError, unpack(cut));
  }

  void everyKindOfStepComesBack() {
    const EncodedSteps encoded = encodeSteps(everyStep());
    QVERIFY(decodeSteps(encoded.shape, encoded.values) == everyStep());
    QVERIFY(decodeSteps("", "").empty());
  }

  /// Files are read for years: these bytes may never change.
  void bytesOfStepsAreFixed() {
    const EncodedSteps encoded = encodeSteps(everyStep());
    QCOMPARE(hex(encoded.shape),
             std::string(
                 "0102020202000202030201156175746f5f756e726f6c6c5f6d61785f737465702403020011646562"
                 "75675f736b69705f726567696f6e030200186175746f5f756e726f6c6c5f6d61785f737465702430"
                 "36340302001678243939393939393939393939393939393939393939030200012404040304000205"
                 "04010301010101050400020001000504010001050401020101010606000807060202080a02010806"
                 "020906080a0c0b0e0c02067368617265640204060d04056c6f63616c0e040602"));
    QCOMPARE(hex(encoded.values),
             std::string(
                 "040b0306000000030a050a0080010000000002800810040802060280808080804002ffffffffffff"
                 "ffffff0101000440200a"));
  }

  void programsOfOneSketchShareTheirShape() {
    const auto program = [](std::int64_t tile, int at, const char* unroll) {
      return Steps{SplitStep{2, 0, 512, {tile, 4}, true}, ComputeAtStep{2, 3, at},
                   PragmaStep{2, 0, unroll}};
    };
    const EncodedSteps a = encodeSteps(program(2, 1, "auto_unroll_max_step$16"));
    const EncodedSteps b = encodeSteps(program(64, 3, "auto_unroll_max_step$512"));
    QCOMPARE(hex(a.shape), hex(b.shape));
    QVERIFY(a.values != b.values);
    QVERIFY(b.values.size() < 12);
  }

  /// Damage must end in an error, never in a crash or a huge allocation.
  void damagedStepsAreRefused() {
    const EncodedSteps good = encodeSteps(everyStep());
    for (std::size_t size = 0; size < good.values.size(); ++size)
      QVERIFY_THROWS_EXCEPTION(InputError, decodeSteps(good.shape, good.values.substr(0, size)));
    QVERIFY_THROWS_EXCEPTION(InputError, decodeSteps(good.shape, good.values + "x"));
    constexpr std::uint64_t kSeed = 11;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
      EncodedSteps bad = good;
      std::string& bytes = random.below(2) == 0 ? bad.shape : bad.values;
      bytes[random.below(bytes.size())] = char(random.below(256));
      try {
        decodeSteps(bad.shape, bad.values);
      } catch (const InputError&) {
        ++refused;
      }
    }
    QVERIFY(refused > 1000);
  }

  void detailsComeBack_data() {
    QTest::addColumn<int>("example");
    QTest::newRow("nothing") << 0;
    QTest::newRow("everything") << 1;
    QTest::newRow("extremes") << 2;
    QTest::newRow("public record") << 3;
    QTest::newRow("micro-batches") << 4;
  }
  void detailsComeBack() {
    QFETCH(int, example);
    MeasureResult result;
    if (example == 1) {
      result.seconds = {1e-3, 1.0 / 3000, 0.00101};
      result.runsPerRepeat = 20;
      result.warmups = 1;
      result.cacheFlushed = result.checked = true;
      result.maxRelativeError = 1e-6;
      result.buildSeconds = 0.05;
      result.runSeconds = 0.1;
      result.startedAt = 1'700'000'000'123'456;
      result.failingStep = 3;
      result.machine = {3.1875e9, 61.5, 310.25, "power cap, sync boost", 1.25e-4, -0.03125};
      result.kernels = {{"nw_C", 64, 0, 0, 16384, {3, 24, 64, OccupancyLimit::Registers}},
                        {"nw_D", 255, 96, 128, 0, {1, 8, 64, OccupancyLimit::SharedMemory}}};
    } else if (example == 2) {
      result.seconds = {kInfinity, 5e-324};
      result.runsPerRepeat = 0;
      result.failingStep = std::numeric_limits<int>::max();
      result.maxRelativeError = kInfinity;
      result.startedAt = std::numeric_limits<std::int64_t>::min();
    } else if (example == 3) {
      result.seconds = {0.00214377};
      result.buildSeconds = 1.73512;
      result.startedAt = 1'700'000'000'000'000;
    } else if (example == 4) {
      result.seconds = {1e-3, 1.1e-3, 0.9e-3};
      result.runsPerRepeat = 50;
      result.evaluation =
          Evaluation{EvaluatorKind::Adaptive, SpeedEstimate::Cumulative, StopReason::Hopeless, 2};
    }
    const std::string bytes = encodeDetails(result);
    MeasureResult back;
    decodeDetails(bytes, back);
    QVERIFY(back.seconds == result.seconds);
    QCOMPARE(back.runsPerRepeat, result.runsPerRepeat);
    QCOMPARE(back.warmups, result.warmups);
    QCOMPARE(back.cacheFlushed, result.cacheFlushed);
    QCOMPARE(back.checked, result.checked);
    QCOMPARE(back.maxRelativeError, result.maxRelativeError);
    QCOMPARE(back.buildSeconds, result.buildSeconds);
    QCOMPARE(back.runSeconds, result.runSeconds);
    QCOMPARE(back.startedAt, result.startedAt);
    QCOMPARE(back.failingStep, result.failingStep);
    QCOMPARE(back.machine, result.machine);
    QVERIFY(back.evaluation == result.evaluation);
    QVERIFY(back.kernels == result.kernels);
    if (example == 0) QCOMPARE(int(bytes.size()), 1);
    if (example == 3) QVERIFY(bytes.size() <= 16);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      QVERIFY_THROWS_EXCEPTION(InputError, decodeDetails(bytes.substr(0, size), back));
  }

  /// More micro-batches than times, or a reason that there is not, is damage.
  void damagedEvaluationsAreRefused() {
    MeasureResult result, back;
    result.seconds = {1e-3};
    result.evaluation =
        Evaluation{EvaluatorKind::Fixed, SpeedEstimate::Batch, StopReason::Steady, 1};
    const std::string bytes = encodeDetails(result);
    decodeDetails(bytes, back);
    for (std::size_t last = 1; last <= 4; ++last) {
      std::string bad = bytes;
      bad[bad.size() - last] = 9;
      QVERIFY_THROWS_EXCEPTION(InputError, decodeDetails(bad, back));
    }
  }

  /// An evaluated time is of some micro-batches, and they of some runs.
  void evaluationsOfNothingAreRefused() {
    MeasureResult result, back;
    result.seconds = {1e-3, 2e-3};
    result.evaluation =
        Evaluation{EvaluatorKind::Fixed, SpeedEstimate::Batch, StopReason::Steady, 1};
    decodeDetails(encodeDetails(result), back);
    for (const int batches : {0, -1, 3}) {
      result.evaluation->batches = batches;
      QVERIFY_THROWS_EXCEPTION(InputError, decodeDetails(encodeDetails(result), back));
    }
    result.evaluation->batches = 1;
    for (const int runs : {0, -1}) {
      result.runsPerRepeat = runs;
      QVERIFY_THROWS_EXCEPTION(InputError, decodeDetails(encodeDetails(result), back));
    }
  }

  void notANumberComesBack() {
    MeasureResult result, back;
    result.maxRelativeError = std::nan("");
    decodeDetails(encodeDetails(result), back);
    QVERIFY(std::isnan(back.maxRelativeError));
  }

  /// A wrong byte anywhere in what is compressed is seen, or changes nothing.
  void wrongBytesOfAFrameAreSeen() {
    Random random(5);
    std::string plain;
    for (int i = 0; i < 200; ++i)
      plain += fmt::format("[\"SP\", 2, {}, 512, [8, 2, {}], 1], ", i, random.below(64));
    const std::string frame = compress(plain, 3);
    QCOMPARE(decompress(frame, plain.size(), "a text"), plain);
    for (std::size_t at = 0; at < frame.size(); ++at)
      for (const int bit : {0, 3, 7}) {
        std::string damaged = frame;
        damaged[at] = char(damaged[at] ^ (1 << bit));
        try {
          QCOMPARE(decompress(damaged, plain.size(), "a text"), plain);
        } catch (const InputError&) {
        }
      }
  }

  void codesOfVerdicts() {
    for (int code = 0; code < 11; ++code)
      QCOMPARE(codeOf(verdictOf(code)), code);
    QCOMPARE(codeOf(Verdict::Cancelled), 9);
    QCOMPARE(codeOf(Verdict::NotRecorded), 10);
    QVERIFY_THROWS_EXCEPTION(InputError, verdictOf(11));
    QVERIFY_THROWS_EXCEPTION(InputError, verdictOf(-1));
  }
};

NW_TEST_APPLESS(RecordCodecs)

} // namespace nestwright::record_codecs_test

#include "record_codecs.moc"
