#include "core/support/random.h"

#include <QTest>

#include <set>

using namespace nestwright;

class RandomNumbers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The same on every machine and in every release: records name draws by their index.
  void drawsAreFixedForEver() {
    Random random = Random::stream(7, "matmul", 3);
    QCOMPARE(random.below(1000000), std::uint64_t(132926));
    QCOMPARE(random.below(1000000), std::uint64_t(997466));
  }

  void streamsDiffer() {
    std::set<std::uint64_t> firsts;
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      for (const char* name : {"a", "b"})
        for (std::uint64_t index = 0; index < 10; ++index)
          firsts.insert(Random::stream(seed, name, index).below(std::uint64_t(1) << 60));
    QCOMPARE(firsts.size(), std::size_t(200));
  }

  void belowReachesItsWholeRange() {
    Random random(1);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i)
      seen.insert(random.below(7));
    QCOMPARE(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  }
};

QTEST_APPLESS_MAIN(RandomNumbers)
#include "random_numbers.moc"
