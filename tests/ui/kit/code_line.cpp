/// How lines of program text are coloured.

#include "ui/kit/code_line.h"

#include "tests/support/test_program.h"
#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

#include <QTest>

namespace nestwright::code_line_test {

using namespace nestwright::ui;

class CodeLineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { Theme::instance().choose(ThemeChoice::Light); }

  void partsHaveColours_data() {
    QTest::addColumn<int>("language");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("parts"); // "name of colour:text", in order
    const auto row = [](const char* name, CodeLanguage language, const char* line,
                        const char* parts) {
      QTest::newRow(name) << int(language) << QString(line) << QString(parts);
    };
    using enum CodeLanguage;
    row("a semicolon is no comment", Cuda, "  float x = 1; // i.0", "dim:// i.0");
    row("barrier", Cuda, "  __syncthreads();", "waiting:__syncthreads");
    row("unrolled", Cuda, "#pragma unroll", "unroll:#pragma unroll");
    row("directive", Cuda, "#line 3 \"/ir\"", "dim:#line 3 \"/ir\"");
    row("thread", Cuda, "  int t = threadIdx.x + blockIdx.y;",
        "parallel:threadIdx.x|parallel:blockIdx.y");
    row("vector access", Cuda, "  nw_store(&A[0], nw_load<4>(&B[0]));",
        "vector:nw_store|vector:nw_load<4>");
    row("in a comment nothing else", Cuda, "  // __syncthreads()", "dim:// __syncthreads()");
    row("PTX barrier", Ptx, "\tbar.sync 0;", "waiting:bar.sync");
    row("PTX wide load", Ptx, "\tld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];",
        "vector:ld.shared.v4.f32");
    row("PTX directive", Ptx, "\t.reg .f32 %f<9>;", "dim:.reg .f32 %f<9>;");
    row("PTX thread", Ptx, "\tmov.u32 %r1, %tid.x;", "parallel:%tid.x");
    row("SASS address", Sass, "  /*0040*/  BAR.SYNC.DEFER_BLOCKING 0x0 ;",
        "dim:/*0040*/|waiting:BAR.SYNC.DEFER_BLOCKING");
    row("SASS wide load", Sass, "  /*0050*/  LDS.128 R4, [R2] ;", "dim:/*0050*/|vector:LDS.128");
    row("C unrolled", C, "  #pragma GCC unroll 4", "unroll:  #pragma GCC unroll 4");
    row("C parallel", C, "#pragma omp parallel for", "parallel:#pragma omp parallel for");
    row("C vector", C, "LANES(f32x16, C[i]) += a; // so", "vector:LANES|vector:f32x16|dim:// so");
    row("LLVM comment", Llvm, "  ret void ; done", "dim:; done");
    row("assembly comment", Assembly, "  ret # done", "dim:# done");
    row("launch", LoopIr, "  launch C with blockIdx.x in [0, 16)",
        "parallel:launch|dim:with blockIdx.x in [0, 16)");
    row("barrier of the loop IR", LoopIr, "      barrier", "waiting:barrier");
    row("bound loop", LoopNest, "blockIdx.x i.0@j.0@ (0,16)", "parallel:blockIdx.x|dim:(0,16)");
    row("virtual threads", LoopNest, "  vthread i.1@ (0,2)", "parallel:vthread|dim:(0,2)");
  }

  void partsHaveColours() {
    QFETCH(int, language);
    QFETCH(QString, line);
    QFETCH(QString, parts);
    const Colours& c = colours();
    const std::vector<std::pair<QColor, QString>> names{
        {c.dim, "dim"},           {c.waiting, "waiting"}, {c.unroll, "unroll"},
        {c.parallel, "parallel"}, {c.vector, "vector"},   {c.reduction, "reduction"}};
    QStringList found;
    int end = 0;
    for (const Token& token : tokensOf(line, static_cast<CodeLanguage>(language))) {
      QVERIFY(token.begin >= end); // in order, without overlap
      end = token.begin + token.length;
      QString name = QStringLiteral("?");
      for (const auto& [colour, text] : names)
        if (token.colour == colour) name = text;
      found << name + QLatin1Char(':') + line.mid(token.begin, token.length);
    }
    QCOMPARE(found.join(QLatin1Char('|')), parts);
  }
};

NW_TEST_GUI(CodeLineTest)

} // namespace nestwright::code_line_test

#include "code_line.moc"
