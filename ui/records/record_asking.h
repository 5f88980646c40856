#pragma once
/// \file Questions of the window about many records: beside everything else, with how far they are,
/// and stopped when nobody wants the answer.

#include "core/record/query/record_survey.h"
#include "ui/document/reading/file_asking.h"

#include <QLabel>
#include <QString>
#include <QToolButton>

namespace nestwright::ui {

/// A thread with a survey of the document, for one question at a time.
class RecordAsking : public FileAsking<RecordSurvey> {
 public:
  using FileAsking::FileAsking;

  /// As Background::ask(); progress() tells the percentage.
  template <class T>
  void askOf(const QString& path, std::function<T(RecordSurvey&)> work, std::function<void(T)> done,
             Fail fail) {
    ask<T>(
        [path, work = std::move(work), cache = connection()](const Job& job) {
          RecordSurvey& survey = cache->at(path);
          T result{};
          int told = 0;
          survey.interruptible(
              [&](double part) {
                if (const int percent = int(100 * part); percent != told)
                  job.tell(QString::number(told = percent));
                return !job.isStopped();
              },
              [&] { result = work(survey); });
          return result;
        },
        std::move(done), std::move(fail));
  }
};

/// A line that says what is shown, or how far a question is, with a button that stops it.
class AskingNote : public QWidget {
  Q_OBJECT
 public:
  explicit AskingNote(QWidget* parent = nullptr);
  /// Follows the progress of the thread; `what` is being done, as "Counting".
  void follow(RecordAsking& asking, const QString& what);
  void setText(const QString& text);
  QString text() const { return label_->text(); }
  QToolButton* stopButton() const { return stop_; }

 Q_SIGNALS:
  /// The user stopped the question.
  void stopped();

 private:
  void restyle();

  QLabel* label_;
  QToolButton* stop_;
};

} // namespace nestwright::ui
