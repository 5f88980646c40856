#pragma once
/// \file What a new session remembers of earlier ones: nothing, what its own document knows, or
/// further files, too; and what these know of its tasks, which is read in the background.

#include "core/session/run/memory/memory_survey.h"
#include "ui/kit/background.h"

#include <QGroupBox>
#include <QTimer>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QToolButton;
class QTreeView;
class QVBoxLayout;

namespace nestwright::ui {

class KnownTasksModel;

class MemoryForm : public QGroupBox {
  Q_OBJECT
 public:
  /// Answers in the background.
  using Survey = std::function<MemorySurvey(const SessionConfig& config, const std::string& own,
                                            const std::function<void()>& check)>;

  /// Without another survey it is surveyMemory(), by the person's own worker.
  explicit MemoryForm(QWidget* parent = nullptr, Survey survey = {});

  /// As SessionConfig::memory has it: empty where it is off.
  std::vector<std::string> memory() const;
  void setMemory(const std::vector<std::string>& memory);
  /// A document that is open, which can be added with one click; empty: none is.
  void offerFile(const QString& file);
  void addFile(const QString& file);
  /// What the session will be, and the file that it will be saved to; without subjects nothing is
  /// looked up.
  void setSession(SessionConfig config, const QString& own);
  /// Why no session can be made with these files, as far as it is known at once or was found out;
  /// empty when one can.
  QString problem() const;

  const std::optional<MemorySurvey>& survey() const { return found_; }
  QCheckBox* ownBox() const { return own_; }
  QToolButton* knownButton() const { return more_; }
  QToolButton* offerButton() const { return offer_; }
  QTreeView* table() const { return table_; }
  QLabel* summary() const { return summary_; }

 Q_SIGNALS:
  void changed();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void chooseFiles();
  void edited();
  void ask();
  void begin();
  void take(MemorySurvey survey);
  void tell();
  void listFiles();
  QString summaryText() const;
  /// What was found out of a file; null while it is not known.
  const MemoryFile* known(const QString& file) const;

  Survey surveying_;
  SessionConfig config_;
  QString ownFile_, offered_;
  QStringList further_;
  std::string asked_; // of what is being read, or was
  std::optional<MemorySurvey> found_;
  QTimer pause_; // before it is read
  QCheckBox* own_;
  QToolButton *offer_, *more_;
  QWidget* files_;
  QLabel *summary_, *problem_;
  KnownTasksModel* model_;
  QTreeView* table_;
  Background reading_; // last: its answer uses the others
};

} // namespace nestwright::ui
