#pragma once
/// \file What was written, and how an application begins with it.

#include <QWidget>

class QLabel;
class QLineEdit;

namespace nestwright {
struct DeployedLibrary;
} // namespace nestwright

namespace nestwright::ui {

class DeployedPage : public QWidget {
  Q_OBJECT
 public:
  explicit DeployedPage(QWidget* parent = nullptr);
  void show(const DeployedLibrary& library);

 private:
  void restyle();

  QString folder_;
  QLabel *title_, *coverage_, *files_;
  QLineEdit* command_;
};

} // namespace nestwright::ui
