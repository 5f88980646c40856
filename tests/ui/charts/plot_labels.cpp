#include "ui/charts/plot_labels.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::plot_labels_test {

using namespace nestwright::ui;

class PlotLabelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void labelsAreSpread();
};

void PlotLabelsTest::labelsAreSpread() {
  const QRectF room(0, 0, 400, 100);
  const std::vector<QRectF> wanted{{300, 50, 100, 12}, {280, 52, 120, 12}, {250, 49, 150, 12},
                                   {0, 51, 80, 12},    {310, 95, 90, 12},  {330, 96, 70, 12},
                                   {300, -5, 100, 12}};
  const std::vector<QRectF> placed = spread(wanted, room);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    QVERIFY(room.contains(placed[i]));
    QCOMPARE(placed[i].size(), wanted[i].size());
    for (std::size_t j = 0; j < i; ++j)
      QVERIFY(!placed[i].adjusted(0, 0.01, 0, -0.01).intersects(placed[j]));
  }
  QCOMPARE(placed[0], wanted[0]);  // the first one keeps its place
  QCOMPARE(placed[1].top(), 62.0); // nearer than above it
  QCOMPARE(placed[2].top(), 38.0);
  QCOMPARE(placed[3], wanted[3]); // nothing beside it is in its way
  QCOMPARE(placed[4].bottom(), 100.0);
}

NW_TEST_APPLESS(PlotLabelsTest)

} // namespace nestwright::plot_labels_test

#include "plot_labels.moc"
