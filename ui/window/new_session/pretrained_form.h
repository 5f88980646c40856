#pragma once
/// \file The trained model that a new session begins with: its file, what becomes of it, and what
/// it knows of the tasks.

#include "core/session/run/session.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace nestwright::ui {

class PretrainedForm : public QWidget {
  Q_OBJECT
 public:
  explicit PretrainedForm(QWidget* parent = nullptr);

  void show(const SessionConfig& config);
  /// Puts what the fields say into the settings.
  void read(SessionConfig& config) const;
  /// Why no session can begin with it, and what it knows; empty for neither. Fields that the search
  /// takes no notice of cannot be set, but what is there can be taken out.
  void tell(const QString& problem, const QString& knowledge, bool isAsked);
  /// A file that cannot be read, in a sentence; empty where there is none.
  QString fileProblem() const;

  /// The field that comes first, for a label.
  QComboBox* files() const { return file_; }
  QComboBox* updates() const { return update_; }
  QCheckBox* perTask() const { return perTask_; }
  QLabel* problem() const { return problem_; }
  QLabel* knowledge() const { return knowledge_; }

 Q_SIGNALS:
  void edited();

 private:
  QString path() const;
  void chooseFile();
  void restyle();

  QComboBox *file_, *update_;
  QPushButton* browse_;
  QCheckBox* perTask_;
  QLabel *problem_, *knowledge_;
};

} // namespace nestwright::ui
