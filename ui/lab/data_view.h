#pragma once
/// \file The data that cost models learn from: which records, how they are split, what is in them,
/// and why they cannot be trained on, where they cannot.

#include "core/story/data_story.h"
#include "ui/kit/background.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class ChoiceForm;
class Document;
class LabelPlot;
class ShareModel;

class DataView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit DataView(Document& document, QWidget* parent = nullptr);

  const DataChoice& choice() const;
  /// As far as it was read; `choice` of it is what it is about.
  const DataStory& story() const { return story_; }
  bool isReading() const { return reading_.isBusy(); }
  void openChoice(const QString& file);
  void saveChoice(const QString& file);
  /// The command that says the same.
  QString command() const;
  void showTasks(bool tasks);

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

  // For tests.
  ChoiceForm* form() const { return form_; }
  ShareModel* shares() const { return shares_; }
  LabelPlot* labels() const { return labels_; }
  QString verdict() const;
  QString words() const;

 Q_SIGNALS:
  /// Another choice, by a person's hand or with another document.
  void choiceChanged(const DataChoice& choice);

 protected:
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* buildBar();
  QWidget* buildContents();
  void restyle();
  void followDocument();
  void changed();
  void read();
  void take(DataStory story);
  void fail(const QString& why);
  void showShares();
  void tell(const QString& text);

  Document& document_;
  ChoiceForm* form_;
  QToolButton *add_, *open_, *save_, *copy_, *again_, *cancel_, *byNetwork_, *byTask_;
  QLabel *state_, *verdict_, *contents_, *leftOut_, *legend_;
  QProgressBar* busy_;
  QWidget* found_;
  ShareModel* shares_;
  QTableView* table_;
  LabelPlot* labels_;
  DataStory story_;
  QString shownDocument_;
  bool stale_ = true;
  QTimer soon_;
  Background reading_, writing_; // last: their threads end before the others go
};

} // namespace nestwright::ui
