#pragma once
/// \file The programs of a round's generations by predicted score: along their rank in one
/// generation, or generation beside generation with the lines of descent.

#include "core/story/evolved_round.h"
#include "ui/charts/chart.h"

namespace nestwright::ui {

class GenerationPlot : public Chart {
  Q_OBJECT
 public:
  enum class Layout : std::uint8_t { ByRank, SideBySide };

  explicit GenerationPlot(QWidget* parent = nullptr);

  void show(const EvolvedRoundData* data); // null: nothing; must stay until the next call
  void setGeneration(int generation);
  void setLayout(Layout layout);
  /// Index into the round's programs; -1: none.
  void setSelected(int program);
  int selected() const { return selected_; }
  /// Programs that are drawn, in the order of drawing; for tests.
  int pointCount() const;
  /// Where the program is drawn; nothing when it is not in sight.
  std::optional<QPointF> pixelOf(int program) const;

 Q_SIGNALS:
  void picked(int program);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int point) const override;
  void tell(const QPointF& position, const QString& text) override;
  bool walk(int step) override;
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Point {
    int program = 0, generation = 0, rank = 0;
    double x = 0, y = 0;
  };
  void restyle() override;
  void refresh() override;
  void place();
  void fillLegend();
  void drawLineage();

  const EvolvedRoundData* data_ = nullptr;
  int generation_ = 0, selected_ = -1;
  Layout layout_ = Layout::ByRank;
  std::vector<Point> points_;
  QCPGraph* spread_;
  std::vector<QCPGraph*> groups_; // by operation
  QCPGraph *chosen_, *ring_;
  std::vector<QCPItemLine*> lines_;
};

} // namespace nestwright::ui
