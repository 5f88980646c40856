#pragma once
/// \file Pinned or paused as a sign that a click sets and takes back: bright where it is so, faint
/// where it is not.

#include "core/session/schedule/task_mode.h"
#include "ui/kit/table/cell_delegates.h"

namespace nestwright::ui {

class TaskModeDelegate : public CheckDelegate {
 public:
  TaskModeDelegate(TaskMode mode, QObject* parent) : CheckDelegate(parent), mode_(mode) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  TaskMode mode_;
};

} // namespace nestwright::ui
