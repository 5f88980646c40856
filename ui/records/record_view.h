#pragma once
/// \file The records: what is asked for above, the table and other pages about it, facets, figures
/// and the record beside them. What each part can do is its own; this joins them with one another
/// and with the document.

#include "ui/document/filtered_records.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/records/filter_completion.h"
#include "ui/records/record_actions.h"
#include "ui/records/record_model.h"
#include "ui/records/record_scope.h"
#include "ui/records/record_table.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QToolButton;

namespace nestwright::ui {

class AgreementStrip;
class Document;
class RecordDetails;
class RecordExplorer;
class RecordFacetsView;
class RecordFigures;
class RecordFilterBar;
class RecordFilterMenu;
class RecordPanes;
class SameProgramPage;
class RecordStatisticsView;
class RecordTags;
class SavedFilters;

class RecordView : public QWidget,
                   public StatefulView,
                   public ExportableView,
                   public PaletteSource {
  Q_OBJECT
 public:
  explicit RecordView(Document& document, QWidget* parent = nullptr);
  RecordScope* scope() const { return scope_; }
  RecordModel* model() const { return model_; }
  RecordTable* table() const { return table_; }
  RecordActions* actions() const { return actions_; }
  RecordDetails* details() const { return details_; }
  SameProgramPage* same() const { return same_; }
  RecordPanes* panes() const { return panes_; }
  RecordFilterBar* bar() const { return bar_; }
  RecordFigures* figures() const { return figures_; }
  RecordStatisticsView* statistics() const { return statistics_; }
  RecordExplorer* explorer() const { return explorer_; }
  RecordFacetsView* facets() const { return facets_; }
  SavedFilters* saved() const { return saved_; }
  RecordTags* tags() const { return tags_; }
  AgreementStrip* agreement() const { return agreement_; }
  /// Where the records are counted or sorted; it ends that.
  QToolButton* stopButton() const { return stop_; }

  // For other views.
  /// What the filter lets through now.
  FilteredRecords listed() const;
  std::vector<RowId> selectedRecords() const { return table_->selectedRecords(); }
  void narrow(const std::vector<FilterCondition>& conditions) { scope_->narrow(conditions); }

  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;
  Exports exports() override;
  std::vector<PaletteItem> paletteItems(const QString& text) override;

 Q_SIGNALS:
  /// listed() is another.
  void listedChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* recordPage();
  void buildBar();
  void connectAsking();
  void connectAnswers();
  void connectSelection();
  /// Lists what the scope says now.
  void list();
  // The selection: the document's is the table's current row.
  void followSelection();
  void selectionMoved(const QModelIndex& current);
  void selectionChanged();
  void showPanes();
  // What is said of the listing.
  void describe();
  void showProgress();
  void offerStop();
  void stopRanking();
  void tellListed();
  FilterVocabulary vocabulary() const;

  Document& document_;
  RecordScope* scope_;
  RecordModel* model_;
  RecordFigures* figures_;
  SavedFilters* saved_;
  RecordTags* tags_;
  RecordFilterBar* bar_;
  RecordFilterMenu* filters_;
  QToolButton *follow_, *stop_;
  RecordTable* table_;
  RecordActions* actions_;
  RecordExplorer* explorer_;
  RecordFacetsView* facets_;
  RecordStatisticsView* statistics_;
  RecordDetails* details_;
  SameProgramPage* same_;
  RecordPanes* panes_;
  AgreementStrip* agreement_;
  QTimer patience_;          // before the button to stop is shown
  bool wasFiltered_ = false; // as it was told last
  bool awaited_ = false;     // the current row, which will be the document's once it is read
};

} // namespace nestwright::ui
