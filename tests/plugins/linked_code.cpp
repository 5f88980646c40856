/// \file Code that is traced back to its loops: that marking does not change it, and that the marks
/// lead to the right lines.

#include "core/backend/linked_code.h"

#include "core/feature/nest_features.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/schedule/bounds.h"
#include "core/space/annotation.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QtTest>

#include <set>

namespace nestwright::linked_code_test {

/// Random programs of a task, as a search draws them.
std::vector<State> samples(const std::string& task, int count) {
  SpaceOptions options;
  options.target = hostTarget(2);
  const auto sketches =
      generateSketches(parseTaskSpec(task).dag, options, sketchRules(kDefaultRules));
  std::vector<State> programs;
  for (std::uint64_t draw = 0; static_cast<int>(programs.size()) < count && draw < 1000; ++draw) {
    Random random = Random::stream(7, task, draw);
    SampledProgram sample = sampleProgram(sketches, options, random);
    if (sample.state) programs.push_back(std::move(*sample.state));
  }
  return programs;
}

LinkedCode linked(const LoopFunction& function, CodeForm form) {
  CompileOptions options;
  options.marks = true;
  return linkCode(backend("llvm").text(function, form, options), form);
}

/// Without what differs between two compilations of the same code: the numbers of metadata.
std::vector<std::string> instructionsOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (isInstruction(line)) lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

class LinkedCodeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesAreThoseOfThePrintedIr_data() { tasks(); }
  void linesAreThoseOfThePrintedIr() {
    QFETCH(QString, task);
    for (const State& program : samples(task.toStdString(), 5)) {
      const LoopFunction function = lower(program, lowerOptionsFor(hostTarget(2)));
      const QStringList text =
          QString::fromStdString(print(function)).split('\n', Qt::SkipEmptyParts);
      const std::vector<IrLine> lines = irLines(function);
      QCOMPARE(text.size(), qsizetype(lines.size()));
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].stmt) continue;
        const StmtNode& s = *lines[i].stmt;
        const std::string word = s.kind == StmtKind::For        ? s.var->name + " in ["
                                 : s.kind == StmtKind::Store    ? s.buffer->name + "["
                                 : s.kind == StmtKind::If       ? "if "
                                 : s.kind == StmtKind::Prefetch ? "prefetch " + s.buffer->name
                                                                : "allocate " + s.buffer->name;
        QVERIFY2(text[qsizetype(i)].contains(QString::fromStdString(word)),
                 qPrintable(text[qsizetype(i)]));
        QVERIFY(lines[i].end > static_cast<int>(i));
      }
      QCOMPARE(print(withOwnStatements(function)), print(function));
      std::set<const StmtNode*> nodes;
      for (const IrLine& line : irLines(withOwnStatements(function)))
        if (line.stmt) QVERIFY(nodes.insert(line.stmt.get()).second);
    }
  }

  void marksDoNotChangeTheCode_data() { tasks(); }
  void marksDoNotChangeTheCode() {
    QFETCH(QString, task);
    for (const State& program : samples(task.toStdString(), 3)) {
      const LoopFunction function = lower(program, lowerOptionsFor(hostTarget(2)));
      const auto plain = instructionsOf(backend("llvm").text(function, CodeForm::Assembly));
      const LinkedCode marked = linked(function, CodeForm::Assembly);
      std::vector<std::string> instructions;
      for (const std::string& line : marked.lines) {
        QVERIFY2(line.find(".loc") == std::string::npos, line.c_str());
        if (isInstruction(line)) instructions.push_back(line);
      }
      QCOMPARE(instructions.size(), plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i)
        QCOMPARE(instructions[i], plain[i]);
      const LinkedCode source = linked(function, CodeForm::LlvmIr);
      for (const std::string& line : source.lines)
        QVERIFY2(line.find("!dbg") == std::string::npos, line.c_str());
    }
  }

  /// The multiplications of a matrix product belong to its loops, and these are where time goes.
  void theHottestLoopMultiplies() {
    int linkedInstructions = 0;
    for (const State& program : samples("matmul:m=256,n=256,k=256", 3)) {
      const LoopFunction function = lower(program, lowerOptionsFor(hostTarget(2)));
      const std::vector<IrLine> ir = irLines(function);
      const LinkedCode code = linked(function, CodeForm::Assembly);
      const IrCost cost = costOf(code, ir);
      QVERIFY(cost.hottestLoop >= 0);
      double total = 0;
      for (const double share : cost.share)
        total += share;
      QVERIFY(std::abs(total - 1) < 1e-9);
      const IrLine& hottest = ir[static_cast<std::size_t>(cost.hottestLoop)];
      QVERIFY(hottest.innermost);
      int multiplies = 0;
      for (std::size_t i = 0; i < code.lines.size(); ++i) {
        const int line = code.irLine[i];
        if (line < cost.hottestLoop || line >= hottest.end) continue;
        ++linkedInstructions;
        multiplies += code.lines[i].find("fmadd") != std::string::npos ||
                              code.lines[i].find("mulss") != std::string::npos ||
                              code.lines[i].find("mulps") != std::string::npos
                          ? 1
                          : 0;
      }
      QVERIFY2(multiplies > 0, print(function).c_str());
      QVERIFY(!scheduleName(hottest.stmt->var->name).empty());
    }
    QVERIFY(linkedInstructions > 100);
  }

  void footprintsOfTiles() {
    const ComputeDag dag = parseTaskSpec("matmul:m=64,n=64,k=64").dag;
    const State state = withBounds(
        State::replay(dag, {SplitStep{2, 0, 64, {{8}}, true}, SplitStep{2, 2, 64, {{16}}, true},
                            ReorderStep{2, {0, 2, 1, 3, 4}}}));
    QStringList found;
    for (const LoopTraffic& loop : loopTraffic(state, inferBounds(state)))
      found
          << QStringLiteral("%1 %2 %3").arg(loop.iterator).arg(loop.runs).arg(loop.footprintBytes);
    // A: 8 x 64, B: 64 x 16, C: 8 x 16 elements of four bytes in one run of the tile's loops.
    const double tile = 4 * (8 * 64 + 64 * 16 + 8 * 16);
    QCOMPARE(found, (QStringList{QStringLiteral("0 1 %1").arg(4 * 3 * 64 * 64),
                                 QStringLiteral("1 8 %1").arg(4 * (8 * 64 + 64 * 64 + 8 * 64)),
                                 QStringLiteral("2 32 %1").arg(tile),
                                 QStringLiteral("3 256 %1").arg(4 * (64 + 64 * 16 + 16)),
                                 QStringLiteral("4 4096 %1").arg(4 * (64 + 64 + 1))}));
  }

 private:
  static void tasks() {
    QTest::addColumn<QString>("task");
    for (const char* task : {"matmul:m=128,n=96,k=64", "conv2d:n=1,h=14,w=14,ci=16,co=32,k=3,p=1",
                             "softmax:m=32,n=100"})
      QTest::newRow(task) << task;
  }
};

NW_TEST_APPLESS(LinkedCodeTest)

} // namespace nestwright::linked_code_test

#include "linked_code.moc"
