/// \file Statements: loops of every kind, parallel loops on one to four threads, allocations in
/// every scope, conditions, strided and gathered accesses, constants.

#include "core/lower/lower.h"
#include "core/tensor/half.h"
#include "core/tensor/text.h"
#include "tests/plugins/kernel_runner.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cfloat>
#include <cmath>
#include <numeric>

namespace nestwright::statements_test {

using test::RunnableKernel;

LoopFunction functionOf(std::vector<Buffer> parameters, int inputs, Stmt body) {
  LoopFunction function;
  function.name = "statement";
  function.parameters = std::move(parameters);
  function.inputCount = inputs;
  function.body = std::move(body);
  return function;
}

void fill(float* data, int n) {
  for (int i = 0; i < n; ++i)
    data[i] = static_cast<float>(i * 7 % 23 - 11);
}

/// An index that no memory backs: touching it ends the process.
Expr faraway(const Expr& index) {
  return index + Expr(std::int64_t{1} << 40);
}

class Statements : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quotientsOfARow_data() {
    QTest::addColumn<QString>("by");
    for (const char* by : {"computed", "given", "literal"})
      QTest::newRow(by) << by;
  }

  /// By one number that the kernel computed: a product with its reciprocal, which rounds twice. By
  /// what is given: as it is written, since steps of a quantisation must not come out as others.
  void quotientsOfARow() {
    QFETCH(QString, by);
    constexpr int kLanes = 8, kColumns = 64;
    const Buffer in = makeBuffer("in", {kColumns}), given = makeBuffer("by", {1}),
                 own = makeBuffer("own", {1}), out = makeBuffer("out", {kColumns});
    const Var i = makeVar("i");
    const Expr at = ramp(Expr(i) * Expr(kLanes), Expr(1), kLanes);
    const Expr divisor =
        by == "literal" ? floatImm(3, kFloat32) : load(by == "given" ? given : own, {Expr(0)});
    const Stmt quotients =
        makeFor(i, Expr(0), kColumns / kLanes, ForKind::Serial,
                makeStore(out, {at}, load(in, {at}) / broadcast(divisor, kLanes)));
    const Stmt sum = makeStore(own, {Expr(0)}, load(given, {Expr(0)}));
    const RunnableKernel kernel(
        functionOf({in, given, out}, 2,
                   makeAllocate(own, MemoryScope::Global, makeSequence({sum, quotients}))),
        1);
    fill(kernel.buffer<float>(0), kColumns);
    *kernel.buffer<float>(1) = 3.f;
    kernel.run();
    bool isExact = true;
    for (int k = 0; k < kColumns; ++k) {
      const float found = kernel.buffer<float>(2)[k], expected = kernel.buffer<float>(0)[k] / 3.f;
      isExact = isExact && found == expected;
      QVERIFY(std::abs(found - expected) <= std::abs(expected) * FLT_EPSILON);
    }
    QCOMPARE(isExact, by != "computed");
  }

  void loopKinds_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("extent");
    QTest::addColumn<int>("threads");
    for (const int extent : {1, 3, 7})
      for (const int threads : {1, 2, 4}) {
        const auto row = [&](const char* name, ForKind kind) {
          QTest::newRow(qPrintable(QString("%1 %2, %3 threads").arg(name).arg(extent).arg(threads)))
              << static_cast<int>(kind) << extent << threads;
        };
        row("serial", ForKind::Serial);
        row("parallel", ForKind::Parallel);
        row("vectorized", ForKind::Vectorized);
        row("unrolled", ForKind::Unrolled);
      }
  }

  /// for j in [2, 2 + 5): for i in [j, j + extent): out[j, i] = in[i] + j; the middle loop has the
  /// kind under test, so a parallel one takes a variable from outside.
  void loopKinds() {
    QFETCH(int, kind);
    QFETCH(int, extent);
    QFETCH(int, threads);
    const Buffer in = makeBuffer("in", {32}), out = makeBuffer("out", {8, 32});
    const Var i = makeVar("i"), j = makeVar("j");
    const Stmt store =
        makeStore(out, {Expr(j), Expr(i)}, load(in, {Expr(i)}) + cast(kFloat32, Expr(j)));
    const Stmt body = makeFor(j, Expr(2), 5, ForKind::Serial,
                              makeFor(i, Expr(j), extent, static_cast<ForKind>(kind), store));
    const RunnableKernel kernel(functionOf({in, out}, 1, body), threads);
    fill(kernel.buffer<float>(0), 32);
    std::fill_n(kernel.buffer<float>(1), 8 * 32, -1.f);
    kernel.run();
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 32; ++x) {
        const bool written = y >= 2 && y < 7 && x >= y && x < y + extent;
        const float expected = written ? kernel.buffer<float>(0)[x] + static_cast<float>(y) : -1;
        QCOMPARE(kernel.buffer<float>(1)[y * 32 + x], expected);
      }
  }

  void scratchMemory_data() {
    QTest::addColumn<int>("scope");
    QTest::addColumn<int>("elements");
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 3, 4}) {
      QTest::newRow(qPrintable(QString("per thread, on the stack, %1").arg(threads)))
          << static_cast<int>(MemoryScope::PerThread) << 64 << threads;
      QTest::newRow(qPrintable(QString("per thread, in the workspace, %1").arg(threads)))
          << static_cast<int>(MemoryScope::PerThread) << 40000 << threads;
      QTest::newRow(qPrintable(QString("registers, %1").arg(threads)))
          << static_cast<int>(MemoryScope::Register) << 16 << threads;
    }
  }

  /// parallel r: tmp[i] = in[r, i] * 2; out[r, i] = tmp[n - 1 - i]
  void scratchMemory() {
    QFETCH(int, scope);
    QFETCH(int, elements);
    QFETCH(int, threads);
    constexpr int rows = 9;
    const Buffer in = makeBuffer("in", {rows, elements}), out = makeBuffer("out", {rows, elements});
    const Buffer tmp = makeBuffer("tmp", {elements});
    const Var r = makeVar("r"), i = makeVar("i"), o = makeVar("o");
    const Stmt produce = makeFor(i, Expr(0), elements, ForKind::Serial,
                                 makeStore(tmp, {Expr(i)}, load(in, {Expr(r), Expr(i)}) * Expr(2)));
    const Stmt consume =
        makeFor(o, Expr(0), elements, ForKind::Serial,
                makeStore(out, {Expr(r), Expr(o)}, load(tmp, {Expr(elements - 1) - Expr(o)})));
    const Stmt body = makeFor(
        r, Expr(0), rows, ForKind::Parallel,
        makeAllocate(tmp, static_cast<MemoryScope>(scope), makeSequence({produce, consume})));
    const RunnableKernel kernel(functionOf({in, out}, 1, body), threads);
    const bool inWorkspace = elements == 40000;
    QCOMPARE(kernel.artifact().threadWorkspaceBytes > 0, inWorkspace);
    fill(kernel.buffer<float>(0), rows * elements);
    kernel.run();
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < elements; ++x)
        if (kernel.buffer<float>(1)[y * elements + x] !=
            2 * kernel.buffer<float>(0)[y * elements + elements - 1 - x])
          QFAIL(qPrintable(QString("row %1, element %2").arg(y).arg(x)));
  }

  /// The unrolled copies of an allocation share one place: what one way of addressing writes,
  /// another one reads.
  void allocationInUnrolledLoop() {
    const Buffer in = makeBuffer("in", {9, 16}), out = makeBuffer("out", {9, 16});
    const Buffer tmp = makeBuffer("tmp", {9, 16});
    const Var r = makeVar("r"), u = makeVar("u"), q = makeVar("q");
    const Expr lane = ramp(Expr(0), Expr(1), 16);
    const auto write = [&](const Expr& row) {
      const Expr step = broadcast(cast(kFloat32, Expr(u)), 16);
      return makeStore(tmp, {row, lane}, load(in, {row, lane}) + step);
    };
    const Stmt copy = makeFor(q, Expr(r), 2, ForKind::Serial,
                              makeStore(out, {Expr(q), lane}, load(tmp, {Expr(q), lane})));
    const Stmt body = makeSequence({write(Expr(r)), write(Expr(r) + Expr(1)), copy});
    const Stmt unrolled =
        makeFor(u, Expr(0), 3, ForKind::Unrolled, makeAllocate(tmp, MemoryScope::PerThread, body));
    const RunnableKernel kernel(
        functionOf({in, out}, 1, makeFor(r, Expr(0), 8, ForKind::Serial, unrolled)), 1);
    fill(kernel.buffer<float>(0), 9 * 16);
    kernel.run();
    for (int i = 0; i < 9 * 16; ++i)
      QCOMPARE(kernel.buffer<float>(1)[i], kernel.buffer<float>(0)[i] + 2);
  }

  void sharedWorkspace_data() {
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 4})
      QTest::newRow(qPrintable(QString::number(threads))) << threads;
  }

  /// Two intermediate tensors, each filled by one parallel loop and read by the next.
  void sharedWorkspace() {
    QFETCH(int, threads);
    constexpr int n = 1000;
    const Buffer in = makeBuffer("in", {n}), out = makeBuffer("out", {n});
    const Buffer a = makeBuffer("a", {n}), b = makeBuffer("b", {n});
    const auto loop = [&](const Buffer& to, const std::function<Expr(Expr)>& value) {
      const Var i = makeVar("i");
      return makeFor(i, Expr(0), n, ForKind::Parallel, makeStore(to, {Expr(i)}, value(Expr(i))));
    };
    const Stmt block = makeSequence(
        {loop(a, [&](Expr i) { return load(in, {i}) + Expr(1); }),
         loop(b, [&](Expr i) { return load(a, {Expr(n - 1) - i}) * Expr(3); }),
         loop(out, [&](Expr i) { return load(b, {Expr(n - 1) - i}) + load(a, {i}); })});
    const Stmt body =
        makeAllocate(a, MemoryScope::Global, makeAllocate(b, MemoryScope::Global, block));
    const RunnableKernel kernel(functionOf({in, out}, 1, body), threads);
    QVERIFY(kernel.artifact().workspaceBytes >= 8 * n);
    fill(kernel.buffer<float>(0), n);
    kernel.run();
    for (int i = 0; i < n; ++i)
      QCOMPARE(kernel.buffer<float>(1)[i], 4 * (kernel.buffer<float>(0)[i] + 1));
  }

  void accesses_data() {
    QTest::addColumn<int>("lanes");
    for (const int lanes : {3, 4, 7, 8, 12, 14, 16, 24, 32})
      QTest::newRow(qPrintable(QString("%1 lanes").arg(lanes))) << lanes;
  }

  /// Contiguous, broadcast, strided, reversed and computed lanes; nothing beyond them is written.
  void accesses() {
    QFETCH(int, lanes);
    const Buffer in = makeBuffer("in", {4, 128}), out = makeBuffer("out", {6, 64});
    const Expr lane = ramp(Expr(0), Expr(1), lanes);
    const auto row = [&](int r) { return std::vector<Expr>{Expr(r), lane}; };
    const Stmt body = makeSequence({
        makeStore(out, row(0), load(in, {Expr(1), ramp(Expr(5), Expr(1), lanes)})),
        makeStore(out, row(1), broadcast(load(in, {Expr(2), Expr(3)}), lanes)),
        makeStore(out, row(2), load(in, {Expr(0), ramp(Expr(1), Expr(3), lanes)})),
        makeStore(out, row(3), load(in, {Expr(3), ramp(Expr(lanes), Expr(-1), lanes)})),
        makeStore(out, row(4), load(in, {floorMod(lane, broadcast(Expr(4), lanes)), lane})),
        makeStore(out, {Expr(5), ramp(Expr(1), Expr(2), lanes)}, load(in, {Expr(1), lane})),
    });
    const RunnableKernel kernel(functionOf({in, out}, 1, body), 1);
    fill(kernel.buffer<float>(0), 4 * 128);
    std::fill_n(kernel.buffer<float>(1), 6 * 64, -77.f);
    kernel.run();
    const float* x = kernel.buffer<float>(0);
    const float* y = kernel.buffer<float>(1);
    for (int i = 0; i < lanes; ++i) {
      QCOMPARE(y[i], x[128 + 5 + i]);
      QCOMPARE(y[64 + i], x[2 * 128 + 3]);
      QCOMPARE(y[2 * 64 + i], x[1 + 3 * i]);
      QCOMPARE(y[3 * 64 + i], x[3 * 128 + lanes - i]);
      QCOMPARE(y[4 * 64 + i], x[(i % 4) * 128 + i]);
      if (2 * i + 1 < 64) QCOMPARE(y[5 * 64 + 2 * i + 1], x[128 + i]);
      if (2 * i < 64) QCOMPARE(y[5 * 64 + 2 * i], -77.f);
    }
    for (int r = 0; r < 5; ++r)
      for (int i = lanes; i < 64; ++i)
        QCOMPARE(y[r * 64 + i], -77.f);
  }

  void guards_data() { accesses_data(); }

  /// Guarded loads and stores never touch memory outside, as scalars and lane by lane.
  void guards() {
    QFETCH(int, lanes);
    const Buffer in = makeBuffer("in", {128}), out = makeBuffer("out", {4, 64});
    const Expr lane = ramp(Expr(0), Expr(1), lanes);
    const Expr vectorGuard = lane < Expr(2);
    const Var i = makeVar("i");
    const auto far = [&](const Expr& guard, Expr index) {
      return ifThenElse(guard, load(in, {index}),
                        load(in, {Expr(1) + select(guard, faraway(index), index)}));
    };
    const Expr scalarValue =
        ifThenElse(Expr(i) < Expr(2), load(in, {Expr(i)}),
                   ifThenElse(Expr(i) < Expr(2), load(in, {faraway(Expr(i))}), floatImm(5)));
    const Stmt body = makeSequence({
        makeFor(i, Expr(0), lanes, ForKind::Serial,
                makeStore(out, {Expr(0), Expr(i)}, scalarValue)),
        makeStore(out, {Expr(1), lane}, far(vectorGuard, lane)),
        makeIf(vectorGuard, makeStore(out, {Expr(2), lane}, load(in, {lane}))),
        makeIf(Expr(0) > Expr(1), makeStore(out, {Expr(3), faraway(Expr(0))}, floatImm(1))),
    });
    const RunnableKernel kernel(functionOf({in, out}, 1, body), 1);
    fill(kernel.buffer<float>(0), 128);
    std::fill_n(kernel.buffer<float>(1), 4 * 64, -77.f);
    kernel.run();
    const float* x = kernel.buffer<float>(0);
    const float* y = kernel.buffer<float>(1);
    for (int l = 0; l < lanes; ++l) {
      QCOMPARE(y[l], l < 2 ? x[l] : 5.f);
      QCOMPARE(y[64 + l], l < 2 ? x[l] : x[l + 1]);
      QCOMPARE(y[2 * 64 + l], l < 2 ? x[l] : -77.f);
      QCOMPARE(y[3 * 64 + l], -77.f);
    }
  }

  /// A read-only table, read by several threads, with an index that is itself read from memory.
  void constantsAndIndirection() {
    const Buffer table = makeBuffer("table", {4}), pick = makeBuffer("pick", {40}, kInt32);
    const Buffer out = makeBuffer("out", {40});
    const Var i = makeVar("i");
    LoopFunction function = functionOf(
        {pick, out}, 1,
        makeFor(i, Expr(0), 40, ForKind::Parallel,
                makeStore(out, {Expr(i)}, load(table, {cast(kInt64, load(pick, {Expr(i)}))}))));
    function.constants = {{table, {1.5, -2, 0.25, 8}}};
    const RunnableKernel kernel(function, 2);
    for (int k = 0; k < 40; ++k)
      kernel.buffer<std::int32_t>(0)[k] = (k * 3 + 1) % 4;
    kernel.run();
    const float expected[] = {1.5, -2, 0.25, 8};
    for (int k = 0; k < 40; ++k)
      QCOMPARE(kernel.buffer<float>(1)[k], expected[(k * 3 + 1) % 4]);
  }

  void halfPrecisionAndBool() {
    const Buffer in = makeBuffer("in", {32}, kFloat16), flag = makeBuffer("flag", {32}, kBool);
    const Buffer out = makeBuffer("out", {32}, kFloat16);
    const Expr lane = ramp(Expr(0), Expr(1), 32);
    const Expr x = load(in, {lane});
    const Stmt body = makeSequence(
        {makeStore(flag, {lane}, x > Expr(2)),
         makeStore(out, {lane}, select(load(flag, {lane}), call(Intrinsic::Sqrt, {x}), x + x))});
    const RunnableKernel kernel(functionOf({in, flag, out}, 1, body), 1);
    auto* half = kernel.buffer<_Float16>(0);
    for (int i = 0; i < 32; ++i)
      half[i] = static_cast<_Float16>(i * 0.25f);
    kernel.run();
    for (int i = 0; i < 32; ++i) {
      const float value = static_cast<float>(i) * 0.25f;
      QCOMPARE(kernel.buffer<std::uint8_t>(1)[i], static_cast<std::uint8_t>(value > 2));
      const auto expected = static_cast<_Float16>(value > 2 ? std::sqrt(value) : 2 * value);
      QCOMPARE(static_cast<float>(kernel.buffer<_Float16>(2)[i]), static_cast<float>(expected));
    }
  }

  void halvesRoundAsTheEvaluatorSays_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<bool>("vectorised");
    for (const char* type : {"float16", "bfloat16"})
      for (const bool vectorised : {false, true})
        QTest::addRow("%s, %s", type, vectorised ? "vectors" : "naive")
            << QString(type) << vectorised;
  }

  /// Every number of 16 bits, and float32 numbers at and beside the middle between two of them.
  void halvesRoundAsTheEvaluatorSays() {
    QFETCH(QString, type);
    QFETCH(bool, vectorised);
    constexpr std::int64_t kCount = 1 << 16;
    const DataType half = parseDataType(type.toStdString());
    const Buffer in = makeBuffer("in", {kCount}, half), near = makeBuffer("near", {kCount});
    const Buffer wide = makeBuffer("wide", {kCount}), narrow = makeBuffer("narrow", {kCount}, half);
    const Buffer sum = makeBuffer("sum", {kCount}, half), less = makeBuffer("less", {kCount}, half);
    const Var i = makeVar("i");
    const std::vector<Expr> at = vectorised
                                     ? std::vector<Expr>{ramp(Expr(i) * Expr(16), Expr(1), 16)}
                                     : std::vector<Expr>{Expr(i)};
    const Expr x = load(in, at), y = load(near, at);
    const DataType single = y->type, same = x->type;
    const Stmt body =
        makeSequence({makeStore(wide, at, cast(single, x)), makeStore(narrow, at, cast(same, y)),
                      makeStore(sum, at, x * x + x), makeStore(less, at, min(cast(same, y), x))});
    const RunnableKernel kernel(
        functionOf({in, near, wide, narrow, sum, less}, 2,
                   makeFor(i, Expr(0), vectorised ? kCount / 16 : kCount, ForKind::Serial, body)),
        1, test::compiledAs(vectorised));
    const auto real = [&](std::uint16_t bits) {
      return half.code == DataType::Code::BFloat ? fromBFloat16(bits) : fromFloat16(bits);
    };
    for (std::int64_t k = 0; k < kCount; ++k) {
      const auto bits = static_cast<std::uint16_t>(k);
      kernel.buffer<std::uint16_t>(0)[k] = bits;
      const double middle =
          (static_cast<double>(real(bits)) + real(static_cast<std::uint16_t>(bits ^ 1))) / 2;
      const auto value = static_cast<float>(middle);
      kernel.buffer<float>(1)[k] = k % 3 == 0   ? value
                                   : k % 3 == 1 ? std::nextafter(value, 0.f)
                                                : std::nextafter(value, 1e38f);
    }
    kernel.run();
    const auto agrees = [&](std::uint16_t found, double expected) {
      return std::isnan(expected) ? std::isnan(real(found)) : found == halfBits(expected, half);
    };
    for (std::int64_t k = 0; k < kCount; ++k) {
      const float own = real(kernel.buffer<std::uint16_t>(0)[k]),
                  other = kernel.buffer<float>(1)[k];
      const float widened = kernel.buffer<float>(2)[k];
      QVERIFY2(std::isnan(own) ? std::isnan(widened) : widened == own, qPrintable(type));
      QVERIFY(agrees(kernel.buffer<std::uint16_t>(3)[k], other));
      const double square = roundedTo(own * own, half);
      QVERIFY(agrees(kernel.buffer<std::uint16_t>(4)[k], static_cast<float>(square) + own));
      const double rounded = roundedTo(other, half);
      if (!std::isnan(own) && !std::isnan(rounded))
        QVERIFY(real(kernel.buffer<std::uint16_t>(5)[k]) == std::min<double>(rounded, own));
    }
  }

  void floatsSaturate_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("lanes");
    for (const char* type : {"uint8", "int8", "uint16", "int16", "int32"})
      for (const int lanes : {1, 16, 64})
        QTest::addRow("%s, %d lanes", type, lanes) << QString(type) << lanes;
  }

  /// What does not fit becomes the nearest integer that does, and not a number 0.
  void floatsSaturate() {
    QFETCH(QString, type);
    QFETCH(int, lanes);
    const DataType narrow = parseDataType(type.toStdString());
    const double most =
        std::exp2(narrow.code == DataType::Code::Int ? narrow.bits - 1 : narrow.bits) - 1;
    const double least = narrow.code == DataType::Code::Int ? -most - 1 : 0;
    std::vector<float> values = {NAN,    -NAN,  INFINITY, -INFINITY, 0.0F,   -0.0F, 0.99F,
                                 -0.99F, -1.0F, 1e30F,    -1e30F,    1e-40F, 12.5F, -12.5F};
    for (const double end : {least, most})
      for (const double beside : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5})
        values.push_back(static_cast<float>(end + beside));
    constexpr std::int64_t kCount = 64;
    values.resize(kCount, 3.0F);
    const Buffer in = makeBuffer("in", {kCount}), out = makeBuffer("out", {kCount}, narrow);
    const Var i = makeVar("i");
    const Expr at = lanes == 1 ? Expr(i) : ramp(Expr(i) * Expr(lanes), Expr(1), lanes);
    const RunnableKernel kernel(
        functionOf({in, out}, 1,
                   makeFor(i, Expr(0), kCount / lanes, ForKind::Serial,
                           makeStore(out, {at}, cast(narrow.withLanes(lanes), load(in, {at}))))),
        1, test::compiledAs(lanes > 1));
    std::ranges::copy(values, kernel.buffer<float>(0));
    kernel.run();
    for (std::int64_t k = 0; k < kCount; ++k) {
      const double value = values[static_cast<std::size_t>(k)];
      const double expected = std::isnan(value) ? 0 : std::clamp(std::trunc(value), least, most);
      const double found = narrow.bits == 32  ? kernel.buffer<std::int32_t>(1)[k]
                           : type == "uint8"  ? kernel.buffer<std::uint8_t>(1)[k]
                           : type == "int8"   ? kernel.buffer<std::int8_t>(1)[k]
                           : type == "uint16" ? kernel.buffer<std::uint16_t>(1)[k]
                                              : kernel.buffer<std::int16_t>(1)[k];
      QVERIFY2(found == expected, qPrintable(QString("%1: %2").arg(value).arg(found)));
    }
  }

  void extremesOfInfinities_data() {
    QTest::addColumn<bool>("isMax");
    QTest::addColumn<bool>("isLowered");
    for (const bool isMax : {true, false})
      for (const bool isLowered : {true, false})
        QTest::addRow("%s, %s", isMax ? "max" : "min", isLowered ? "vectors" : "as it stands")
            << isMax << isLowered;
  }

  /// Of rows of nothing but an infinity, of vectors and what is left of them, and of one with a
  /// number in it.
  void extremesOfInfinities() {
    QFETCH(bool, isMax);
    QFETCH(bool, isLowered);
    constexpr int kRows = 3, kColumns = 75;
    const ComputeDag dag = parseDag(fmt::format("A = PLACEHOLDER [{}, {}]\nM(i) {}= A[i, k]\n",
                                                kRows, kColumns, isMax ? "max" : "min"));
    const RunnableKernel kernel(
        isLowered ? lower(State::replay(dag, {}), LowerOptions()) : lowerNaive(dag), 1);
    const float infinity = isMax ? -INFINITY : INFINITY;
    float* data = kernel.buffer<float>(0);
    std::fill_n(data, kRows * kColumns, infinity);
    data[2 * kColumns - 1] = isMax ? -FLT_MAX : FLT_MAX;
    kernel.run();
    const float* result = kernel.buffer<float>(1);
    QCOMPARE(result[0], infinity);
    QCOMPARE(result[1], data[2 * kColumns - 1]);
    QCOMPARE(result[2], infinity);
  }

  /// Conversions between other types and those of 16 bits go through float32.
  void halvesConvert() {
    const Buffer whole = makeBuffer("whole", {64}, kInt64),
                 out = makeBuffer("out", {64}, kBFloat16);
    const Buffer other = makeBuffer("other", {64}, kFloat16),
                 back = makeBuffer("back", {64}, kInt32);
    const Buffer table = makeBuffer("table", {64}, kBFloat16);
    const Var i = makeVar("i");
    const std::vector<Expr> at{Expr(i)};
    const Expr x = load(whole, at);
    LoopFunction function =
        functionOf({whole, out, other, back}, 1,
                   makeFor(i, Expr(0), 64, ForKind::Serial,
                           makeSequence({makeStore(out, at, cast(kBFloat16, x) + load(table, at)),
                                         makeStore(other, at, cast(kFloat16, cast(kFloat64, x))),
                                         makeStore(back, at, cast(kInt32, load(other, at)))})));
    std::vector<double> values;
    for (int k = 0; k < 64; ++k)
      values.push_back(roundedTo(k * 0.37, kBFloat16));
    function.constants = {{table, values}};
    for (const bool vectorised : {false, true}) {
      const RunnableKernel kernel(function, 1, test::compiledAs(vectorised));
      for (std::int64_t k = 0; k < 64; ++k)
        kernel.buffer<std::int64_t>(0)[k] = k * k * k - 90000;
      kernel.run();
      for (std::int64_t k = 0; k < 64; ++k) {
        const auto value = static_cast<double>(k * k * k - 90000);
        const double sum = roundedTo(value, kBFloat16) + values[static_cast<std::size_t>(k)];
        QCOMPARE(kernel.buffer<std::uint16_t>(1)[k], halfBits(sum, kBFloat16));
        QCOMPARE(kernel.buffer<std::uint16_t>(2)[k], halfBits(value, kFloat16));
        const double whole16 = roundedTo(value, kFloat16);
        if (std::isfinite(whole16))
          QCOMPARE(kernel.buffer<std::int32_t>(3)[k], static_cast<std::int32_t>(whole16));
      }
    }
  }
};

NW_TEST_APPLESS(Statements)

} // namespace nestwright::statements_test

#include "statements.moc"
