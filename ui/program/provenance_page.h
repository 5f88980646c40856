#pragma once
/// \file How a program came to be, how it was measured and on what; below that its micro-batches,
/// where it was timed in those.

#include "ui/program/program_text.h"

#include <QWidget>

class QTreeWidget;

namespace nestwright::ui {

class MicroBatchView;

class ProvenancePage : public QWidget {
  Q_OBJECT
 public:
  explicit ProvenancePage(QWidget* parent = nullptr);

  void show(const ProgramText& program);
  void clear();
  /// The facts, a line each.
  QString text() const;

  QTreeWidget* facts() const { return facts_; }
  MicroBatchView* microBatches() const { return microBatches_; }

 Q_SIGNALS:
  /// A record that a fact speaks of was asked for.
  void recordWanted(nestwright::RowId record);

 private:
  void fill();

  std::vector<Provenance> provenance_;
  QTreeWidget* facts_;
  MicroBatchView* microBatches_;
};

} // namespace nestwright::ui
