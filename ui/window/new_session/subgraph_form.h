#pragma once
/// \file Cutting out of a model that cannot be imported what can be tuned: files beside it, which
/// then are what the session tunes.

#include "ui/kit/background.h"

#include <QWidget>

#include <string>
#include <vector>

class QLabel;
class QToolButton;

namespace nestwright::ui {

class SubgraphForm : public QWidget {
  Q_OBJECT
 public:
  explicit SubgraphForm(QWidget* parent = nullptr);

  /// The ONNX file that cannot be imported, with values for its dimensions: "model.onnx:batch=1".
  /// Without one the form hides, and what it was doing is dropped.
  void setModel(const QString& model);
  QToolButton* cutButton() const { return cut_; }
  QLabel* outcome() const { return outcome_; }

 Q_SIGNALS:
  /// The subgraphs were written to these files.
  void filesWritten(const std::vector<std::string>& files);

 private:
  void cut();
  void tell(const QString& outcome);

  QString model_;
  Background cutting_;
  QToolButton* cut_;
  QLabel* outcome_;
};

} // namespace nestwright::ui
