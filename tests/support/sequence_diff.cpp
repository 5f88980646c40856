/// \file Alignments of sequences: that they are complete, in order, and as short as they can be.

#include "core/support/sequence_diff.h"

#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::sequence_diff_test {

using Lines = std::vector<std::string>;

std::string marks(const std::vector<DiffRow>& rows) {
  std::string text;
  for (const DiffRow& row : rows)
    text += "=~<>"[static_cast<int>(row.mark)];
  return text;
}

/// Every element of both sides once, in order, and rows say what they are.
void requireComplete(const std::vector<DiffRow>& rows, int left, int right) {
  int i = 0, j = 0;
  for (const DiffRow& row : rows) {
    if (row.left >= 0) QCOMPARE(row.left, i++);
    if (row.right >= 0) QCOMPARE(row.right, j++);
    QCOMPARE(row.mark == DiffMark::OnlyLeft, row.right < 0);
    QCOMPARE(row.mark == DiffMark::OnlyRight, row.left < 0);
  }
  QCOMPARE(i, left);
  QCOMPARE(j, right);
}

/// Length of the longest common subsequence, by the textbook's table.
int commonLength(const Lines& a, const Lines& b) {
  std::vector<std::vector<int>> best(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      best[i][j] = a[i] == b[j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
  return best[0][0];
}

class SequenceDiffTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void smallTexts_data() {
    QTest::addColumn<QStringList>("left");
    QTest::addColumn<QStringList>("right");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* left, const char* right,
                        const char* expected) {
      const auto lines = [](const char* text) {
        return QString::fromLatin1(text).split(QLatin1Char('|'), Qt::SkipEmptyParts);
      };
      QTest::newRow(name) << lines(left) << lines(right) << QString::fromLatin1(expected);
    };
    row("nothing", "", "", "");
    row("equal", "a|b|c", "a|b|c", "===");
    row("only left", "a|b", "", "<<");
    row("only right", "", "a|b", ">>");
    row("inserted", "a|c", "a|b|c", "=>=");
    row("removed at the end", "a|b|c", "a|b", "==<");
    row("moved", "a|b|c", "b|c|a", "<==>");
    row("changed in one word", "for i in 8|x", "for i in 16|x", "~=");
    row("replaced by something else", "a b c|x", "d e f|x", "<>=");
    row("changed beside new", "for i in 8", "new|for i in 16", ">~");
  }
  void smallTexts() {
    QFETCH(QStringList, left);
    QFETCH(QStringList, right);
    Lines a, b;
    for (const QString& line : left)
      a.push_back(line.toStdString());
    for (const QString& line : right)
      b.push_back(line.toStdString());
    const auto rows = diffLines(a, b);
    requireComplete(rows, static_cast<int>(a.size()), static_cast<int>(b.size()));
    QTEST(QString::fromStdString(marks(rows)), "expected");
  }

  void randomTextsGetTheShortestEdit() {
    Random random(3);
    for (int round = 0; round < 400; ++round) {
      Lines a, b;
      const auto letters = 1 + random.below(6);
      for (auto n = random.below(40); n > 0; --n)
        a.push_back(std::string(1, static_cast<char>('a' + random.below(letters))));
      for (auto n = random.below(40); n > 0; --n)
        b.push_back(std::string(1, static_cast<char>('a' + random.below(letters))));
      const auto rows = diffLines(a, b);
      requireComplete(rows, static_cast<int>(a.size()), static_cast<int>(b.size()));
      int same = 0;
      for (const DiffRow& row : rows) {
        if (row.left >= 0 && row.right >= 0)
          QCOMPARE(row.mark == DiffMark::Same, a[row.left] == b[row.right]);
        same += row.mark == DiffMark::Same ? 1 : 0;
      }
      QCOMPARE(same, commonLength(a, b));
    }
  }

  void longAndQuiteDifferentTextsStayComplete() {
    Random random(5);
    Lines a, b;
    for (int i = 0; i < 9000; ++i) {
      a.push_back(std::to_string(random.below(3000)));
      b.push_back(std::to_string(random.below(3000)));
    }
    requireComplete(diffLines(a, b), 9000, 9000);
  }

  void alignmentMaximisesTheScore() {
    const std::string a = "xaybz", b = "abc";
    const auto rows = align(
        5, 3, [&](int i, int j) { return a[i] == b[j]                 ? 5
                                         : a[i] == 'z' && b[j] == 'c' ? 1
                                                                      : 0; },
        [&](int i, int j) { return a[i] == b[j]; });
    requireComplete(rows, 5, 3);
    QCOMPARE(marks(rows), "<=<=~");
  }
};

NW_TEST_APPLESS(SequenceDiffTest)

} // namespace nestwright::sequence_diff_test

#include "sequence_diff.moc"
