#pragma once
/// \file A column of names that takes the room which its table has left, so that a name is cut
/// only where there is none.

#include <QObject>

#include <optional>

class QTableView;

namespace nestwright::ui {

class ElasticColumn : public QObject {
  Q_OBJECT
 public:
  /// Call after the model is set. The column is as wide as the longest text of its first thousand
  /// rows, if the others leave that, and never narrower than `least` in its font; columns after
  /// `lastInSight` (-1: none) may be scrolled to. Once the user has set a width, that is kept.
  ElasticColumn(QTableView* table, int column, const QString& least, int lastInSight = -1);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QTableView* table_;
  int column_, lastInSight_;
  QString least_;
  std::optional<int> longest_; // width of the longest text, once it was looked for
  bool fitting_ = false, setByUser_ = false;
};

} // namespace nestwright::ui
