#pragma once
/// \file Cost models trained ahead of a search: what is to be trained, the trainings under way and
/// past, and their curves over one another.

#include "ui/kit/background.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/lab/training_desk.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QTabWidget;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class TrainingForm;
class TrainingPlots;

class TrainingView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  enum class Page : std::uint8_t { SetUp, Trainings };

  explicit TrainingView(Document& document, QWidget* parent = nullptr);

  /// What is trained on, unless the form has data of its own.
  void setChoice(const DataChoice& choice);
  /// Models that were trained elsewhere, to be looked at beside the others.
  void addModels(const QStringList& files);
  /// Looks at one; empty: at none.
  void choose(const QString& file);
  const QString& chosen() const { return chosen_; }
  void showPage(Page page);
  Page page() const;
  bool isBusy() const { return desk_.isBusy(); }
  bool isReading() const { return reading_.isBusy(); }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

  // For tests.
  TrainingForm* form() const { return form_; }
  TrainingList* list() const { return list_; }
  QTableView* table() const { return table_; }
  const TrainingDesk& desk() const { return desk_; }
  TrainingPlots* plots() const { return plots_; }
  QString words() const;

 Q_SIGNALS:
  /// A trained model is to be compared with others.
  void compareWanted(const QStringList& models);
  /// A new session is wanted that begins with this model.
  void sessionWanted(const QString& model);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* buildTrainings();
  QWidget* buildBar();
  void followDocument();
  void followSession();
  void read(const QStringList& files, const QString& folder);
  void readUnfinished();
  void begin();
  void again();
  void removeChosen();
  void say();
  void restyle();
  int row() const { return list_->rowOf(chosen_); }

  Document& document_;
  DataChoice choice_;
  TrainingList* list_;
  TrainingForm* form_;
  QTabWidget* pages_;
  QToolButton *stop_, *goOn_, *again_, *compare_, *session_, *add_, *readAgain_, *remove_;
  QLabel *state_, *details_;
  QTableView* table_;
  TrainingPlots* plots_;
  QWidget* found_;
  QString chosen_, folder_;
  QStringList added_; // models of other places
  TrainingDesk desk_;
  QTimer unfinishedTimer_;
  Background reading_, unfinished_; // last: their threads end before the others go
};

} // namespace nestwright::ui
