#pragma once
/// \file Where a new session is opened while another one runs. Not there while none does.

#include <QWidget>

class QLabel;
class QRadioButton;

namespace nestwright::ui {

class PlaceForm : public QWidget {
  Q_OBJECT
 public:
  explicit PlaceForm(QWidget* parent = nullptr);

  /// What is being tuned, in a sentence: the new session then goes into a window of its own, unless
  /// the user lets that one pause. Empty: nothing is.
  void setRunning(const QString& text);
  bool inOwnWindow() const;

 Q_SIGNALS:
  /// Whether the session that runs makes room for the new one.
  void pauseChosen(bool pauses);

 private:
  QLabel* running_;
  QRadioButton *ownWindow_, *here_;
};

} // namespace nestwright::ui
