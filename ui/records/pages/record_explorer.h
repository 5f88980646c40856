#pragma once
/// \file The pages beside the table of records: groups, points, the same program elsewhere, all
/// following the filter and setting it; and free questions in SQL.

#include "ui/kit/exportable.h"
#include "ui/records/record_listing.h"

#include <nlohmann/json_fwd.hpp>

#include <QTabWidget>

#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;
class RecordGroupsPage;
class RecordScatterPage;
class SqlPage;

class RecordExplorer : public QTabWidget {
  Q_OBJECT
 public:
  /// `table` becomes the first page.
  RecordExplorer(Document& document, QWidget* table, QWidget* parent);
  RecordGroupsPage* groups() const { return groups_; }
  RecordScatterPage* scatter() const { return scatter_; }
  SqlPage* sql() const { return sql_; }
  void setListing(const RecordListing& listing);
  /// The selected records, or one or none.
  void setChosen(const std::vector<RowId>& records);
  /// What the page that is seen gives; nothing while that is the table.
  std::optional<Exports> exports() const;
  nlohmann::json viewState() const;
  void restoreViewState(const nlohmann::json& state);
  /// Pages that are not seen do not keep the panel wide.
  QSize minimumSizeHint() const override { return {200, 120}; }

 Q_SIGNALS:
  /// The user wants another filter.
  void filterEdited(const nestwright::RecordFilter& filter);

 private:
  RecordGroupsPage* groups_;
  RecordScatterPage* scatter_;
  SqlPage* sql_;
};

} // namespace nestwright::ui
