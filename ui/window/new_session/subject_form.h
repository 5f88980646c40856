#pragma once
/// \file Choosing a network or an operator and its parameters: a list, a field for each parameter,
/// and the same choice as text, which can be edited too.

#include "ui/window/new_session/catalogue.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace nestwright::ui {

class SubjectForm : public QWidget {
  Q_OBJECT
 public:
  SubjectForm(std::vector<Subject> subjects, const QString& kind, QWidget* parent = nullptr);
  /// The choice as on the command line: "resnet18:batch=1,image=224".
  QString text() const;
  /// Shows this choice; what is not understood stays as text.
  void setText(const QString& text);
  QComboBox* list() const { return list_; }
  QLineEdit* line() const { return line_; }

 Q_SIGNALS:
  void changed();

 private:
  void choose(int index);
  void writeText();
  void readText();
  void showParameters(const Subject& subject);

  std::vector<Subject> subjects_;
  QComboBox* list_;
  QLabel* description_;
  QWidget* parameters_;
  QGridLayout* grid_;
  std::vector<QSpinBox*> fields_;
  QLineEdit* line_;
};

} // namespace nestwright::ui
