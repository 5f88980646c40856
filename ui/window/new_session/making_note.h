#pragma once
/// \file That a new session is being made, or why it could not be. Not there when there is nothing
/// to say.

#include <QWidget>

class QLabel;

namespace nestwright::ui {

class MakingNote : public QWidget {
  Q_OBJECT
 public:
  explicit MakingNote(QWidget* parent = nullptr);

  /// Shows that it begins or has ended; what was wrong before is forgotten.
  void setMaking(bool making);
  bool isMaking() const { return making_; }
  /// Why the session could not be made; empty: nothing is known to be wrong.
  void setProblem(const QString& problem);
  const QString& problem() const { return problem_; }

 private:
  void tell();

  bool making_ = false;
  QString problem_;
  QWidget* busy_;
  QLabel* text_;
};

} // namespace nestwright::ui
