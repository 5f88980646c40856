#pragma once
/// \file Goes through the marks of a replay, takes a picture of the window at each, and writes the
/// lesson. The window can be looked at meanwhile; touching it changes the pictures.

#include "core/record/rows/mark_row.h"
#include "ui/kit/exportable.h"
#include "ui/kit/work_queue.h"
#include "ui/lesson/lesson.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <vector>

class QWidget;

namespace nestwright::ui {

class Document;

class LessonRecorder : public QObject {
  Q_OBJECT
 public:
  /// Views get this long to show a moment that was sought.
  static constexpr int kSettleMilliseconds = 1200;

  /// What the panels that are seen at a moment give away.
  using Panels = std::function<std::vector<Exports>()>;
  /// Begins at once. `marks` by time; a replay must be shown that is ready.
  LessonRecorder(QWidget& window, Panels panels, Document& document, std::vector<MarkRow> marks,
                 QString file, QObject* parent = nullptr,
                 int settleMilliseconds = kSettleMilliseconds);

  const QString& file() const { return file_; }
  std::size_t taken() const { return lesson_.pages.size(); }
  std::size_t count() const { return marks_.size(); }
  void cancel();

 Q_SIGNALS:
  void progressed();
  /// It is over: with why it failed, or an empty text. `written` is false also when it was
  /// cancelled.
  void ended(bool written, const QString& problem);

 private:
  void next();
  void look();
  void take();
  void write();
  void end(bool written, const QString& problem);
  bool isShown() const;

  QWidget& window_;
  Panels panels_;
  Document& document_;
  std::vector<MarkRow> marks_;
  QString file_;
  int settle_;
  double from_ = 0; // where the replay stood
  Lesson lesson_;
  QTimer timer_;
  QElapsedTimer since_; // the moment is shown and nothing is being read
  bool over_ = false;
  WorkQueue workQueue_; // last: its work is waited for first
};

} // namespace nestwright::ui
