#include "ui/records/pages/record_groups_page.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/records/record_facets.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

namespace nestwright::ui {

RecordGroupsPage::RecordGroupsPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), chooser_(new QComboBox(this)),
      table_(new QTableView(this)), model_(new GroupModel(this)), note_(new AskingNote(this)) {
  for (const GroupBy by : kGroupings) {
    chooser_->addItem(facetTitle(by), int(by));
    chooser_->setItemData(chooser_->count() - 1, facetMeaning(by), Qt::ToolTipRole);
  }
  chooser_->setAccessibleName(tr("Group by"));
  chooser_->setToolTip(tr("What the records of a group have in common."));
  auto* label = new QLabel(tr("Group &by"), this);
  label->setBuddy(chooser_);
  table_->setModel(model_);
  setUpTable(table_);
  table_->setSortingEnabled(true);
  table_->viewport()->installEventFilter(this);
  table_->sortByColumn(GroupModel::Records, Qt::DescendingOrder);
  table_->setItemDelegate(new CellBarDelegate(table_));
  table_->setItemDelegateForColumn(GroupModel::Errors,
                                   new CellBarDelegate(table_, &Colours::failed));
  table_->setAccessibleName(tr("Groups of records"));
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  table_->setColumnHidden(GroupModel::More, true);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(6);
  row->addWidget(label);
  row->addWidget(chooser_);
  row->addWidget(note_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addWidget(table_, 1);
  note_->follow(asking_, tr("Counting"));
  note_->follow(medians_, tr("Reading times for the medians"));
  grown_.setSingleShot(true);
  grown_.setInterval(kDrawAgainMilliseconds);
  connect(&grown_, &QTimer::timeout, this, &RecordGroupsPage::read);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!grown_.isActive()) grown_.start();
  });
  for (const auto signal : {&SessionFollower::recordsReread, &SessionFollower::jumped})
    connect(&document.follower(), signal, this, &RecordGroupsPage::read);
  connect(&document, &Document::stateChanged, this, [this] {
    model_->setGroups(by(), {});
    read();
  });
  connect(chooser_, &QComboBox::currentIndexChanged, this, [this] {
    model_->setGroups(by(), {});
    read();
  });
  connect(note_, &AskingNote::stopped, this, [this] { describe(false); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
    Q_EMIT filterEdited(only(listing_.filter, groupAt(at)));
  });
  connect(table_, &QWidget::customContextMenuRequested, this, &RecordGroupsPage::showMenu);
  connect(&Theme::instance(), &Theme::changed, this, &RecordGroupsPage::fitColumns);
  fitColumns();
}

GroupBy RecordGroupsPage::by() const {
  return GroupBy(chooser_->currentData().toInt());
}

void RecordGroupsPage::setBy(GroupBy by) {
  chooser_->setCurrentIndex(chooser_->findData(int(by)));
}

void RecordGroupsPage::fitColumns() {
  QHeaderView* header = table_->horizontalHeader();
  const auto wide = [&](GroupModel::Column column, const char* widest) {
    header->resizeSection(column,
                          table_->fontMetrics().horizontalAdvance(QString::fromUtf8(widest)) + 18);
  };
  wide(GroupModel::More, "platinum-8272 ____");
  wide(GroupModel::Records, "51,577,248__");
  wide(GroupModel::Best, "999.9 ms__");
  wide(GroupModel::Median, "999.9 ms____");
  wide(GroupModel::Errors, "100.0 %____");
  wide(GroupModel::BestRecord, "51,577,248__");
  fitName();
}

/// What the numbers leave is the name's.
void RecordGroupsPage::fitName() {
  const QHeaderView* header = table_->horizontalHeader();
  int others = 0;
  for (int column = GroupModel::More; column < GroupModel::ColumnCount; ++column)
    if (!table_->isColumnHidden(column)) others += header->sectionSize(column);
  const int least = table_->fontMetrics().horizontalAdvance(QStringLiteral("Conv 3x3 512->512"));
  table_->setColumnWidth(GroupModel::Name, std::max(least, table_->viewport()->width() - others));
}

bool RecordGroupsPage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fitName(); // the table's inside, without its bars
  return QWidget::eventFilter(watched, event);
}

void RecordGroupsPage::setListing(const RecordListing& listing) {
  if (sameRecords(listing, listing_)) return;
  listing_ = listing;
  read();
}

void RecordGroupsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) read();
}

void RecordGroupsPage::read() {
  stale_ = true;
  const bool ready = document_.state() == DocumentState::Ready;
  if (!ready) {
    asking_.leave();
    medians_.leave();
  }
  medians_.cancel(); // their groups are about to change
  if (!ready || !isVisible()) return;
  stale_ = false;
  note_->setText(tr("Reading …"));
  asking_.askOf<std::vector<RecordGroup>>(
      document_.file().path(),
      [query = queryOf(document_, listing_), by = by()](RecordSurvey& survey) {
        return survey.groups(query, by, GroupDetail::Best);
      },
      [this](std::vector<RecordGroup> groups) { take(std::move(groups), false); },
      [this](const QString& why) { note_->setText(why); });
}

void RecordGroupsPage::readMedians() {
  medians_.askOf<std::vector<RecordGroup>>(
      document_.file().path(),
      [query = queryOf(document_, listing_), by = by()](RecordSurvey& survey) {
        return survey.groups(query, by, GroupDetail::Median);
      },
      [this](std::vector<RecordGroup> groups) { take(std::move(groups), true); },
      [this](const QString& why) { note_->setText(why); });
}

void RecordGroupsPage::take(std::vector<RecordGroup> groups, bool medians) {
  // The same groups as before stay where they are, and selected.
  const QModelIndex current = table_->currentIndex();
  const std::string name = current.isValid() ? groupAt(current).name : std::string();
  const std::string more = current.isValid() ? groupAt(current).more : std::string();
  const int scrolled = table_->verticalScrollBar()->value();
  model_->setMediansKnown(medians);
  model_->setGroups(by(), std::move(groups));
  table_->setColumnHidden(GroupModel::More, !model_->hasMore());
  fitName();
  for (int row = 0; current.isValid() && row < model_->rowCount(); ++row)
    if (const RecordGroup& group = groupAt(model_->index(row, 0));
        group.name == name && group.more == more) {
      table_->selectRow(row);
      break;
    }
  table_->verticalScrollBar()->setValue(scrolled);
  describe(medians);
  if (!medians) readMedians();
}

void RecordGroupsPage::describe(bool medians) {
  const auto count = std::int64_t(model_->groups().size());
  if (count == 0) return note_->setText(tr("No records match."));
  const QString groups = count == 1 ? tr("1 group") : tr("%1 groups").arg(countText(count));
  note_->setText(medians || medians_.isBusy() ? groups
                                              : tr("%1, medians were not read").arg(groups));
}

const RecordGroup& RecordGroupsPage::groupAt(const QModelIndex& shown) const {
  return model_->groups().at(std::size_t(shown.row()));
}

void RecordGroupsPage::showMenu(const QPoint& at) {
  const QModelIndex row = table_->indexAt(at);
  if (!row.isValid()) return;
  const RecordGroup group = groupAt(row);
  QMenu menu(this);
  menu.addAction(tr("&Only These Records"), this,
                 [&] { Q_EMIT filterEdited(only(listing_.filter, group)); });
  // A negation of two conditions at once is nothing that a filter can say.
  QAction* without = menu.addAction(tr("&Without These Records"), this, [&] {
    Q_EMIT filterEdited(toggled(listing_.filter, group.conditions[0], true));
  });
  enableUnless(without, group.conditions.size() == 1
                            ? QString()
                            : tr("A filter cannot leave out what fulfils two conditions at once."));
  QAction* best = menu.addAction(tr("Show the &Best Record"), this, [&] {
    document_.selection().select({group.bestTask, group.bestRecord});
  });
  enableUnless(best, group.bestRecord != 0 ? QString() : tr("None of them ended well."));
  menu.addSeparator();
  menu.addAction(tr("&Copy"), this, [this] { copyRows(table_); });
  menu.exec(table_->viewport()->mapToGlobal(at));
}

Exports RecordGroupsPage::exports() const {
  Exports result;
  result.name = QStringLiteral("records-by-") + qs(name(by()));
  result.title = tr("Records by %1").arg(facetTitle(by()).toLower());
  result.table = tableOf(table_);
  result.clip = result.table;
  return result;
}

} // namespace nestwright::ui

#include "moc_record_groups_page.cpp"
