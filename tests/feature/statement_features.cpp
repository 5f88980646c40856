/// Features of many programs: against the loop IR, in parallel, and of programs that have none.

#include "core/feature/statement_features.h"

#include "core/lower/build_loop_nest.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/lower/random_program.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace nestwright::statement_features_test {

constexpr std::uint64_t kSeed = 20261122;

double unscaled(float x) {
  return std::exp2(static_cast<double>(x)) - 1;
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b));
}

std::size_t index(std::string_view name) {
  const auto& names = featureNames();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) qFatal("no such feature");
  return static_cast<std::size_t>(found - names.begin());
}

/// What the loop IR says of the last store to a buffer.
struct SeenStatement {
  const BufferNode* buffer = nullptr;
  double iterations = 1, loops = 0, vectorized = 0, parallel = 0, unrollMaxStep = 0;
  double adds = 0, muls = 0;
};

/// Counts of floating-point operations; false when a choice may take some away.
bool countOperations(const Expr& e, SeenStatement& seen) {
  bool plain = true;
  visit(e, [&](const Expr& node) {
    plain = plain && node->kind != ExprKind::IfThenElse && node->kind != ExprKind::Select;
    if (!node->type.isFloat()) return true;
    seen.adds += node->kind == ExprKind::Add || node->kind == ExprKind::Sub ? 1 : 0;
    seen.muls += node->kind == ExprKind::Mul ? 1 : 0;
    return true;
  });
  return plain;
}

/// The last store to each buffer, in the order of execution.
void collect(const Stmt& s, SeenStatement around, std::vector<SeenStatement>& seen) {
  if (s->kind == StmtKind::For) {
    around.iterations *= static_cast<double>(s->extent);
    around.loops += 1;
    around.vectorized += s->forKind == ForKind::Vectorized ? 1 : 0;
    around.parallel += s->forKind == ForKind::Parallel ? 1 : 0;
  } else if (s->kind == StmtKind::Store) {
    around.buffer = s->buffer.get();
    if (!countOperations(s->value, around)) around.adds = around.muls = -1;
    std::erase_if(seen, [&](const SeenStatement& other) { return other.buffer == around.buffer; });
    seen.push_back(around);
  }
  for (const Stmt& child : s->body)
    collect(child, around, seen);
}

class StatementFeaturesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheLoopIr_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"matmul:m=12,n=32,k=10", "matmul:m=7,n=19,k=5,bias=1,relu=1",
          "batch_matmul:b=3,m=5,n=18,k=9", "conv1d:n=1,l=11,ci=4,co=20,k=3,s=2,p=1",
          "conv2d:n=1,h=9,w=7,ci=3,co=18,k=3,s=2,p=1,bias=1,relu=1",
          "depthwise_conv2d:n=1,h=8,w=7,c=20,k=3,s=1,p=1",
          "transposed_conv2d:n=1,h=4,w=4,ci=5,co=6,k=4,s=2,p=1", "softmax:m=6,n=37",
          "norm:m=5,n=70"})
      QTest::newRow(text) << QString(text);
  }

  /// The state is read straight; the loop IR is made from the same state by other code.
  void agreeWithTheLoopIr() {
    QFETCH(QString, text);
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    int compared = 0;
    for (std::uint64_t n = 0; n < 60; ++n) {
      Random random = Random::stream(kSeed, text.toStdString(), n);
      const State state = randomProgram(dag, random);
      std::vector<SeenStatement> seen;
      try {
        collect(buildLoopNest(state, inferBounds(state)).body, {}, seen);
      } catch (const IllegalSchedule&) {
        continue;
      }
      ++compared;
      const std::vector<StatementFeatures> rows = statementFeatures(state);
      QCOMPARE(rows.size(), seen.size());
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const StatementFeatures& row = rows[r];
        const SeenStatement& s = seen[r];
        const auto check = [&](const char* name, double expected) {
          const double actual = unscaled(row.values[index(name)]);
          QVERIFY2(close(actual, expected),
                   fmt::format("seed {} program {}: {} of {} is {}, not {}\n{}", kSeed, n, name,
                               row.statement, actual, expected, printLoopNest(withBounds(state)))
                       .c_str());
        };
        check("outer_prod", s.iterations);
        check("num_loops", s.loops);
        check("vec_num", s.vectorized);
        check("parallel_num", s.parallel);
        if (s.adds >= 0) {
          check("float_addsub", s.adds * s.iterations);
          check("float_mul", s.muls * s.iterations);
        }
        for (const float value : row.values)
          QVERIFY(std::isfinite(value));
        if (QTest::currentTestFailed()) return;
      }
    }
    QVERIFY2(compared >= 10, "hardly any random program is legal");
  }

  void aSketchHasNone() {
    State sketch(parseTaskSpec("matmul:m=12,n=32,k=10").dag);
    sketch.apply(SplitStep{2, 0, 12, {std::nullopt}});
    QVERIFY_EXCEPTION_THROWN(statementFeatures(sketch), IllegalSchedule);
  }

  /// The pragma in force in a statement is that of its stage, also where it is 0; a stage without
  /// one follows the stage around it.
  void anExplicitZeroIsThePragma() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [8, 512]\n"
                                    "C(b) += (A[b, k]*A[b, k])\n"
                                    "D(b) = sqrt(C[b])\n");
    const int partial = 1, total = 2; // once the reduction is factored
    const auto pragmas = [&](const Steps& last) {
      Steps steps{SplitStep{1, 1, 512, {16}}, RfactorStep{1, 1, 1},
                  ComputeAtStep{partial, total, 0}};
      steps.insert(steps.end(), last.begin(), last.end());
      std::vector<double> values;
      for (const auto& row : statementFeatures(State::replay(dag, steps)))
        values.push_back(unscaled(row.values[index("auto_unroll_max_step")]));
      values.resize(2); // the partial sums come first
      return values;
    };
    const PragmaStep outer{total, 0, "auto_unroll_max_step$64"};
    const auto expect = [&](const Steps& last, double first, double second) {
      const std::vector<double> values = pragmas(last);
      QVERIFY2(close(values[0], first) && close(values[1], second),
               fmt::format("{} {}", values[0], values[1]).c_str());
    };
    expect({outer, PragmaStep{partial, 0, "auto_unroll_max_step$0"}}, 0, 64);
    expect({outer}, 64, 64);
    expect({outer, PragmaStep{partial, 0, "auto_unroll_max_step$512"}}, 512, 64);
    expect({PragmaStep{total, 0, "auto_unroll_max_step$0"}}, 0, 0);
  }

  /// handbook/cuda.md 5: extents by axis, and loops of extent 1 among them; parallel loops are what
  /// they are not.
  void threadLoopsAreTold() {
    const ComputeDag dag = parseTaskSpec("matmul:m=8,n=32,k=4").dag;
    State state(dag);
    state.apply(FuseStep{2, {0, 1}});
    state.apply(SplitStep{2, 0, 256, {2, 1, 16, 2}}); // 4, 2, 1, 16, 2
    const Annotation axes[] = {Annotation::BlockX, Annotation::VThread, Annotation::BlockY,
                               Annotation::ThreadX, Annotation::VThread};
    for (int i = 0; i < 5; ++i)
      state.apply(AnnotationStep{2, i, axes[i]});
    const auto rows = statementFeatures(state);
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].values[index("is_gpu")], 1.0F);
    const auto value = [&](const char* name) { return unscaled(rows[0].values[index(name)]); };
    QVERIFY(close(value("blockIdx_x_len"), 4));
    QVERIFY(close(value("blockIdx_y_len"), 1));
    QVERIFY(close(value("blockIdx_z_len"), 1));
    QVERIFY(close(value("threadIdx_x_len"), 16));
    QVERIFY(close(value("threadIdx_y_len"), 1));
    QVERIFY(close(value("vthread_len"), 4));
    QVERIFY(close(value("parallel_num"), 0));
    QVERIFY(close(value("outer_prod"), 8 * 32 * 4));
    QVERIFY(close(value("num_loops"), 6)); // among them the thread loop of extent 1
    const auto plain = statementFeatures(State(dag));
    QCOMPARE(plain[0].values[index("is_gpu")], 0.0F);
    QVERIFY(close(unscaled(plain[0].values[index("blockIdx_x_len")]), 1));
  }

  /// handbook/cuda.md 5: what each thread does alone, and the store of the result, as the public
  /// implementation tells it; by hand from its lowering.
  void aReductionAcrossThreadsHasTwoRows() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [4, 512]\n"
                                    "C(i) += (A[i, k])\n");
    const State state =
        State::replay(dag, {SplitStep{1, 1, 512, {32}}, AnnotationStep{1, 0, Annotation::BlockX},
                            AnnotationStep{1, 2, Annotation::ThreadX}});
    const auto rows = statementFeatures(state);
    QCOMPARE(rows.size(), std::size_t(2));
    const auto check = [&](std::size_t row, const char* name, double expected) {
      const double value = unscaled(rows[row].values[index(name)]);
      QVERIFY2(close(value, expected),
               fmt::format("{} of {}: {}", name, rows[row].statement, value).c_str());
    };
    // Around a thread's share stand the block, the thread, and its 16 of the 512 elements.
    QCOMPARE(rows[0].statement, std::string("C.share"));
    QCOMPARE(rows[0].stage, std::string("C"));
    check(0, "outer_prod", 4 * 32 * 16);
    check(0, "num_loops", 3);
    check(0, "float_addsub", 4 * 32 * 16);
    check(0, "blockIdx_x_len", 4);
    check(0, "threadIdx_x_len", 32);
    check(0, "B0.bytes", 4 * 4 * 32 * 16); // A
    check(0, "B0.unique_bytes", 4 * 4 * 512);
    check(0, "B0.stride", 32);
    check(0, "B0.lines", 4 * 32 * 16); // 32 elements are two lines: one for each
    check(0, "B0.reuse_ct", 0);
    check(0, "B1.acc_type.kReadWrite", 1); // one value of a thread
    check(0, "B1.unique_bytes", 4);
    check(0, "B1.reuse_ct", 16);
    check(0, "B1.reuse_dis_iter", 1);
    check(0, "B1.reuse_dis_bytes", 8);
    check(0, "B2.bytes", 0);
    // The value is no memory that a stage makes.
    for (const char* name : {"alloc_size", "alloc_prod", "alloc_outer_prod", "alloc_inner_prod"})
      check(0, name, 0);

    QCOMPARE(rows[1].statement, std::string("C"));
    check(1, "outer_prod", 4 * 32);
    check(1, "num_loops", 2);
    check(1, "float_addsub", 0);    // what combines the threads is not counted
    check(1, "B0.unique_bytes", 4); // what all threads have together
    check(1, "B0.bytes", 4 * 4 * 32);
    check(1, "B1.acc_type.kWrite", 1);
    check(1, "B1.unique_bytes", 4 * 4);
    check(1, "B1.reuse_ct", 32); // every thread stores it
    check(1, "B2.bytes", 0);
    check(1, "alloc_size", 4 * 4);
    check(1, "alloc_prod", 4);
    check(1, "alloc_outer_prod", 1);
    check(1, "alloc_inner_prod", 4 * 32);
  }

  void aReductionOfThreadsAloneHasOneRow() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [4, 32]\n"
                                    "C(i) += (A[i, k])\n");
    const auto rows =
        statementFeatures(State::replay(dag, {AnnotationStep{1, 0, Annotation::BlockX},
                                              AnnotationStep{1, 1, Annotation::ThreadX}}));
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].statement, std::string("C"));
    QVERIFY(close(unscaled(rows[0].values[index("outer_prod")]), 4 * 32));
    QVERIFY(close(unscaled(rows[0].values[index("float_addsub")]), 0));
  }

  /// No loop at all: one iteration, one element of each buffer.
  void aScalarStatement() {
    const Op a = placeholder("A", {1});
    const Op b = compute("B", {1}, [&](const auto& i) { return read(a, i) * read(a, i); });
    const auto rows = statementFeatures(State(ComputeDag::fromOutputs({b})));
    QCOMPARE(rows.size(), std::size_t(1));
    const auto value = [&](const char* name) { return unscaled(rows[0].values[index(name)]); };
    QVERIFY(close(value("float_mul"), 1));
    QVERIFY(close(value("outer_prod"), 1));
    QVERIFY(close(value("num_loops"), 0));
    QVERIFY(close(value("B0.unique_bytes"), 4));
    QVERIFY(close(value("arith_intensity_curve_9"), 0));
  }

  /// A buffer without dimensions does not move with any loop.
  void aZeroDimensionalBuffer() {
    const Op factor = placeholder("factor", {});
    const Op a = placeholder("A", {64});
    const Op b = compute("B", {64}, [&](const auto& i) { return read(a, i) * read(factor, {}); });
    const auto rows = statementFeatures(State(ComputeDag::fromOutputs({b})));
    QCOMPARE(rows.size(), std::size_t(1));
    // It comes last: it touches the fewest lines.
    const auto value = [&](const char* name) { return unscaled(rows[0].values[index(name)]); };
    QVERIFY(close(value("B2.unique_bytes"), 4));
    QVERIFY(close(value("B2.stride"), 0));
    QVERIFY(close(value("B2.reuse_ct"), 64));
  }

  /// An index that is itself loaded may be anywhere: the whole table counts as touched.
  void aGather() {
    const Op table = placeholder("table", {100, 8});
    const Op ids = placeholder("ids", {10}, kInt64);
    const Op out = compute("out", {10, 8}, [&](const auto& i) {
      return read(table, {read(ids, {i[0]}), i[1]});
    });
    const auto rows = statementFeatures(State(ComputeDag::fromOutputs({out})));
    QCOMPARE(rows.size(), std::size_t(1));
    double most = 0;
    int buffers = 0;
    for (int b = 0; b < 5; ++b) {
      const float bytes = rows[0].values[index(fmt::format("B{}.unique_bytes", b))];
      buffers += bytes > 0 ? 1 : 0;
      most = std::max(most, unscaled(bytes));
    }
    QCOMPARE(buffers, 3);
    QVERIFY(close(most, 3200));
  }
};

NW_TEST_APPLESS(StatementFeaturesTest)

} // namespace nestwright::statement_features_test

#include "statement_features.moc"
