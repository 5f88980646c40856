#pragma once
/// \file The marks of a session: moments of its past with a sentence, saved in the document, so
/// that a replay becomes a lesson.

#include "core/record/rows/mark_row.h"
#include "core/record/store/store.h"
#include "ui/kit/work_queue.h"

#include <QObject>

#include <vector>

namespace nestwright::ui {

class Document;

class LessonMarks : public QObject {
  Q_OBJECT
 public:
  explicit LessonMarks(Document& document, QObject* parent = nullptr);

  /// By time.
  const std::vector<MarkRow>& all() const { return marks_; }
  /// The last one that is not later than this, or null.
  const MarkRow* at(double wallSeconds) const;
  /// A mark at the replay's present moment; one that is there already gets the sentence.
  void add(const QString& sentence);
  void remove(RowId mark);

 Q_SIGNALS:
  void changed();

 private:
  void reload();
  void write(std::function<void(RecordStore&)> what);

  Document& document_;
  std::vector<MarkRow> marks_;
  WorkQueue workQueue_;
};

} // namespace nestwright::ui
