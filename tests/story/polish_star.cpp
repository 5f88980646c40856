/// The star of a polish: which programs are in its middle, and what lies on its rays.

#include "core/story/decisions/polish_star.h"

#include "core/search/decisions/polish.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace nestwright::polish_star_test {

/// Of program "a" two decisions were polished, and then of "b", which took its place.
std::vector<DecisionImportance> polished() {
  DecisionImportance tiles{"tiles of i of C", {}, 1, 0}, unroll{"unroll of C", {}, 1, 0};
  tiles.neighbours = {{11, "2 becomes 4", 0.25, "b", "a"},
                      {12, "2 becomes 1", -0.5, "c", "a"},
                      {14, "4 becomes 8", 0.02, "d", "b"}};
  unroll.neighbours = {{13, "0 becomes 16", -1, "e", "a"}, {15, "0 becomes 64", -0.2, "f", "b"}};
  return {tiles, unroll};
}

class PolishStarTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyNeighbourIsBesideItsParent() {
    const PolishStar star = polishStar(polished(), {});
    QVERIFY(star.isOfAll());
    QCOMPARE(star.centres.size(), std::size_t(2));
    QCOMPARE(star.centres[0].program, std::string("a")); // in the order of the polish
    QCOMPARE(star.centres[0].neighbours, std::size_t(3));
    QCOMPARE(star.centres[1].neighbours, std::size_t(2));
    QCOMPARE(star.rays.size(), std::size_t(2));
    const StarRay& tiles = star.rays[0]; // the most important first
    QCOMPARE(tiles.decision, std::string("tiles of i of C"));
    // 1.25, 2 and 1.02 times.
    QVERIFY(std::abs(tiles.importance - std::cbrt(1.25 * 2 * 1.02)) < 1e-12);
    QCOMPARE(tiles.bestGain, 0.25);
    QCOMPARE(tiles.reach(), 2.0);
    // The nearest first; what took its parent's place is marked.
    QCOMPARE(tiles.neighbours[0].record, RowId(14));
    QCOMPARE(tiles.neighbours[1].record, RowId(11));
    QCOMPARE(tiles.neighbours[2].factor(), 2.0);
    QVERIFY(tiles.neighbours[1].taken && !tiles.neighbours[0].taken && !tiles.neighbours[2].taken);
    const StarRay& unroll = star.rays[1];
    QCOMPARE(unroll.neighbours[0].record, RowId(15)); // those that failed are last
    QVERIFY(unroll.neighbours[1].failed() && std::isinf(unroll.neighbours[1].factor()));
    QVERIFY(std::abs(unroll.importance - 1.25) < 1e-12); // what failed does not count
    QCOMPARE(star.reach(), 2.0);
  }

  void oneProgramIsInTheMiddle() {
    const PolishStar star = polishStar(polished(), "b");
    QCOMPARE(star.centre, std::size_t(1));
    QCOMPARE(star.rays.size(), std::size_t(2));
    QCOMPARE(star.rays[0].decision, std::string("unroll of C")); // around b that matters more
    QCOMPARE(star.rays[0].neighbours.size(), std::size_t(1));
    QVERIFY(std::abs(star.rays[1].importance - 1.02) < 1e-12);
    QVERIFY(polishStar(polished(), "nobody").isOfAll());
  }

  /// What two decisions gained says nothing of either, however much it was, nor what another sketch
  /// did, whose tiles are its own.
  void severalDecisionsComeLast_data() {
    QTest::addColumn<QString>("several");
    QTest::newRow("two decisions") << kTwoDecisions;
    QTest::newRow("another sketch") << kSketchDecision;
  }
  void severalDecisionsComeLast() {
    QFETCH(QString, several);
    std::vector<DecisionImportance> decisions = polished();
    decisions.push_back({several.toStdString(), {{16, "both", 7, "g", "b"}}, 1, 0});
    const PolishStar star = polishStar(decisions, {});
    QCOMPARE(star.rays.size(), std::size_t(3));
    QCOMPARE(star.rays[0].decision, std::string("tiles of i of C"));
    QCOMPARE(star.rays[2].decision, several.toStdString());
    QCOMPARE(star.rays[2].importance, 8.0);
  }

  void withoutAPolishThereIsNothing() {
    const PolishStar star = polishStar(std::vector<DecisionImportance>(), {});
    QVERIFY(star.centres.empty() && star.rays.empty());
    QCOMPARE(star.reach(), 1.0);
  }
};

NW_TEST_APPLESS(PolishStarTest)

} // namespace nestwright::polish_star_test

#include "polish_star.moc"
