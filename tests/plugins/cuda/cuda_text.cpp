/// \file CUDA C of programs written by hand, compared with recorded texts: it is a pure function of
/// the loop IR.

#include "plugins/cuda/text/cuda_text.h"

#include "core/backend/linked_code.h"
#include "core/emit/c_names.h"
#include "core/lower/ir_lines.h"
#include "core/support/error.h"
#include "plugins/cuda/text/preamble.h"
#include "plugins/cuda/text/type_text.h"
#include "tests/plugins/cuda/gpu_programs.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QtTest>

#include <cmath>
#include <limits>

namespace nestwright::cuda_text_test {

using cuda::cudaText;

std::string kernelsOf(const cuda::CudaText& text) {
  return text.source.substr(cuda::preamble().size());
}

/// A kernel of one thread that does this.
LoopFunction doing(const Stmt& body, const std::vector<Buffer>& parameters) {
  Launch launch;
  launch.kernel = "one";
  LoopFunction function;
  function.parameters = parameters;
  function.body = makeLaunch(launch, body);
  return function;
}

std::string messageOf(const LoopFunction& function) {
  try {
    (void)cudaText(function);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class CudaTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// NESTWRIGHT_WRITE_GOLDEN records them anew.
  void recordedTexts_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("product") << "product";
    QTest::newRow("softmax") << "softmax";
    QTest::newRow("stencil") << "stencil";
    QTest::newRow("mixed") << "mixed";
  }
  void recordedTexts() {
    QFETCH(QString, name);
    const test::GpuProgram program = name == "product"   ? test::tiledProduct()
                                     : name == "softmax" ? test::shuffledSoftmax()
                                     : name == "stencil" ? test::paddedStencil()
                                                         : test::mixedTypes();
    const QByteArray text = QByteArray::fromStdString(kernelsOf(cudaText(program.function)));
    QFile file(QStringLiteral(NESTWRIGHT_TEST_DATA "/cuda/%1.cu").arg(name));
    if (qEnvironmentVariableIsSet("NESTWRIGHT_WRITE_GOLDEN")) {
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
      return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
    QCOMPARE(QString::fromUtf8(text), QString::fromUtf8(file.readAll()));
  }

  void launchesSayHowToStart() {
    const cuda::CudaText product = cudaText(test::tiledProduct().function);
    QCOMPARE(product.launches.size(), std::size_t{1});
    QCOMPARE(product.launches[0].entry, std::string("nw_C"));
    QCOMPARE(product.launches[0].blocks(), 4);
    QCOMPARE(product.launches[0].threadsPerBlock(), 64);
    QCOMPARE(product.launches[0].dynamicSharedBytes, 0);
    QCOMPARE(product.workspaceBytes, 0);
    // What one kernel leaves for the next lies in the workspace; the order is that of the program.
    const cuda::CudaText stencil = cudaText(test::paddedStencil().function);
    QCOMPARE(stencil.launches.size(), std::size_t{2});
    QCOMPARE(stencil.launches[0].arguments, (std::vector<LaunchArgument>{{0, 0}, {-1, 0}}));
    QCOMPARE(stencil.launches[1].arguments, (std::vector<LaunchArgument>{{1, 0}, {-1, 0}}));
    QCOMPARE(stencil.workspaceBytes, 512); // 416, in units of 256
  }

  void muchSharedMemoryIsDynamic() {
    const cuda::CudaText text = cudaText(test::tiledProduct(256).function);
    QCOMPARE(text.launches[0].dynamicSharedBytes, 2 * 32 * 256 * 4);
    QVERIFY(kernelsOf(text).find("__shared__") == std::string::npos);
    QVERIFY(kernelsOf(text).find("reinterpret_cast<float*>(nw_shared + 32768)") !=
            std::string::npos);
  }

  void workspaceOfWhatIsNeverThereTogetherIsShared() {
    const Buffer a = makeBuffer("a", {10}), b = makeBuffer("b", {100}),
                 out = makeBuffer("out", {1});
    const auto launch = [](const char* name, const Buffer& to) {
      Launch made;
      made.kernel = name;
      return makeLaunch(made, makeStore(to, {Expr(0)}, floatImm(1)));
    };
    LoopFunction function;
    function.parameters = {out};
    function.body =
        makeSequence({makeAllocate(a, MemoryScope::Global, launch("x", a)),
                      makeAllocate(b, MemoryScope::Global, launch("y", b)), launch("z", out)});
    QCOMPARE(cudaText(function).workspaceBytes, 512);
  }

  void namesAreNeverThoseOfTheLanguage() {
    for (const char* name : {"float", "expf", "threadIdx", "nw_load", "__x", "3d", ""})
      QVERIFY2(cIdentifier(name).starts_with("v_"), name);
    QCOMPARE(cIdentifier("T_conv2d_nhwc.shared"), std::string("T_conv2d_nhwc_shared"));
    const Buffer first = makeBuffer("x.y", {1}), second = makeBuffer("x_y", {1});
    CNames names;
    QCOMPARE(names(first.get()), std::string("x_y"));
    QCOMPARE(names(second.get()), std::string("x_y_2"));
    QCOMPARE(names(first.get()), std::string("x_y"));
  }

  void literalsKeepTheirValue() {
    QCOMPARE(cuda::floatText(1, kFloat32), std::string("1.0f"));
    QCOMPARE(cuda::floatText(-0.1, kFloat32), std::string("(-0.1f)"));
    QCOMPARE(cuda::floatText(1e30, kFloat64), std::string("1e+30"));
    QCOMPARE(cuda::floatText(-INFINITY, kFloat32), std::string("nw_bits<float>(0xff800000u)"));
    QCOMPARE(cuda::floatText(0.5, kFloat16), std::string("nw_to_f16(0.5f)"));
    QCOMPARE(cuda::intText(-5, kInt32), std::string("(-5)"));
    QCOMPARE(cuda::intText(std::numeric_limits<std::int32_t>::min(), kInt32),
             std::string("(-2147483647 - 1)"));
    QCOMPARE(cuda::intText(7, kUInt32), std::string("7u"));
    QCOMPARE(cuda::intText(7, kInt64), std::string("7ll"));
  }

  void divisionsRoundDown() {
    const Buffer out = makeBuffer("out", {8}, kInt32);
    const Var i = makeVar("i", kInt32);
    const auto textOf = [&](const Expr& value) {
      return kernelsOf(cudaText(
          doing(makeFor(i, intImm(0, kInt32), 8, ForKind::Serial, makeStore(out, {Expr(i)}, value)),
                {out})));
    };
    const auto three = intImm(3, kInt32), four = intImm(4, kInt32);
    QVERIFY(textOf(floorDiv(Expr(i), three)).find("nw_floordiv<int>(i, 3)") != std::string::npos);
    QVERIFY(textOf(floorDiv(Expr(i), four)).find("(i >> 2)") != std::string::npos);
    QVERIFY(textOf(floorMod(Expr(i), four)).find("(i & 3)") != std::string::npos);
    const Expr positive = cast(kUInt32, Expr(i));
    QVERIFY(textOf(cast(kInt32, floorDiv(positive, intImm(3, kUInt32)))).find("/ 3u)") !=
            std::string::npos);
  }

  void marksNameLinesOfTheLoopIr() {
    const LoopFunction function = withOwnStatements(test::tiledProduct().function);
    const std::vector<IrLine> ir = irLines(function);
    const std::string marked = cudaText(function, true).source;
    const LinkedCode code = linkCode(marked, CodeForm::CudaC);
    int multiplies = 0, barriers = 0;
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
      QVERIFY(code.lines[i].find("#line") == std::string::npos);
      const int line = code.irLine[i];
      if (line < 0) continue;
      const Stmt& s = ir[static_cast<std::size_t>(line)].stmt;
      if (code.lines[i].find("A_shared[") != std::string::npos &&
          code.lines[i].find("B_shared[") != std::string::npos &&
          code.lines[i].find('*') != std::string::npos) {
        QVERIFY(s && s->kind == StmtKind::Store && s->buffer->name == "C.local");
        ++multiplies;
      }
      if (code.lines[i].find("__syncthreads") != std::string::npos) {
        QVERIFY(s && s->kind == StmtKind::Barrier);
        ++barriers;
      }
    }
    QCOMPARE(multiplies, 1);
    QCOMPARE(barriers, 2);
    // Without its marks it is the text that is compiled.
    std::string plain;
    for (const std::string& line : code.lines)
      plain += line + "\n";
    QCOMPARE(plain, cudaText(function).source);
  }

  void whatIsNoGpuProgramIsRefused() {
    const Buffer out = makeBuffer("out", {4}), wide = makeBuffer("wide", {64});
    const Var i = makeVar("i", kInt32);
    const Stmt store = makeStore(out, {Expr(0)}, floatImm(1));
    LoopFunction ofProcessor;
    ofProcessor.name = "kernel";
    ofProcessor.parameters = {out};
    ofProcessor.body = store;
    QVERIFY(messageOf(ofProcessor).find("it was lowered for a processor") != std::string::npos);
    QVERIFY(messageOf(doing(makeFor(i, intImm(0, kInt32), 4, ForKind::Parallel, store), {out}))
                .find("none that a thread runs") != std::string::npos);
    const std::vector<Expr> lanes{ramp(intImm(0, kInt32), intImm(1, kInt32), 8)};
    QVERIFY(messageOf(doing(makeStore(wide, lanes, broadcast(floatImm(1), 8)), {wide}))
                .find("8 lanes of float32 are no access that a GPU has") != std::string::npos);
    const std::vector<Expr> strided{ramp(intImm(0, kInt32), intImm(2, kInt32), 4)};
    QVERIFY(messageOf(doing(makeStore(wide, strided, broadcast(floatImm(1), 4)), {wide}))
                .find("neighbours") != std::string::npos);
  }

  /// As many statements as no compiler would finish with are an illegal schedule, not an endless
  /// wait.
  void aKernelThatIsTooLargeIsIllegal() {
    const Buffer out = makeBuffer("out", {1 << 20});
    const Var i = makeVar("i", kInt32);
    const LoopFunction function = doing(makeFor(i, intImm(0, kInt32), 100'000, ForKind::Unrolled,
                                                makeStore(out, {Expr(i)}, floatImm(1))),
                                        {out});
    QVERIFY_EXCEPTION_THROWN((void)cudaText(function), IllegalSchedule);
  }
};

NW_TEST_APPLESS(CudaTextTest)

} // namespace nestwright::cuda_text_test

#include "cuda_text.moc"
