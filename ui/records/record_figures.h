#pragma once
/// \file Count and figures of the records that are listed or selected, computed beside everything
/// else: what is out of date is stopped at once.

#include "core/record/rows/record_statistics.h"
#include "ui/document/reading/file_asking.h"
#include "ui/records/record_listing.h"

#include <QElapsedTimer>
#include <QTimer>

#include <optional>

namespace nestwright::ui {

class Document;

class RecordFigures : public QObject {
  Q_OBJECT
 public:
  explicit RecordFigures(Document& document, QObject* parent = nullptr);
  /// The figures are of these records from now on; the old ones are void.
  void setListing(const RecordListing& listing);
  /// Of these instead, when there are several; of the listing when not.
  void setChosen(std::vector<RowId> records);
  /// Figures are only made when somebody looks; the count always.
  void setWanted(bool wanted);

  /// Records that the listing has; nothing while it is being counted.
  std::optional<std::int64_t> count() const { return count_; }
  /// Of the chosen records or of the listing; nothing while they are being made.
  const std::optional<RecordStatistics>& statistics() const { return statistics_; }
  bool isOfChosen() const { return !chosen_.empty(); }
  /// Why there are none.
  QString problem() const { return problem_; }

 Q_SIGNALS:
  void countChanged();
  void statisticsChanged();

 private:
  void recount();
  void refigure();
  void forget();

  Document& document_;
  RecordListing listing_;
  std::vector<RowId> chosen_;
  bool wanted_ = false, stale_ = true;
  std::optional<std::int64_t> count_;
  std::optional<RecordStatistics> statistics_;
  QString problem_;
  QTimer grown_;        // new records are counted this often at most
  QElapsedTimer since_; // the figures were asked for
  StoreAsking counting_, figuring_;
};

} // namespace nestwright::ui
