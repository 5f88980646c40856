#pragma once
/// \file Why one tile is faster than another: what two programs move into each cache, and the
/// memory that each of their loops works on beside the sizes of the caches.

#include "core/story/footprints.h"

#include <QWidget>

class QLabel;
class QStandardItemModel;
class QTableView;

namespace nestwright::ui {

class FootprintPage : public QWidget {
  Q_OBJECT
 public:
  enum CacheColumn { Cache, MovedA, TileA, MovedB, TileB, CacheColumnCount };
  enum LoopColumn { LoopA, BytesA, LoopB, BytesB, LoopColumnCount };

  explicit FootprintPage(QWidget* parent = nullptr);
  void show(const FootprintComparison& comparison);
  QString verdict() const;
  QTableView* cacheTable() const { return cacheTable_; }
  QTableView* loopTable() const { return loopTable_; }
  /// Both tables as text.
  QString text() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillCaches();
  void fillLoops();
  void restyle();
  void fit();

  FootprintComparison comparison_;
  QLabel *verdict_, *note_;
  QStandardItemModel *caches_, *loops_;
  QTableView *cacheTable_, *loopTable_;
};

} // namespace nestwright::ui
