#include "ui/records/pages/record_explorer.h"

#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/records/pages/record_groups_page.h"
#include "ui/records/pages/record_scatter_page.h"
#include "ui/records/pages/sql_page.h"

#include <nlohmann/json.hpp>

namespace nestwright::ui {
namespace {

/// Pages in the document's state; never changed.
constexpr const char* kPages[] = {"table", "groups", "scatter", "sql"};

} // namespace

RecordExplorer::RecordExplorer(Document& document, QWidget* table, QWidget* parent)
    : QTabWidget(parent), groups_(new RecordGroupsPage(document, this)),
      scatter_(new RecordScatterPage(document, this)),
      sql_(new SqlPage(document, this)) {
  setDocumentMode(true);
  setAccessibleName(tr("Ways to look at the records"));
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    setTabToolTip(addTab(page, title), tip);
  };
  add(table, tr("Table"), tr("A row for each record."));
  add(groups_, tr("Groups"),
      tr("Best, median and errors of each task, operator, network, target, session or tag."));
  add(scatter_, tr("Scatter"), tr("A point for each record; drag to choose a range."));
  add(sql_, tr("SQL"), tr("A free question to the file, which it cannot change."));
  connect(groups_, &RecordGroupsPage::filterEdited, this, &RecordExplorer::filterEdited);
  connect(scatter_, &RecordScatterPage::filterEdited, this, &RecordExplorer::filterEdited);
  // A group that was double-clicked is looked at record by record.
  connect(groups_, &RecordGroupsPage::filterEdited, this, [this] { setCurrentIndex(0); });
}

void RecordExplorer::setListing(const RecordListing& listing) {
  groups_->setListing(listing);
  scatter_->setListing(listing);
}

void RecordExplorer::setChosen(const std::vector<RowId>& records) {
  scatter_->setChosen(records);
}

std::optional<Exports> RecordExplorer::exports() const {
  if (currentWidget() == groups_) return groups_->exports();
  if (currentWidget() == scatter_) return scatter_->exports();
  if (currentWidget() == sql_) return sql_->exports();
  return std::nullopt;
}

nlohmann::json RecordExplorer::viewState() const {
  return {{"page", kPages[currentIndex()]},    {"group_by", name(groups_->by())},
          {"x", key(scatter_->x())},           {"y", key(scatter_->y())},
          {"colour", key(scatter_->colour())}, {"sql", sql_->text().toStdString()}};
}

void RecordExplorer::restoreViewState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  const auto fact = [&](const char* which, int facts, PointFact usual) {
    for (int i = 0; i < facts; ++i)
      if (storedText(state, which) == key(PointFact(i))) return PointFact(i);
    return usual;
  };
  for (const GroupBy by : kGroupings)
    if (storedText(state, "group_by") == name(by)) groups_->setBy(by);
  scatter_->setFacts(fact("x", kPlaces, PointFact::Trial), fact("y", kPlaces, PointFact::Latency),
                     fact("colour", kPointFacts, PointFact::Task));
  if (const std::string sql = storedText(state, "sql"); !sql.empty()) sql_->setText(qs(sql));
  for (int i = 0; i < count(); ++i)
    if (storedText(state, "page") == kPages[i]) setCurrentIndex(i);
}

} // namespace nestwright::ui

#include "moc_record_explorer.cpp"
