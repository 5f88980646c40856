#pragma once
/// \file The records: filter, table, figures, details.

#include "ui/document/listed_records.h"
#include "ui/kit/background.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/records/record_listing.h"
#include "ui/records/record_model.h"

#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

class QMenu;
class QSplitter;
class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class Document;
class RecordDetails;
class RecordExplorer;
class RecordFacetsView;
class RecordFigures;
class RecordFilterBar;
class RecordStatisticsView;
class RecordTags;
class RowTable;
class SavedFilters;

class RecordView : public QWidget,
                   public StatefulView,
                   public ExportableView,
                   public PaletteSource {
  Q_OBJECT
 public:
  explicit RecordView(Document& document, QWidget* parent = nullptr);
  RecordModel* model() const { return model_; }
  RowTable* table() const { return table_; }
  RecordDetails* details() const { return details_; }
  RecordFilterBar* bar() const { return bar_; }
  RecordFigures* figures() const { return figures_; }
  RecordStatisticsView* statistics() const { return statistics_; }
  RecordExplorer* explorer() const { return explorer_; }
  RecordFacetsView* facets() const { return facets_; }
  SavedFilters* saved() const { return saved_; }
  RecordTags* tags() const { return tags_; }
  /// The records of the selected rows; none when they are more than kMostSelected, for which there
  /// are filters and exports.
  std::vector<std::int64_t> selectedRecords() const;
  static constexpr std::int64_t kMostSelected = 100'000;
  /// Where the records are counted or sorted; it ends that.
  QToolButton* stopButton() const { return stop_; }

  // What the user does. Filters can be undone.
  void setFilter(const RecordFilter& filter);
  /// The same, with these conditions in place of all of the same fields.
  void narrow(const std::vector<FilterCondition>& conditions);
  void setOrder(BrowseOrder order);
  void setColumnShown(RecordModel::Column column, bool shown);
  bool isColumnChosen(RecordModel::Column column) const { return columns_.contains(column); }
  /// Only records of the selected task, unless the filter names tasks.
  void setFollowing(bool following);
  void setAllSessions(bool all);
  /// Goes to a row ("25,000,000", "50%") or a record ("#1234"). False when the text is neither or
  /// there is no such row.
  bool goTo(const QString& text);
  void copySelected(bool markdown = false);
  /// Puts the tag on the selected records, or takes it away.
  void tagSelected(const QString& tag, bool on);
  /// What the filter lets through now, for other views.
  ListedRecords listed() const;

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
  void buildLine();
  void buildTable();
  void buildPane();
  void connectAll();
  /// Lists what filter, task and order say now.
  void list();
  void showHeader();
  void fitColumns();
  void followSelection();
  void selectionMoved(const QModelIndex& current);
  void selectionChanged();
  void goToRow(int row);
  void askGoTo();
  void showProgress();
  void stopRanking();
  void describe();
  void tellListed();
  void refreshVocabulary();
  void sortBy(int column);
  /// The filter with this condition in place of all of the same field.
  RecordFilter with(const FilterCondition& condition) const;
  static std::set<RecordModel::Column> usualColumns();
  std::vector<RecordModel::Column> shownColumns() const;
  ExportTable shownTable() const;
  // record_view_panes.cpp
  void showPane();
  void fitPane();
  bool hasRoomForFigures() const;
  bool hasRoomForFacets() const;
  // record_view_menus.cpp
  void buildMenus();
  void fillFilterMenu();
  void fillColumnMenu(QMenu* menu);
  void fillSuchMenu();
  void fillTagMenu();
  void askSaveFilter();
  void askTag();

  Document& document_;
  RecordModel* model_;
  RecordFigures* figures_;
  SavedFilters* saved_;
  RecordTags* tags_;
  RecordFilterBar* bar_;
  QToolButton *filters_, *chooser_, *follow_, *figuresShown_, *facetsShown_, *stop_;
  RowTable* table_;
  RecordExplorer* explorer_;
  RecordFacetsView* facets_;
  QSplitter* parts_;
  QTabWidget* pane_;
  RecordStatisticsView* statistics_;
  RecordDetails* details_;
  QMenu *suchMenu_ = nullptr, *tagMenu_ = nullptr;
  RecordFilter filter_;
  std::set<RecordModel::Column> columns_;
  BrowseOrder order_ = BrowseOrder::Newest;
  bool allSessions_ = false;
  QTimer patience_; // before the button to stop is shown
  Background copying_;
  bool wasFiltered_ = false; // as it was told last
  // By the user; otherwise they are shown where there is room.
  std::optional<bool> figuresAsked_, facetsAsked_;
  bool paneSetByUser_ = false;
};

} // namespace nestwright::ui
