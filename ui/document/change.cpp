#include "ui/document/change.h"

#include <utility>

namespace nestwright::ui {
namespace {
constexpr qint64 kMergeMilliseconds = 1000;
}

Change::Change(const QString& text, std::function<void()> redo, std::function<void()> undo,
               QString subject)
    : QUndoCommand(text), redo_(std::move(redo)), undo_(std::move(undo)),
      subject_(std::move(subject)) {
  since_.start();
}

bool Change::mergeWith(const QUndoCommand* later) {
  const auto* change = dynamic_cast<const Change*>(later);
  if (!change || change->subject_ != subject_ || since_.elapsed() > kMergeMilliseconds)
    return false;
  redo_ = change->redo_;
  since_.start();
  return true;
}

} // namespace nestwright::ui
