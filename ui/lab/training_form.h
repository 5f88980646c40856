#pragma once
/// \file What is to be trained, edited: data, model, loss, options, threads, and the file that the
/// model is written to. It says at once why it cannot begin.

#include "core/training/model_wish.h"
#include "ui/kit/background.h"

#include <QWidget>

#include <functional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class OptionModel;

class TrainingForm : public QWidget {
  Q_OBJECT
 public:
  /// `isTaken`: whether a training that runs or waits writes this file.
  TrainingForm(std::function<bool(const QString&)> isTaken, QWidget* parent = nullptr);

  const ModelWish& wish() const;
  QString file() const;
  /// Shows a wish with data of its own, and suggests a new file for it.
  void showWish(const ModelWish& wish);
  /// The data of the page Data Set, which is taken as long as no other was chosen.
  void setPageChoice(const DataChoice& choice);
  bool hasOwnData() const { return ownData_; }
  void openChoice(const QString& file);
  /// Where models go unless a person says otherwise.
  void setFolder(const QString& folder);
  /// What is said where there is no learner to train networks; empty: there is one.
  void setMissingLearner(const QString& sentence);
  void setSessionRuns(bool runs);
  /// Looks again whether the file is free.
  void bringUpToDate();
  /// Why no training can begin; empty when one can.
  QString problem() const;

  // For tests.
  QComboBox* models() const { return model_; }
  QComboBox* losses() const { return loss_; }
  QSpinBox* threads() const { return threads_; }
  QComboBox* steps() const { return steps_; }
  QLineEdit* path() const { return path_; }
  OptionModel* options() const { return options_; }
  QToolButton* startButton() const { return start_; }
  QString words() const;

 Q_SIGNALS:
  void changed();
  void startWanted();

 private:
  QWidget* buildData();
  void buildModel();
  void buildPlace();
  void connectControls();
  void take();
  void chooseModel();
  void chooseSteps();
  void takeData(const DataChoice& choice);
  void show();
  void suggestFile();
  void tell();
  void restyle();
  QString fileProblem() const;
  QString dataText() const;

  std::function<bool(const QString&)> isTaken_;
  DataChoice pageChoice_;
  QString folder_, missingLearner_, unread_, refused_;
  bool ownData_ = false, pathIsOurs_ = true, sessionRuns_ = false;
  QLabel *data_, *problem_, *note_;
  QToolButton *openChoice_, *pageData_, *browseFrom_, *browse_, *reset_, *start_;
  QComboBox *model_, *loss_, *steps_;
  QSpinBox *threads_, *targetRecords_;
  QLineEdit *helpers_, *from_, *path_;
  QCheckBox* fineTune_;
  QWidget *helping_, *ofSteps_, *goingOn_;
  OptionModel* options_;
  QTableView* table_;
  Background reading_; // last: its thread ends before the others go
};

} // namespace nestwright::ui
