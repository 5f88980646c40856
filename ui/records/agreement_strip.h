#pragma once
/// \file Over the table, of a session that measures programs of records again: how many it has
/// measured, and how well old times and new ones agree, in words. Hidden in any other session.

#include "core/session/run/again/measure_again.h"
#include "ui/document/reading/file_asking.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QLabel;
class QScrollArea;

namespace nestwright::ui {

class Document;

/// What such a session is to measure, has measured, and found.
struct Agreement {
  std::int64_t records = 0, measured = 0;
  std::vector<TaskAgreement> tasks;
};

class AgreementStrip : public QWidget {
  Q_OBJECT
 public:
  explicit AgreementStrip(Document& document, QWidget* parent = nullptr);

  /// As it is shown, without marks.
  QString text() const;
  /// What is known; `records` is 0 for other sessions.
  const Agreement& agreement() const { return agreement_; }

 Q_SIGNALS:
  void changed();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void begin();
  void ask();
  void show(Agreement agreement);
  void render();
  void fit();
  void follow(const QString& link);

  Document& document_;
  Agreement agreement_;
  QLabel *title_, *tasks_;
  QScrollArea* area_;
  QTimer pause_;       // between two readings while records come
  StoreAsking asking_; // last: its answer uses the others
};

} // namespace nestwright::ui
