/// \file Every expression kind, intrinsic and element type, as scalars and as vectors, against the
/// interpreter of core/tensor.

#include "core/tensor/evaluate.h"
#include "tests/plugins/kernel_runner.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <limits>

namespace nestwright::expressions_test {

using test::RunnableKernel;
using Formula = std::function<Expr(Expr x, Expr y)>;

constexpr int kElements = 48;

struct Case {
  std::string name;
  DataType type;
  Formula formula;
  double low = -4, high = 4; // of the inputs
};

double read(const void* data, DataType type, int i) {
  switch (type.code) {
  case DataType::Code::Bool:
    return static_cast<const std::uint8_t*>(data)[i];
  case DataType::Code::Float:
    return type.bits == 64 ? static_cast<const double*>(data)[i]
                           : static_cast<const float*>(data)[i];
  case DataType::Code::UInt:
    return static_cast<const std::uint8_t*>(data)[i];
  default:
    break;
  }
  if (type.bits == 8) return static_cast<const std::int8_t*>(data)[i];
  if (type.bits == 32) return static_cast<const std::int32_t*>(data)[i];
  return static_cast<double>(static_cast<const std::int64_t*>(data)[i]);
}

void write(void* data, DataType type, int i, double value) {
  if (type.isFloat()) {
    if (type.bits == 64)
      static_cast<double*>(data)[i] = value;
    else
      static_cast<float*>(data)[i] = static_cast<float>(value);
  } else if (type.bits <= 8) {
    static_cast<std::int8_t*>(data)[i] = static_cast<std::int8_t>(static_cast<int>(value));
  } else if (type.bits == 32) {
    static_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(value);
  } else {
    static_cast<std::int64_t*>(data)[i] = static_cast<std::int64_t>(value);
  }
}

/// out[i] = formula(x[i], y[i]) with `lanes` elements a step.
LoopFunction loopOf(const Case& c, DataType result, int lanes) {
  const Buffer x = makeBuffer("x", {kElements}, c.type), y = makeBuffer("y", {kElements}, c.type);
  const Buffer out = makeBuffer("out", {kElements}, result);
  const Var i = makeVar("i");
  const Expr index = lanes == 1 ? Expr(i) : ramp(Expr(i) * Expr(lanes), Expr(1), lanes);
  const Expr value = c.formula(load(x, {index}), load(y, {index}));
  LoopFunction function;
  function.name = "formula";
  function.parameters = {x, y, out};
  function.inputCount = 2;
  function.body =
      makeFor(i, Expr(0), kElements / lanes, ForKind::Serial, makeStore(out, {index}, value));
  return function;
}

std::vector<Case> floatCases(DataType t) {
  const auto f = [](Intrinsic intrinsic) {
    return [intrinsic](Expr x, Expr) { return call(intrinsic, {x}); };
  };
  const auto b = [](ExprKind kind) {
    return [kind](Expr x, Expr y) { return binary(kind, x, y); };
  };
  return {
      {"add", t, b(ExprKind::Add)},
      {"sub", t, b(ExprKind::Sub)},
      {"mul", t, b(ExprKind::Mul)},
      {"div", t, b(ExprKind::Div), 0.5, 3},
      {"min", t, b(ExprKind::Min)},
      {"max", t, b(ExprKind::Max)},
      {"eq", t, b(ExprKind::Eq)},
      {"ne", t, b(ExprKind::Ne)},
      {"lt", t, b(ExprKind::Lt)},
      {"le", t, b(ExprKind::Le)},
      {"gt", t, b(ExprKind::Gt)},
      {"ge", t, b(ExprKind::Ge)},
      {"and", t, [](Expr x, Expr y) { return x > Expr(0) && y > Expr(1); }},
      {"or", t, [](Expr x, Expr y) { return x > Expr(0) || y > Expr(1); }},
      {"not", t, [](Expr x, Expr) { return !(x > Expr(0)); }},
      {"select", t, [](Expr x, Expr y) { return select(x < y, x * y, x - y); }},
      {"if_then_else", t,
       [](Expr x, Expr y) { return ifThenElse(x < y, call(Intrinsic::Exp, {x}), y); }},
      {"to_int32", t,
       [](Expr x, Expr) { return cast(kInt32.withLanes(x->type.lanes), x * Expr(3)); }},
      {"to_int8", t, [](Expr x, Expr) { return cast(kInt8.withLanes(x->type.lanes), x); }},
      {"to_float32", t,
       [](Expr x, Expr y) { return cast(kFloat32.withLanes(x->type.lanes), x * y); }},
      {"to_float64", t, [](Expr x, Expr) { return cast(kFloat64.withLanes(x->type.lanes), x); }},
      {"to_bool", t, [](Expr x, Expr) { return cast(kBool.withLanes(x->type.lanes), x); }},
      {"exp", t, f(Intrinsic::Exp), -80, 80},
      {"log", t, f(Intrinsic::Log), 1e-6, 40},
      {"sqrt", t, f(Intrinsic::Sqrt), 0, 40},
      {"rsqrt", t, f(Intrinsic::Rsqrt), 0.1, 40},
      {"tanh", t, f(Intrinsic::Tanh)},
      {"tanh_near_zero", t, f(Intrinsic::Tanh), -1e-3, 1e-3},
      {"erf", t, f(Intrinsic::Erf)},
      {"erf_near_zero", t, f(Intrinsic::Erf), -1e-3, 1e-3},
      {"sigmoid", t, f(Intrinsic::Sigmoid), -30, 30},
      {"pow", t,
       [](Expr x, Expr y) {
         return call(Intrinsic::Pow, {x, y});
       },
       0.1, 4},
      {"square", t,
       [](Expr x, Expr) {
         return call(Intrinsic::Pow, {x, floatImm(2, x->type.element())});
       }},
      {"abs", t, f(Intrinsic::Abs)},
      {"floor", t, f(Intrinsic::Floor)},
      {"ceil", t, f(Intrinsic::Ceil)},
      {"round", t, f(Intrinsic::Round), -4.5, 7.25},
      {"sin", t, f(Intrinsic::Sin)},
      {"cos", t, f(Intrinsic::Cos)},
      {"fmod", t,
       [](Expr x, Expr y) {
         return call(Intrinsic::Fmod, {x, y});
       },
       -50, 50},
      // Below -1 the sum cancels, and no float32 code can agree to the last digits.
      {"gelu", t,
       [](Expr x, Expr) {
         const Expr half = x * floatImm(0.5, x->type.element());
         return half *
                (floatImm(1, x->type.element()) +
                 call(Intrinsic::Erf, {x * floatImm(0.7071067811865476, x->type.element())}));
       },
       -1, 4},
  };
}

std::vector<Case> integerCases(DataType t) {
  const auto b = [](ExprKind kind) {
    return [kind](Expr x, Expr y) { return binary(kind, x, y); };
  };
  const double low = t.code == DataType::Code::UInt ? 0 : -9;
  return {
      {"add", t, b(ExprKind::Add), low, 9},
      {"mul", t, b(ExprKind::Mul), low, 9},
      {"min", t, b(ExprKind::Min), low, 9},
      {"max", t, b(ExprKind::Max), low, 9},
      {"lt", t, b(ExprKind::Lt), low, 9},
      {"ge", t, b(ExprKind::Ge), low, 9},
      {"floordiv", t, b(ExprKind::FloorDiv), low, 9},
      {"floormod", t, b(ExprKind::FloorMod), low, 9},
      {"floordiv_by_3", t, [](Expr x, Expr) { return floorDiv(x, Expr(3)); }, low, 9},
      {"floormod_by_3", t, [](Expr x, Expr) { return floorMod(x, Expr(3)); }, low, 9},
      {"floordiv_by_4", t, [](Expr x, Expr) { return floorDiv(x, Expr(4)); }, low, 9},
      {"floormod_by_4", t, [](Expr x, Expr) { return floorMod(x, Expr(4)); }, low, 9},
      {"abs", t, [](Expr x, Expr) { return call(Intrinsic::Abs, {x}); }, low, 9},
      {"to_float", t, [](Expr x, Expr) { return cast(kFloat32.withLanes(x->type.lanes), x); }, low,
       9},
      {"to_int64", t, [](Expr x, Expr) { return cast(kInt64.withLanes(x->type.lanes), x); }, low,
       9},
  };
}

/// Inputs spread evenly over the range, in an order in which x and y differ; integers include zero
/// divisors.
double sample(const Case& c, bool second, int i) {
  const int position = second ? (i * 29 + 5) % kElements : (i * 17 + 1) % kElements;
  const double value = c.low + (c.high - c.low) * position / (kElements - 1);
  if (c.type.isFloat()) return static_cast<float>(value);
  return std::round(value);
}

double tolerance(DataType type) {
  if (!type.isFloat()) return 0;
  return type.bits == 64 ? 1e-12 : 2e-6;
}

class Expressions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithInterpreter_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const DataType type : {kFloat32, kFloat64})
      for (const Case& c : floatCases(type))
        add(c, index);
    for (const DataType type : {kInt8, kUInt8, kInt32, kInt64})
      for (const Case& c : integerCases(type))
        add(c, index);
  }

  void agreeWithInterpreter() {
    QFETCH(int, index);
    const Case& c = cases_[static_cast<std::size_t>(index)];
    const Op x = placeholder("x", {kElements}, c.type), y = placeholder("y", {kElements}, c.type);
    const Op out = compute("out", {kElements}, [&](const std::vector<Expr>& i) {
      return c.formula(read(x, {i[0]}), read(y, {i[0]}));
    });
    TensorValues xs, ys;
    for (int i = 0; i < kElements; ++i) {
      xs.push_back(sample(c, false, i));
      ys.push_back(sample(c, true, i));
    }
    const auto expected =
        evaluate(ComputeDag::fromOutputs({out}), {{"x", xs}, {"y", ys}}).at("out");
    for (const int lanes : {1, 4, 12, 16})
      for (const bool vectorise : {true, false}) {
        const RunnableKernel kernel(loopOf(c, out->output->type, lanes), 1,
                                    test::compiledAs(vectorise));
        for (int i = 0; i < kElements; ++i) {
          write(kernel.buffer<void>(0), c.type, i, xs[static_cast<std::size_t>(i)]);
          write(kernel.buffer<void>(1), c.type, i, ys[static_cast<std::size_t>(i)]);
        }
        kernel.run();
        compare(c, out->output->type, kernel.buffer<void>(2), expected, xs, lanes);
      }
  }

  // The quotient of the lowest number and -1 does not fit, and stops a program on some machines.
  void theLowestIntegerIsDivided_data() {
    QTest::addColumn<int>("bits");
    QTest::addColumn<bool>("modulo");
    for (const int bits : {8, 32, 64})
      for (const bool modulo : {false, true})
        QTest::addRow("int%d %s", bits, modulo ? "modulo" : "quotient") << bits << modulo;
  }

  void theLowestIntegerIsDivided() {
    QFETCH(int, bits);
    QFETCH(bool, modulo);
    const DataType type{DataType::Code::Int, static_cast<std::uint8_t>(bits)};
    const double lowest = -std::ldexp(1.0, bits - 1);
    const Case c{"lowest", type,
                 [&](Expr x, Expr y) { return modulo ? floorMod(x, y) : floorDiv(x, y); }};
    for (const int lanes : {1, 4}) {
      const RunnableKernel kernel(loopOf(c, type, lanes), 1, {});
      for (int i = 0; i < kElements; ++i) {
        write(kernel.buffer<void>(0), type, i, lowest);
        write(kernel.buffer<void>(1), type, i, -1);
      }
      kernel.run();
      for (int i = 0; i < kElements; ++i)
        QCOMPARE(read(kernel.buffer<void>(2), type, i), modulo ? 0.0 : lowest);
    }
  }

  void limitsAndNaN_data() {
    QTest::addColumn<int>("intrinsic");
    QTest::addColumn<float>("input");
    QTest::addColumn<float>("expected");
    const float inf = std::numeric_limits<float>::infinity();
    const auto row = [](const char* name, Intrinsic intrinsic, float input, float expected) {
      QTest::newRow(name) << static_cast<int>(intrinsic) << input << expected;
    };
    row("exp(inf)", Intrinsic::Exp, inf, inf);
    row("exp(-inf)", Intrinsic::Exp, -inf, 0);
    row("exp(100)", Intrinsic::Exp, 100, inf);
    row("exp(88.5)", Intrinsic::Exp, 88.5f, std::exp(88.5f));
    row("exp(-103)", Intrinsic::Exp, -103, std::exp(-103.f));
    row("log(0)", Intrinsic::Log, 0, -inf);
    row("log(inf)", Intrinsic::Log, inf, inf);
    row("log(subnormal)", Intrinsic::Log, 1e-40f, std::log(1e-40f));
    row("log(-1)", Intrinsic::Log, -1, std::nanf(""));
    row("tanh(inf)", Intrinsic::Tanh, inf, 1);
    row("tanh(-inf)", Intrinsic::Tanh, -inf, -1);
    row("erf(inf)", Intrinsic::Erf, inf, 1);
    row("erf(-5)", Intrinsic::Erf, -5, -1);
    row("sigmoid(-inf)", Intrinsic::Sigmoid, -inf, 0);
    row("sigmoid(inf)", Intrinsic::Sigmoid, inf, 1);
    for (const Intrinsic intrinsic : {Intrinsic::Exp, Intrinsic::Log, Intrinsic::Tanh,
                                      Intrinsic::Erf, Intrinsic::Sigmoid, Intrinsic::Sqrt})
      row(fmt::format("{}(NaN)", name(intrinsic)).c_str(), intrinsic, std::nanf(""), std::nanf(""));
  }

  void limitsAndNaN() {
    QFETCH(int, intrinsic);
    QFETCH(float, input);
    QFETCH(float, expected);
    const Case c{"limit", kFloat32,
                 [&](Expr x, Expr) { return call(static_cast<Intrinsic>(intrinsic), {x}); }};
    const RunnableKernel kernel(loopOf(c, kFloat32, 16), 1);
    std::fill_n(kernel.buffer<float>(0), kElements, input);
    std::fill_n(kernel.buffer<float>(1), kElements, 0.f);
    kernel.run();
    const float got = kernel.buffer<float>(2)[3];
    if (std::isnan(expected))
      QVERIFY2(std::isnan(got), qPrintable(QString::number(got)));
    else if (std::isinf(expected) || expected == 0)
      QCOMPARE(got, expected);
    else
      QVERIFY2(std::abs(got - expected) <= 1e-6f * std::abs(expected) + 2e-45f,
               qPrintable(QString("%1 instead of %2").arg(got).arg(expected)));
  }

  /// Dense sweeps: the documented accuracy holds everywhere, not only at the samples above.
  void polynomialsAreAccurate_data() {
    QTest::addColumn<int>("intrinsic");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("exp") << static_cast<int>(Intrinsic::Exp) << -87.0 << 88.0;
    QTest::newRow("log") << static_cast<int>(Intrinsic::Log) << 1e-3 << 100.0;
    QTest::newRow("log_near_one") << static_cast<int>(Intrinsic::Log) << 0.9 << 1.1;
    QTest::newRow("tanh") << static_cast<int>(Intrinsic::Tanh) << -9.5 << 9.5;
    QTest::newRow("erf") << static_cast<int>(Intrinsic::Erf) << -4.5 << 4.5;
    QTest::newRow("sigmoid") << static_cast<int>(Intrinsic::Sigmoid) << -20.0 << 20.0;
  }

  void polynomialsAreAccurate() {
    QFETCH(int, intrinsic);
    QFETCH(double, low);
    QFETCH(double, high);
    const auto function = static_cast<Intrinsic>(intrinsic);
    constexpr int n = 1 << 16;
    const Buffer x = makeBuffer("x", {n}), out = makeBuffer("out", {n});
    const Var i = makeVar("i");
    const Expr index = ramp(Expr(i) * Expr(16), Expr(1), 16);
    LoopFunction sweep;
    sweep.parameters = {x, out};
    sweep.inputCount = 1;
    sweep.body = makeFor(i, Expr(0), n / 16, ForKind::Serial,
                         makeStore(out, {index}, call(function, {load(x, {index})})));
    const RunnableKernel kernel(sweep, 1);
    for (int k = 0; k < n; ++k)
      kernel.buffer<float>(0)[k] = static_cast<float>(low + (high - low) * k / (n - 1));
    kernel.run();
    double worst = 0, at = 0;
    for (int k = 0; k < n; ++k) {
      const double input = kernel.buffer<float>(0)[k], exact = reference(function, input);
      const double error = std::abs(kernel.buffer<float>(1)[k] - exact) / std::abs(exact);
      if (exact != 0 && error > worst) {
        worst = error;
        at = input;
      }
    }
    QVERIFY2(worst < 1e-6, qPrintable(QString("relative error %1 at %2").arg(worst).arg(at)));
  }

 private:
  void add(const Case& c, int& index) {
    cases_.push_back(c);
    QTest::newRow(fmt::format("{} {}", toString(c.type), c.name).c_str()) << index++;
  }

  static double reference(Intrinsic function, double x) {
    switch (function) {
    case Intrinsic::Exp:
      return std::exp(x);
    case Intrinsic::Log:
      return std::log(x);
    case Intrinsic::Tanh:
      return std::tanh(x);
    case Intrinsic::Erf:
      return std::erf(x);
    default:
      return 1 / (1 + std::exp(-x));
    }
  }

  static void compare(const Case& c, DataType type, const void* got, const TensorValues& expected,
                      const TensorValues& xs, int lanes) {
    for (int i = 0; i < kElements; ++i) {
      const double value = read(got, type, i), wanted = expected[static_cast<std::size_t>(i)];
      const double margin = tolerance(c.type) * std::max(std::abs(wanted), 1e-30);
      if (std::abs(value - wanted) > margin)
        QFAIL(qPrintable(QString("%1 lanes: element %2 (x = %3) is %4, not %5")
                             .arg(lanes)
                             .arg(i)
                             .arg(xs[static_cast<std::size_t>(i)])
                             .arg(value, 0, 'g', 17)
                             .arg(wanted, 0, 'g', 17)));
    }
  }

  std::vector<Case> cases_;
};

NW_TEST_APPLESS(Expressions)

} // namespace nestwright::expressions_test

#include "expressions.moc"
