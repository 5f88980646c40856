#include "core/support/error.h"
#include "core/support/first_names.h"
#include "core/support/folder_entries.h"
#include "core/support/hash.h"
#include "core/support/random.h"
#include "core/support/text_limit.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <vector>

namespace nestwright::support_test {

class TestSupport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void longListsNameTheFirst() {
    const std::vector<std::string> names = {"a", "b", "c"};
    QCOMPARE(firstNames(names, 2), std::string("a, b and 1 more"));
    QCOMPARE(firstNames(names, 3, " + "), std::string("a + b + c"));
    QCOMPARE(firstNames({}, 3), std::string());
  }

  void beginningsEndBetweenCharacters() {
    const std::string text = "a\u00e9\u2192"; // of one, two and three bytes
    const std::size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6};
    for (std::size_t bytes = 0; bytes < std::size(ends); ++bytes)
      QCOMPARE(beginning(text, bytes), std::string_view(text).substr(0, ends[bytes]));
    QCOMPARE(beginning("", 4), std::string_view());
  }

  void hashesNeverChange() {
    // Identities of programs and tasks in people's files are made of these.
    QCOMPARE(hash64(""), 3244421341483603138u);
    QCOMPARE(hash64("nestwright", 7), 18135737533921138491u);
    QCOMPARE(QString::fromStdString(hashHex("nestwright")), "e880dbdb76338f518e806f4e81af5fe0");
  }

  void drawsNeverChange() {
    Random random = Random::stream(42, "task", 3);
    std::vector<std::uint64_t> drawn;
    for (int i = 0; i < 5; ++i)
      drawn.push_back(random.below(1000));
    QCOMPARE(drawn, (std::vector<std::uint64_t>{177, 469, 771, 620, 632}));
  }

  void streamsAreIndependent() {
    const auto first = [](std::uint64_t seed, const char* name, std::uint64_t index) {
      return Random::stream(seed, name, index).engine()();
    };
    QCOMPARE(first(1, "a", 0), first(1, "a", 0));
    QVERIFY(first(1, "a", 0) != first(1, "a", 1));
    QVERIFY(first(1, "a", 0) != first(1, "b", 0));
    QVERIFY(first(1, "a", 0) != first(2, "a", 0));
  }

  void drawsAreUniform() {
    Random random(5);
    constexpr int kBound = 7, kDraws = 70000;
    std::vector<int> counts(kBound, 0);
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      ++counts[random.below(kBound)];
      const double unit = random.unit();
      QVERIFY(unit >= 0 && unit < 1);
      sum += unit;
    }
    for (const int count : counts)
      QVERIFY(std::abs(count - kDraws / kBound) < 500);
    QVERIFY(std::abs(sum / kDraws - 0.5) < 0.01);
    QCOMPARE(random.below(1), 0u);
  }

  /// By name, and only its own; a folder that is not there has none.
  void entriesOfFoldersAreSorted() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    for (const char* name : {"c", "a", "b", "d", "aa"})
      std::filesystem::create_directories(path / name / "inner");
    std::string names;
    for (const std::filesystem::path& entry : entriesOf(path))
      names += entry.lexically_relative(path).string() + " ";
    QCOMPARE(names, std::string("a aa b c d "));
    QVERIFY(entriesOf(path / "none").empty());
  }

  void illegalSchedulesKnowTheirStep() {
    QCOMPARE(IllegalSchedule("why").stepIndex(), -1);
    QCOMPARE(IllegalSchedule("why", 3).stepIndex(), 3);
  }
};

NW_TEST_APPLESS(TestSupport)

} // namespace nestwright::support_test

#include "support.moc"
