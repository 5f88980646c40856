#pragma once
/// \file A choice of data, edited: its files, which of their records, what is learned from and what
/// is tested on.

#include "core/story/data_story.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace nestwright::ui {

class FileList;

class ChoiceForm : public QWidget {
  Q_OBJECT
 public:
  explicit ChoiceForm(QWidget* parent = nullptr);

  const DataChoice& choice() const { return choice_; }
  /// Shows it without saying that it changed.
  void setChoice(DataChoice choice);
  /// The open document, which is marked in the list of files.
  void setDocument(const QString& path);
  /// Targets and networks that can be chosen.
  void offer(const DataStory& story);

  void addFiles(const QStringList& files);
  /// Takes records of these files alone, and of them those that the condition is true of.
  void takeRecords(const QStringList& files, const QString& condition);

  // For tests.
  FileList* files() const { return files_; }
  QLineEdit* filter() const { return filter_; }
  QComboBox* target() const { return target_; }
  QComboBox* split() const { return split_; }
  QLineEdit* holdOut() const { return holdOut_; }
  QSpinBox* leastPrograms() const { return leastPrograms_; }

 Q_SIGNALS:
  /// By a person's hand.
  void changed();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void offerRemoval();
  void buildRecords();
  void buildLearned();
  void buildTested();
  void connectControls();
  void removeFiles();
  void show();
  void showFiles();
  void fillTargets();
  void showRelevant();
  void keepRoom();
  void take();

  DataChoice choice_;
  QString document_;
  std::vector<KnownTarget> targets_;
  FileList* files_;
  QToolButton *remove_, *tasks_;
  QLineEdit *filter_, *networks_, *holdOut_;
  QComboBox *target_, *label_, *failures_, *split_, *testTarget_;
  QSpinBox *leastPrograms_, *drawnTasks_, *drawnPrograms_, *seed_;
  QDoubleSpinBox *validation_, *testShare_;
  QCheckBox* wholeTasks_;
};

} // namespace nestwright::ui
