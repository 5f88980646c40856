#pragma once
/// \file Beside the records: the values that they have, with counts, and a click that lists only
/// those or leaves them out. Shows the same filter as the chips.

#include "core/record/query/record_groups.h"
#include "ui/records/record_asking.h"
#include "ui/records/record_listing.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <set>
#include <vector>

class QTreeWidget;
class QTreeWidgetItem;

namespace nestwright::ui {

class Document;

class RecordFacetsView : public QWidget {
  Q_OBJECT
 public:
  /// Values of a facet that are shown before the user asks for more.
  static constexpr int kShown = 12;

  explicit RecordFacetsView(Document& document, QWidget* parent = nullptr);
  QTreeWidget* tree() const { return tree_; }
  AskingNote* note() const { return note_; }
  void setListing(const RecordListing& listing);
  /// The line of a value, or null: for tests and keyboards.
  QTreeWidgetItem* find(GroupBy by, const QString& name) const;
  /// Records of the file or session, whatever the filter; nothing until they were counted.
  std::optional<std::int64_t> total() const { return total_; }
  /// True when the counts are those of the listing.
  bool isCurrent() const { return current_; }
  /// What a click, a key or the menu does.
  void toggle(QTreeWidgetItem* item, bool exclude);

 Q_SIGNALS:
  void filterEdited(const nestwright::RecordFilter& filter);
  void totalChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Counted {
    std::int64_t total = 0;
    std::vector<RecordFacet> facets;
  };
  void count();
  void take(Counted counted);
  void fill();
  void addFacet(const RecordFacet& facet);
  void addValue(QTreeWidgetItem* parent, const RecordGroup& group, std::int64_t most);
  const RecordGroup* groupOf(const QTreeWidgetItem* item) const;
  void showMenu(const QPoint& at);
  void restyle();

  Document& document_;
  QTreeWidget* tree_;
  AskingNote* note_;
  RecordListing listing_;
  std::vector<RecordFacet> facets_;
  std::optional<std::int64_t> total_;
  std::set<GroupBy> closed_, whole_; // facets that are folded, and shown with all values
  bool stale_ = true, current_ = false, withAlt_ = false;
  QTimer grown_;
  QElapsedTimer since_;
  RecordAsking asking_; // last: its work is waited for first
};

/// "Operators", and a sentence about what they are.
QString facetTitle(GroupBy by);
QString facetMeaning(GroupBy by);
/// A group's name as the window writes it.
QString groupTitle(GroupBy by, const RecordGroup& group);

} // namespace nestwright::ui
