/// The loop IR of known programs, as text.

#include "core/lower/build_loop_nest.h"
#include "core/lower/lower.h"
#include "core/lower/unroll_loops.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::lower_golden_test {

const char* const kMatmulRelu = "A = PLACEHOLDER [512, 512]\n"
                                "B = PLACEHOLDER [512, 512]\n"
                                "C(i, j) += (A[i, k]*B[k, j])\n"
                                "D(i, j) = max(C[i, j], 0f)\n";

// The tile that an iteration of the parallel loop computes.
const QString kTileRow = "floordiv(i.0@j.0@i.1@j.1@, 64)";
const QString kTileRowInside = "floordiv(floormod(i.0@j.0@i.1@j.1@, 8), 4)";
const QString kTileColumn = "floordiv(floormod(i.0@j.0@i.1@j.1@, 64), 8)";
const QString kTileColumnInside = "floormod(i.0@j.0@i.1@j.1@, 4)";

State program(const char* dag, const char* steps) {
  return State::replay(parseDag(dag), stepsFromJson(nlohmann::json::parse(steps)));
}

/// The text after one pass, or after the last one.
std::string textAfter(const State& state, const std::string& pass) {
  std::string text;
  LowerOptions options;
  options.onPass = [&](const std::string& name, const LoopFunction& function) {
    if (name == pass) text = print(function);
  };
  LoopFunction function = lower(state, options);
  return pass.empty() ? print(function) : text;
}

class LowerGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tiledMatmul() {
    State state = program(kMatmulRelu,
                          R"([["SP", 2, 0, 512, [2, 4, 8], 1], ["SP", 2, 4, 512, [4, 1, 16], 1],
            ["SP", 2, 8, 512, [8], 1], ["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]],
            ["FSP", 3, 0, 0, 2], ["FSP", 3, 3, 1, 2], ["RE", 3, [0, 3, 1, 4, 2, 5]],
            ["CA", 2, 3, 3], ["FU", 3, [0, 1, 2, 3]], ["AN", 3, 0, 3],
            ["PR", 2, 0, "auto_unroll_max_step$64"], ["AN", 2, 9, 2], ["AN", 3, 2, 2]])");
    QCOMPARE(
        QString::fromStdString(textAfter(state, "simplify_indices")),
        QString("kernel(A: float32[512, 512], B: float32[512, 512]) -> (D: float32[512, 512])\n"
                "  parallel i.0@j.0@i.1@j.1@ in [0, 512)\n"
                "    allocate C: float32[32, 16] in per thread\n"
                "    for i.2.init in [0, 4) auto_unroll: 64\n"
                "      for i.3.init in [0, 8)\n"
                "        vectorized j.3.init in [0, 16)\n"
                "          C[i.2.init*8 + i.3.init, j.3.init] = 0f\n"
                "    for k.0 in [0, 64) auto_unroll: 64\n"
                "      for i.2 in [0, 4)\n"
                "        for k.1 in [0, 8)\n"
                "          for i.3 in [0, 8)\n"
                "            vectorized j.3 in [0, 16)\n"
                "              C[i.2*8 + i.3, j.3] = C[i.2*8 + i.3, j.3] + A[%1*64 + %2*32 + i.2*8 "
                "+ i.3, k.0*8 + k.1]*B[k.0*8 + k.1, %3*64 + %4*16 + j.3]\n"
                "    for i.2 in [0, 32)\n"
                "      vectorized j.2 in [0, 16)\n"
                "        D[%1*64 + %2*32 + i.2, %3*64 + %4*16 + j.2] = max(C[i.2, j.2], 0f)\n")
            .arg(kTileRow, kTileRowInside, kTileColumn, kTileColumnInside));
    QCOMPARE(
        QString::fromStdString(textAfter(state, "")),
        QString(
            "kernel(A: float32[512, 512], B: float32[512, 512]) -> (D: float32[512, 512])\n"
            "  parallel i.0@j.0@i.1@j.1@ in [0, 512)\n"
            "    for i.3 in [0, 2) auto_unroll: 64\n"
            "      allocate C.tile: float32[16, 16] in registers\n"
            "      unrolled i.3.u in [0, 16)\n"
            "        C.tile[i.3.u, ramp(0, 1, 16)] = x16(0f)\n"
            "      for k.1 in [0, 512)\n"
            "        unrolled i.3.u in [0, 16)\n"
            "          C.tile[i.3.u, ramp(0, 1, 16)] = C.tile[i.3.u, ramp(0, 1, 16)] + x16(A[%1*64 "
            "+ %2*32 + i.3*16 + i.3.u, k.1])*B[k.1, ramp(%3*64 + %4*16, 1, 16)]\n"
            "      unrolled i.3.u in [0, 16)\n"
            "        D[%1*64 + %2*32 + i.3*16 + i.3.u, ramp(%3*64 + %4*16, 1, 16)] = "
            "max(C.tile[i.3.u, ramp(0, 1, 16)], x16(0f))\n")
            .arg(kTileRow, kTileRowInside, kTileColumn, kTileColumnInside));
  }

  // The weights in the order of the tiles that run; the last tile of columns is narrower.
  void packedMatmul() {
    State state = program("A = PLACEHOLDER [6, 32]\n"
                          "B = PLACEHOLDER [32, 272]\n"
                          "C(i, j) += (A[i, k]*B[k, j]) @layout_free_placeholders(B)\n",
                          "[]");
    QCOMPARE(
        QString::fromStdString(textAfter(state, "")),
        QString(
            "kernel(A: float32[6, 32], B: float32[3, 32, 96] stored as 3j32k96j) -> (C: float32[6, "
            "272])\n"
            "  for i in [0, 2)\n"
            "    for j in [0, 2)\n"
            "      allocate C.tile: float32[3, 96] in registers\n"
            "      unrolled i.u in [0, 3)\n"
            "        unrolled j.v in [0, 6)\n"
            "          C.tile[i.u, ramp(j.v*16, 1, 16)] = x16(0f)\n"
            "      for k in [0, 32)\n"
            "        unrolled i.u in [0, 3)\n"
            "          unrolled j.v in [0, 6)\n"
            "            C.tile[i.u, ramp(j.v*16, 1, 16)] = C.tile[i.u, ramp(j.v*16, 1, 16)] + "
            "x16(A[i*3 + i.u, k])*B[j, k, ramp(j.v*16, 1, 16)]\n"
            "      unrolled i.u in [0, 3)\n"
            "        unrolled j.v in [0, 6)\n"
            "          C[i*3 + i.u, ramp(j*96 + j.v*16, 1, 16)] = C.tile[i.u, ramp(j.v*16, 1, "
            "16)]\n"
            "    allocate C.tile: float32[3, 80] in registers\n"
            "    unrolled i.u in [0, 3)\n"
            "      unrolled j.v in [0, 5)\n"
            "        C.tile[i.u, ramp(j.v*16, 1, 16)] = x16(0f)\n"
            "    for k in [0, 32)\n"
            "      unrolled i.u in [0, 3)\n"
            "        unrolled j.v in [0, 5)\n"
            "          C.tile[i.u, ramp(j.v*16, 1, 16)] = C.tile[i.u, ramp(j.v*16, 1, 16)] + "
            "x16(A[i*3 + i.u, k])*B[2, k, ramp(j.v*16, 1, 16)]\n"
            "    unrolled i.u in [0, 3)\n"
            "      unrolled j.v in [0, 5)\n"
            "        C[i*3 + i.u, ramp(j.v*16 + 192, 1, 16)] = C.tile[i.u, ramp(j.v*16, 1, "
            "16)]\n"));
  }

  void packedConvolution() {
    State state = program("X = PLACEHOLDER [6, 6, 4]\n"
                          "W = PLACEHOLDER [3, 3, 4, 32]\n"
                          "Y(y=4, x=4, f) += (X[(y + r), (x + s), c]*W[r, s, c, f]) "
                          "@layout_free_placeholders(W)\n",
                          R"([["SP", 2, 2, 32, [16], 1], ["RE", 2, [2, 0, 1, 6, 4, 5, 3]]])");
    QCOMPARE(QString::fromStdString(textAfter(state, "")),
             QString("kernel(X: float32[6, 6, 4], W: float32[4, 3, 3, 32] stored as 4c3r3s32f) -> "
                     "(Y: float32[4, 4, 32])\n"
                     "  for y in [0, 2)\n"
                     "    allocate Y.tile: float32[2, 4, 32] in registers\n"
                     "    unrolled y.u in [0, 2)\n"
                     "      unrolled x.u in [0, 4)\n"
                     "        unrolled f.1.v in [0, 2)\n"
                     "          Y.tile[y.u, x.u, ramp(f.1.v*16, 1, 16)] = x16(0f)\n"
                     "    for c in [0, 4)\n"
                     "      for r in [0, 3)\n"
                     "        for s in [0, 3)\n"
                     "          unrolled y.u in [0, 2)\n"
                     "            unrolled x.u in [0, 4)\n"
                     "              unrolled f.1.v in [0, 2)\n"
                     "                Y.tile[y.u, x.u, ramp(f.1.v*16, 1, 16)] = Y.tile[y.u, x.u, "
                     "ramp(f.1.v*16, 1, 16)] + x16(X[y*2 + y.u + r, x.u + s, c])*W[c, r, s, "
                     "ramp(f.1.v*16, 1, 16)]\n"
                     "    unrolled y.u in [0, 2)\n"
                     "      unrolled x.u in [0, 4)\n"
                     "        unrolled f.1.v in [0, 2)\n"
                     "          Y[y*2 + y.u, x.u, ramp(f.1.v*16, 1, 16)] = Y.tile[y.u, x.u, "
                     "ramp(f.1.v*16, 1, 16)]\n"));
  }

  /// Two vectors at a time: a sum would wait for the one before it.
  void dotProduct() {
    State state = program("A = PLACEHOLDER [170]\n"
                          "C(i=1) += (A[k]*A[k])\n",
                          "[]");
    QCOMPARE(QString::fromStdString(textAfter(state, "")),
             QString("kernel(A: float32[170]) -> (C: float32[1])\n"
                     "  allocate C.tile: float32[32] in registers\n"
                     "  C.tile[ramp(0, 1, 32)] = x32(0f)\n"
                     "  for k in [0, 5)\n"
                     "    C.tile[ramp(0, 1, 32)] = C.tile[ramp(0, 1, 32)] + A[ramp(k*32, 1, "
                     "32)]*A[ramp(k*32, 1, 32)]\n"
                     "  C.tile[ramp(0, 1, 16)] = C.tile[ramp(0, 1, 16)] + C.tile[ramp(16, 1, 16)]\n"
                     "  C.tile[ramp(0, 1, 8)] = C.tile[ramp(0, 1, 8)] + C.tile[ramp(8, 1, 8)]\n"
                     "  C.tile[ramp(0, 1, 4)] = C.tile[ramp(0, 1, 4)] + C.tile[ramp(4, 1, 4)]\n"
                     "  C.tile[ramp(0, 1, 2)] = C.tile[ramp(0, 1, 2)] + C.tile[ramp(2, 1, 2)]\n"
                     "  C.tile[0] = C.tile[0] + C.tile[1]\n"
                     "  C[0] = C.tile[0]\n"
                     "  for k in [0, 10)\n"
                     "    C[0] = C[0] + A[k + 160]*A[k + 160]\n"));
  }

  void unevenSplit() {
    State state = program("A = PLACEHOLDER [10]\n"
                          "B(i) = exp(A[i])\n",
                          R"([["SP", 1, 0, 10, [4], 1], ["AN", 1, 0, 3]])");
    QCOMPARE(QString::fromStdString(textAfter(state, "")),
             QString("kernel(A: float32[10]) -> (B: float32[10])\n"
                     "  parallel i.0 in [0, 3)\n"
                     "    if i.0 < 2\n"
                     "      B[ramp(i.0*4, 1, 4)] = exp(A[ramp(i.0*4, 1, 4)])\n"
                     "    if not(i.0 < 2)\n"
                     "      for i.1 in [0, 4)\n"
                     "        if i.0*4 + i.1 < 10\n"
                     "          B[i.0*4 + i.1] = exp(A[i.0*4 + i.1])\n"));
  }

  void padding() {
    State state = program("A = PLACEHOLDER [20]\n"
                          "P(i=22) = if_then_else((i >= 1) && (i < 21), A[(i - 1)], 0f)\n"
                          "S(i=20) {k=3} += P[(i + k)]\n",
                          "[]");
    QCOMPARE(QString::fromStdString(textAfter(state, "peel_guards")),
             QString("kernel(A: float32[20]) -> (S: float32[20])\n"
                     "  allocate P: float32[22] in global\n"
                     "  P[0] = 0f\n"
                     "  for i in [0, 20)\n"
                     "    P[i + 1] = A[i]\n"
                     "  P[21] = 0f\n"
                     "  for i in [0, 20)\n"
                     "    S[i] = 0f\n"
                     "    for k in [0, 3)\n"
                     "      S[i] = S[i] + P[i + k]\n"));
  }

  // A 3x3 convolution with padding: the taps above and below the image are asked for once in a
  // row, those to its left and right are left out of the rows of the tiles at the border.
  void bordersOfAConvolution() {
    State state = program("X = PLACEHOLDER [37, 28, 4]\n"
                          "K = PLACEHOLDER [3, 3, 4, 32]\n"
                          "P(y=39, x=30, c=4) = if_then_else((y >= 1) && (y < 38) && (x >= 1) && "
                          "(x < 29), X[(y - 1), (x - 1), c], 0f)\n"
                          "Y(y=37, x=28, f) {r=3, s=3, c=4} += (P[(y + r), (x + s), c]*K[r, s, c, "
                          "f])\n",
                          R"([["CI", 2]])");
    QCOMPARE(
        QString::fromStdString(textAfter(state, "")),
        QString(
            "kernel(X: float32[37, 28, 4], K: float32[3, 3, 4, 32]) -> (Y: float32[37, 28, 32])\n"
            "  for y in [0, 37)\n"
            "    for x in [0, 2)\n"
            "      if x < 1\n"
            "        allocate Y.tile: float32[14, 32] in registers\n"
            "        unrolled x.u in [0, 14)\n"
            "          unrolled f.v in [0, 2)\n"
            "            Y.tile[x.u, ramp(f.v*16, 1, 16)] = x16(0f)\n"
            "        for r in [0, 3)\n"
            "          if y + r >= 1 && y + r < 38\n"
            "            unrolled s in [0, 1)\n"
            "              for c in [0, 4)\n"
            "                unrolled x.u in [1, 14)\n"
            "                  unrolled f.v in [0, 2)\n"
            "                    Y.tile[x.u, ramp(f.v*16, 1, 16)] = Y.tile[x.u, ramp(f.v*16, 1, "
            "16)] + x16(X[y + r - 1, x*14 + x.u + s - 1, c])*K[r, s, c, ramp(f.v*16, 1, 16)]\n"
            "            for s in [1, 3)\n"
            "              for c in [0, 4)\n"
            "                unrolled x.u in [0, 14)\n"
            "                  unrolled f.v in [0, 2)\n"
            "                    Y.tile[x.u, ramp(f.v*16, 1, 16)] = Y.tile[x.u, ramp(f.v*16, 1, "
            "16)] + x16(X[y + r - 1, x*14 + x.u + s - 1, c])*K[r, s, c, ramp(f.v*16, 1, 16)]\n"
            "        unrolled x.u in [0, 14)\n"
            "          unrolled f.v in [0, 2)\n"
            "            Y[y, x*14 + x.u, ramp(f.v*16, 1, 16)] = Y.tile[x.u, ramp(f.v*16, 1, 16)]\n"
            "      if x >= 1\n"
            "        allocate Y.tile: float32[14, 32] in registers\n"
            "        unrolled x.u in [0, 14)\n"
            "          unrolled f.v in [0, 2)\n"
            "            Y.tile[x.u, ramp(f.v*16, 1, 16)] = x16(0f)\n"
            "        for r in [0, 3)\n"
            "          if y + r >= 1 && y + r < 38\n"
            "            for s in [0, 2)\n"
            "              for c in [0, 4)\n"
            "                unrolled x.u in [0, 14)\n"
            "                  unrolled f.v in [0, 2)\n"
            "                    Y.tile[x.u, ramp(f.v*16, 1, 16)] = Y.tile[x.u, ramp(f.v*16, 1, "
            "16)] + x16(X[y + r - 1, x*14 + x.u + s - 1, c])*K[r, s, c, ramp(f.v*16, 1, 16)]\n"
            "            unrolled s in [2, 3)\n"
            "              for c in [0, 4)\n"
            "                unrolled x.u in [0, 13)\n"
            "                  unrolled f.v in [0, 2)\n"
            "                    Y.tile[x.u, ramp(f.v*16, 1, 16)] = Y.tile[x.u, ramp(f.v*16, 1, "
            "16)] + x16(X[y + r - 1, x*14 + x.u + s - 1, c])*K[r, s, c, ramp(f.v*16, 1, 16)]\n"
            "        unrolled x.u in [0, 14)\n"
            "          unrolled f.v in [0, 2)\n"
            "            Y[y, x*14 + x.u, ramp(f.v*16, 1, 16)] = Y.tile[x.u, ramp(f.v*16, 1, "
            "16)]\n"));
  }

  void unevenReduction() {
    State state = program("A = PLACEHOLDER [10, 4]\n"
                          "S(i=4) {k=10} += A[k, i]\n",
                          R"([["SP", 1, 1, 10, [4], 1]])");
    // The tail goes on from what the main part has summed.
    QCOMPARE(QString::fromStdString(textAfter(state, "peel_guards")),
             QString("kernel(A: float32[10, 4]) -> (S: float32[4])\n"
                     "  for i in [0, 4)\n"
                     "    S[i] = 0f\n"
                     "    for k.0 in [0, 2)\n"
                     "      for k.1 in [0, 4)\n"
                     "        S[i] = S[i] + A[k.0*4 + k.1, i]\n"
                     "  for i in [0, 4)\n"
                     "    for k.1 in [0, 2)\n"
                     "      S[i] = S[i] + A[k.1 + 8, i]\n"));
  }

  void parallelChannels() {
    // One pooled pixel: parallel over channels, which lie side by side in memory.
    State state = program("A = PLACEHOLDER [3, 512]\n"
                          "S(c=512) {k=3} += A[k, c]\n"
                          "D(c=512) = (S[c]/3f)\n",
                          R"([["CA", 1, 2, 0], ["AN", 2, 0, 3]])");
    QCOMPARE(QString::fromStdString(textAfter(state, "strip_parallel")),
             QString("kernel(A: float32[3, 512]) -> (D: float32[512])\n"
                     "  parallel c in [0, 16)\n"
                     "    allocate S: float32[1, 32] in per thread\n"
                     "    for c.e in [0, 32)\n"
                     "      S[0, c.e] = 0f\n"
                     "      for k in [0, 3)\n"
                     "        S[0, c.e] = S[0, c.e] + A[k, c*32 + c.e]\n"
                     "    for c.e in [0, 32)\n"
                     "      D[c*32 + c.e] = S[0, c.e]/3f\n"));
  }

  /// Narrower strips where there are more cores, and none where vectors would be too few.
  void stripsSufficeForAllCores() {
    State state = program("A = PLACEHOLDER [3, 512]\n"
                          "S(c=512) {k=3} += A[k, c]\n",
                          R"([["AN", 1, 0, 3]])");
    for (const auto& [cores, strips] : {std::pair(1, 16), {8, 16}, {16, 32}, {32, 512}}) {
      LowerOptions options;
      options.cores = cores;
      std::int64_t iterations = 0;
      visit(lower(state, options).body, [&](const Stmt& s) {
        if (s->kind == StmtKind::For && s->forKind == ForKind::Parallel) iterations = s->extent;
      });
      QCOMPARE(iterations, std::int64_t{strips});
    }
  }

  /// An explicit 0 inside of a stage with another value: its loops stay loops.
  void explicitZeroUnrollsNothing() {
    State state = program("A = PLACEHOLDER [64]\n"
                          "B(i) = tanh(A[i])\n"
                          "C(i) = (B[i]*2f)\n",
                          R"([["SP", 2, 0, 64, [16], 1], ["CA", 1, 2, 0],
            ["PR", 1, 0, "auto_unroll_max_step$0"], ["PR", 2, 0, "auto_unroll_max_step$64"]])");
    const QString nest = QString::fromStdString(textAfter(state, "build_loop_nest"));
    QVERIFY2(nest.contains("for i.0 in [0, 4) auto_unroll: 64\n") &&
                 nest.contains("for i in [0, 16) auto_unroll: 0\n") &&
                 nest.contains("for i.1 in [0, 16)\n"),
             qPrintable(nest));
    const auto unrolled = [](const State& program) {
      const Stmt loops = buildLoopNest(program, inferBounds(program)).body;
      return QString::fromStdString(print(unrollLoops(loops)));
    };
    QVERIFY2(unrolled(state).contains("for i in [0, 16)") &&
                 unrolled(state).contains("unrolled i.1 in [0, 16)"),
             qPrintable(unrolled(state)));
    // Without a pragma of its own, the stage follows the one around it.
    Steps inherited = state.steps();
    inherited.erase(inherited.begin() + 2);
    const State follower = State::replay(state.originalDag(), inherited);
    QVERIFY2(unrolled(follower).contains("unrolled i in [0, 16)"), qPrintable(unrolled(follower)));
  }

  void refuses_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<int>("step");
    const auto row = [](const char* name, const char* steps, const char* reason, int step) {
      QTest::newRow(name) << steps << reason << step;
    };
    row("parallel reduction", R"([["AN", 2, 2, 3]])", "would race", 0);
    row("parallel loop over elements and their reduction",
        R"([["FU", 2, [1, 2]], ["AN", 2, 1, 3]])", "would race", 1);
    row("parallel part of a reduction", R"([["SP", 2, 2, 512, [8], 1], ["AN", 2, 3, 3]])",
        "would race", 1);
    row("vectorized reduction of a renumbered stage",
        R"([["AN", 3, 0, 3], ["CHW", 2, "local"], ["AN", 2, 2, 2]])", "would race", 2);
    row("nested parallel loops", R"([["AN", 2, 0, 3], ["AN", 2, 1, 3]])",
        "inside of another parallel loop", 1);
    row("a GPU's loop", R"([["AN", 2, 0, 6]])", "threadIdx.x", 0);
    row("a sketch", R"([["SP", 2, 0, 512, [null], 1]])", "undecided", -1);
  }

  void refuses() {
    QFETCH(QString, steps);
    QFETCH(QString, reason);
    QFETCH(int, step);
    State state = program(kMatmulRelu, steps.toUtf8().constData());
    try {
      lower(state);
      QFAIL("was lowered");
    } catch (const IllegalSchedule& error) {
      QVERIFY2(QString(error.what()).contains(reason), error.what());
      QCOMPARE(error.stepIndex(), step);
    }
  }
};

NW_TEST_APPLESS(LowerGolden)

} // namespace nestwright::lower_golden_test

#include "lower_golden.moc"
