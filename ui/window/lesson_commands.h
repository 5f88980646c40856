#pragma once
/// \file The window's commands for lessons: marks in a replay, going through them, and the lesson
/// as a file. Child of the window, which finds it by its class.

#include <QList>
#include <QObject>
#include <QString>

class QAction;

namespace nestwright::ui {

class LessonRecorder;
class MainWindow;
class ReplayBar;

class LessonCommands : public QObject {
  Q_OBJECT
 public:
  /// Once the window has its replay bar.
  LessonCommands(MainWindow& window, ReplayBar& bar);

  QList<QAction*> actions() const { return {mark_, previous_, next_, export_}; }
  /// Takes the pictures and writes the lesson; tells in the status line how that ended.
  void exportLesson(const QString& file);
  /// Under way; null when none is.
  LessonRecorder* recorder() const { return recorder_; }

 private:
  void askExport();
  void refresh();

  MainWindow& window_;
  ReplayBar& bar_;
  QAction *mark_, *previous_, *next_, *export_;
  LessonRecorder* recorder_ = nullptr;
};

} // namespace nestwright::ui
