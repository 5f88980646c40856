/// Products with padding are left out: programs with the padding in the loops that reduce compute
/// what the DAG says, and multiply no more than what lies inside.

#include "core/lower/executed_work.h"
#include "core/lower/lower.h"
#include "core/space/annotation.h"
#include "core/space/sketch.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/interpret.h"
#include "tests/lower/random_tensors.h"
#include "tests/lower/small_tasks.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace nestwright::border_taps_test {

/// One dimension of a window that slides over padded data.
struct Dimension {
  std::int64_t size = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

  std::int64_t padded() const { return size + before + after; }
  std::int64_t output() const { return (padded() - (kernel - 1) * dilation - 1) / stride + 1; }
  /// Pairs of an output and a tap that reads what is no padding.
  std::int64_t inside() const {
    std::int64_t count = 0;
    for (std::int64_t at = 0; at < output(); ++at)
      for (std::int64_t tap = 0; tap < kernel; ++tap) {
        const std::int64_t from = at * stride + tap * dilation - before;
        count += from >= 0 && from < size;
      }
    return count;
  }
};

enum class Window { Convolution, Groups, Depthwise, Maximum, Minimum, Sum };

struct Sliding {
  Window window = Window::Convolution;
  Dimension rows, columns;
  std::int64_t in = 3, out = 18;
  const char* pad = "0f";
};

std::string reduction(const Sliding& s) {
  const Dimension &h = s.rows, &w = s.columns;
  const std::string at = fmt::format("((y*{}) + (r*{})), ((x*{}) + (s*{}))", h.stride, h.dilation,
                                     w.stride, w.dilation);
  const std::string axes = fmt::format("Y(y={}, x={}, f={}) {{r={}, s={}", h.output(), w.output(),
                                       s.out, h.kernel, w.kernel);
  switch (s.window) {
  case Window::Convolution:
    return fmt::format("K = PLACEHOLDER [{}, {}, {}, {}]\n{}, c={}}} += (P[{}, c]*K[r, s, c, f]) "
                       "@layout_free_placeholders(K)\n",
                       h.kernel, w.kernel, s.in, s.out, axes, s.in, at);
  case Window::Groups: // of two
    return fmt::format("K = PLACEHOLDER [{}, {}, {}, {}]\n{}, c={}}} += "
                       "(P[{}, ((floordiv(f, {})*{}) + c)]*K[r, s, c, f])\n",
                       h.kernel, w.kernel, s.in / 2, s.out, axes, s.in / 2, at, s.out / 2,
                       s.in / 2);
  case Window::Depthwise:
    return fmt::format("K = PLACEHOLDER [{}, {}, {}]\n{}}} += (P[{}, f]*K[r, s, f])\n", h.kernel,
                       w.kernel, s.out, axes, at);
  case Window::Maximum:
    return fmt::format("{}}} max= P[{}, f]\n", axes, at);
  case Window::Minimum:
    return fmt::format("{}}} min= P[{}, f]\n", axes, at);
  case Window::Sum:
    break;
  }
  return fmt::format("{}}} += P[{}, f]\n", axes, at);
}

ComputeDag dagOf(const Sliding& s) {
  const Dimension &h = s.rows, &w = s.columns;
  return parseDag(fmt::format(
      "X = PLACEHOLDER [{0}, {1}, {2}]\n"
      "P(h={3}, w={4}, c={2}) = if_then_else((h >= {5}) && (h < {6}) && (w >= {7}) && (w < {8}), "
      "X[(h - {5}), (w - {7}), c], {9})\n"
      "{10}",
      h.size, w.size, s.in, h.padded(), w.padded(), h.before, h.before + h.size, w.before,
      w.before + w.size, s.pad, reduction(s)));
}

/// Multiplications of what is no padding.
double productsInside(const Sliding& s) {
  const Dimension &h = s.rows, &w = s.columns;
  const double all = multiplications(dagOf(s));
  return all * static_cast<double>(h.inside() * w.inside()) /
         static_cast<double>(h.output() * h.kernel * w.output() * w.kernel);
}

bool inlinesPadding(const Sketch& sketch) {
  return std::ranges::any_of(
      sketch.firings, [](const RuleFiring& firing) { return firing.rule == "Inline Padding"; });
}

/// A factored reduction keeps a part for each iteration, which need not be a register tile.
bool isFactored(const State& state) {
  return std::ranges::any_of(
      state.steps(), [](const Step& step) { return std::holds_alternative<RfactorStep>(step); });
}

/// The padding, which is read by the last operator alone.
int paddedStage(const ComputeDag& dag) {
  const std::vector<Op>& ops = dag.ops();
  return static_cast<int>(
      std::ranges::find(ops, std::string("P"), [](const Op& op) { return op->name(); }) -
      ops.begin());
}

/// Sketches of all rules, or of those with the padding inside alone.
std::vector<Sketch> sketchesOf(const ComputeDag& dag, const SpaceOptions& space, bool inlined) {
  SketchRules rules = nestwrightRules(space.target);
  for (const auto& rule : paperRules(space.target))
    rules.push_back(rule);
  std::vector<Sketch> sketches = generateSketches(dag, space, rules);
  if (inlined)
    std::erase_if(sketches, [](const Sketch& sketch) { return !inlinesPadding(sketch); });
  return sketches;
}

class BorderTaps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void multiplyNoPadding_data() { addRows(); }
  void multiplyNoPadding();
  void countWhatIsExecuted();
  void leastOperationsLeaveOutPadding_data();
  void leastOperationsLeaveOutPadding();
  void stayInThePlainLowering();
  void otherPaddingIsRead_data();
  void otherPaddingIsRead();

 private:
  static void addRows();
};

void BorderTaps::addRows() {
  QTest::addColumn<Sliding>("sliding");
  const auto row = [](const char* name, const Sliding& s) { QTest::newRow(name) << s; };
  const Dimension same{8, 3, 1, 1, 1, 1};
  row("3x3", {Window::Convolution, same, {7, 3, 1, 1, 1, 1}});
  row("3x3 of 14", {Window::Convolution, {14, 3, 1, 1, 1, 1}, {14, 3, 1, 1, 1, 1}, 2, 16});
  row("stride 2", {Window::Convolution, {9, 3, 2, 1, 1, 1}, {11, 3, 2, 1, 1, 1}});
  row("stride 2, uneven", {Window::Convolution, {8, 3, 2, 1, 0, 1}, {8, 3, 2, 1, 0, 1}});
  row("7x7 stride 2", {Window::Convolution, {16, 7, 2, 1, 3, 3}, {14, 7, 2, 1, 3, 3}, 3, 16});
  row("5x5, padding 2", {Window::Convolution, {6, 5, 1, 1, 2, 2}, {9, 5, 1, 1, 2, 2}});
  row("asymmetric", {Window::Convolution, {6, 4, 1, 1, 2, 1}, {8, 4, 1, 1, 0, 3}});
  row("dilated", {Window::Convolution, {9, 3, 1, 2, 2, 2}, {10, 3, 1, 3, 3, 3}});
  row("dilated, stride 2", {Window::Convolution, {12, 3, 2, 2, 2, 2}, {12, 3, 2, 2, 1, 3}});
  row("more padding than data", {Window::Convolution, {3, 5, 1, 1, 4, 4}, {4, 5, 1, 1, 4, 4}});
  row("1x1 with padding", {Window::Convolution, {5, 1, 1, 1, 1, 1}, {6, 1, 1, 1, 2, 0}});
  row("groups", {Window::Groups, same, same, 8, 16});
  row("depthwise", {Window::Depthwise, same, {9, 3, 1, 1, 1, 1}, 20, 20});
  row("depthwise, stride 2", {Window::Depthwise, {8, 5, 2, 1, 2, 2}, {8, 5, 2, 1, 2, 2}, 20, 20});
  row("maximum", {Window::Maximum, {8, 3, 2, 1, 1, 1}, same, 20, 20, "-inff"});
  row("minimum", {Window::Minimum, same, {8, 3, 2, 1, 1, 1}, 20, 20, "inff"});
  row("sum", {Window::Sum, same, same, 20, 20});
}

void BorderTaps::multiplyNoPadding() {
  QFETCH(Sliding, sliding);
  const ComputeDag dag = dagOf(sliding);
  SpaceOptions space;
  const std::vector<Sketch> sketches = sketchesOf(dag, space, true);
  QVERIFY(!sketches.empty());
  const std::uint64_t seed = test::randomSeed(20261127);
  const int wanted = test::randomPrograms(8);
  int exact = 0, tiled = 0;
  for (int n = 0; n < wanted; ++n) {
    Random random = Random::stream(seed, print(dag), static_cast<std::uint64_t>(n));
    const Tensors inputs = randomInputs(dag, random);
    const auto sampled = sampleProgram(sketches, space, random);
    if (!sampled.state) continue;
    const Tensors expected = evaluate(dag, inputs);
    std::string problem;
    LowerOptions options;
    options.vectorBytes = n % 3 == 0 ? 64 : n % 3 == 1 ? 16 : 32;
    options.vectorRegisters = n % 2 == 0 ? 32 : 16;
    options.onPass = [&](const std::string& pass, const LoopFunction& function) {
      const bool isLeavingOut = pass == "peel_guards" || pass == "promote_accumulators";
      if (!problem.empty() || !(isLeavingOut || pass == "simplify_again")) return;
      try {
        problem = difference(expected, interpret(function, inputs));
      } catch (const std::runtime_error& error) {
        problem = error.what();
      }
      if (!problem.empty())
        problem = fmt::format("after {}: {}\n{}", pass, problem, print(function));
    };
    const LoopFunction function = lower(*sampled.state, options);
    QVERIFY2(problem.empty(), problem.c_str());
    std::int64_t executed = 0;
    interpret(function, inputs, &executed);
    const std::optional<ExecutedWork> counted = executedWork(function);
    const std::string text = print(function);
    QVERIFY2(counted, text.c_str());
    QCOMPARE(static_cast<std::int64_t>(counted->multiplications), executed);
    const auto inside = static_cast<std::int64_t>(std::llround(productsInside(sliding)));
    QVERIFY2(executed >= inside, text.c_str());
    QVERIFY2(executed <= static_cast<std::int64_t>(multiplications(dag)), text.c_str());
    if (isFactored(*sampled.state)) continue;
    ++tiled;
    exact += executed == inside && text.find("if_then_else") == std::string::npos;
  }
  qInfo("seed %llu: %d of %d programs read no padding", static_cast<unsigned long long>(seed),
        exact, tiled);
  QVERIFY2(exact * 10 >= tiled * 8, "most programs decide each tap outside of their vectors");
}

/// Whatever a program is like: what is counted is what an interpreter multiplies.
void BorderTaps::countWhatIsExecuted() {
  const ComputeDag dag = dagOf({Window::Convolution, {9, 3, 2, 1, 1, 1}, {7, 3, 1, 1, 1, 1}});
  SpaceOptions space;
  const std::vector<Sketch> sketches = sketchesOf(dag, space, false);
  for (std::uint64_t n = 0; n < 24; ++n) {
    Random random = Random::stream(7, "counted", n);
    const Tensors inputs = randomInputs(dag, random);
    const auto sampled = sampleProgram(sketches, space, random);
    if (!sampled.state) continue;
    LowerOptions options;
    options.lowering = n % 3 == 0 ? Lowering::Plain : Lowering::Full;
    const LoopFunction function = lower(*sampled.state, options);
    std::int64_t executed = 0;
    interpret(function, inputs, &executed);
    const std::optional<ExecutedWork> counted = executedWork(function);
    QVERIFY(counted);
    QCOMPARE(static_cast<std::int64_t>(counted->multiplications), executed);
  }
  // The definition's own loops do the definition's work.
  const std::optional<ExecutedWork> naive = executedWork(lowerNaive(dag));
  QVERIFY(naive);
  QCOMPARE(naive->operations, flops(dag));
  QCOMPARE(naive->multiplications, multiplications(dag));
}

/// So a time is not called implausible that leaves out padding alone.
void BorderTaps::leastOperationsLeaveOutPadding_data() {
  addRows();
}

void BorderTaps::leastOperationsLeaveOutPadding() {
  QFETCH(Sliding, sliding);
  const Dimension &h = sliding.rows, &w = sliding.columns;
  const ComputeDag dag = dagOf(sliding);
  const double share = static_cast<double>(h.inside() * w.inside()) /
                       static_cast<double>(h.output() * h.kernel * w.output() * w.kernel);
  QCOMPARE(leastOperations(dag), flops(dag) * share);
}

void BorderTaps::stayInThePlainLowering() {
  const ComputeDag dag = dagOf({Window::Convolution, {8, 3, 1, 1, 1, 1}, {8, 3, 1, 1, 1, 1}});
  SpaceOptions space;
  QVERIFY(!sketchesOf(dag, space, true).empty());
  QVERIFY(
      std::ranges::none_of(generateSketches(dag, space, paperRules(space.target)), inlinesPadding));
  space.target.lowering = Lowering::Plain;
  QVERIFY(sketchesOf(dag, space, true).empty());
  // And where its steps say so, the plain lowering multiplies.
  State state(dag);
  state.apply(ComputeInlineStep{paddedStage(dag)});
  LowerOptions options;
  options.lowering = Lowering::Plain;
  const std::optional<ExecutedWork> plain = executedWork(lower(state, options));
  QVERIFY(plain);
  QCOMPARE(plain->multiplications, multiplications(dag));
}

void BorderTaps::otherPaddingIsRead_data() {
  QTest::addColumn<Sliding>("sliding");
  const Dimension same{8, 3, 1, 1, 1, 1};
  const auto row = [&](const char* name, Window window, const char* pad) {
    QTest::newRow(name) << Sliding{window, same, same, 20, 20, pad};
  };
  row("a sum of products with ones", Window::Depthwise, "1f");
  row("a sum with ones", Window::Sum, "1f");
  row("a maximum with zeros", Window::Maximum, "0f");
  row("a minimum with zeros", Window::Minimum, "0f");
  row("a maximum with infinity", Window::Maximum, "inff");
  row("a minimum with minus infinity", Window::Minimum, "-inff");
}

void BorderTaps::otherPaddingIsRead() {
  QFETCH(Sliding, sliding);
  const ComputeDag dag = dagOf(sliding);
  QVERIFY(sketchesOf(dag, {}, true).empty());
  State state(dag);
  state.apply(ComputeInlineStep{paddedStage(dag)});
  Random random = Random::stream(11, sliding.pad, 0);
  const Tensors inputs = randomInputs(dag, random);
  const LoopFunction function = lower(state);
  const std::string problem = difference(evaluate(dag, inputs), interpret(function, inputs));
  QVERIFY2(problem.empty(), problem.c_str());
  const std::optional<ExecutedWork> work = executedWork(function);
  QVERIFY(work);
  QVERIFY(work->operations >= flops(dag));
}

NW_TEST_APPLESS(BorderTaps)

} // namespace nestwright::border_taps_test

#include "border_taps.moc"
