#pragma once
/// \file What of the records the user wants to see: which ones, whose, in which order.

#include "ui/records/record_listing.h"

#include <nlohmann/json_fwd.hpp>

#include <QObject>

#include <vector>

namespace nestwright::ui {

class RecordScope : public QObject {
  Q_OBJECT
 public:
  explicit RecordScope(Document& document, QObject* parent = nullptr);

  const RecordFilter& filter() const { return filter_; }
  BrowseOrder order() const { return order_; }
  bool isFollowing() const { return following_; }
  /// In the scope of the whole file, where that has more than one.
  bool allSessions() const;
  /// All of that now, with the task that is selected.
  RecordListing listing() const;
  /// The filter with this condition in place of all of the same field; without values it only
  /// takes these away.
  RecordFilter with(const FilterCondition& condition) const;

  /// Can be undone, as narrow().
  void setFilter(const RecordFilter& filter);
  /// The same, with these conditions in place of all of the same fields.
  void narrow(const std::vector<FilterCondition>& conditions);
  void setOrder(BrowseOrder order);
  /// Only records of the selected task, unless the filter names tasks.
  void setFollowing(bool following);

  nlohmann::json viewState() const;
  /// Tells of the filter, but not that the listing is another.
  void restoreViewState(const nlohmann::json& state);

 Q_SIGNALS:
  void filterChanged(const nestwright::RecordFilter& filter);
  /// listing() is another.
  void changed();

 private:
  void apply(const RecordFilter& filter);

  Document& document_;
  RecordFilter filter_;
  BrowseOrder order_ = BrowseOrder::Newest;
  bool following_ = true;
};

} // namespace nestwright::ui
