/// The menus of the records: filters, columns, what can be done with rows.
#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/row_table.h"
#include "ui/kit/text.h"
#include "ui/records/filter_line.h"
#include "ui/records/record_explorer.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_groups_page.h"
#include "ui/records/record_scatter_page.h"
#include "ui/records/record_tags.h"
#include "ui/records/record_view.h"
#include "ui/records/reproducer_saver.h"
#include "ui/records/same_program_page.h"
#include "ui/records/saved_filters.h"
#include "ui/records/sql_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QStatusTipEvent>
#include <QToolButton>

namespace nestwright::ui {
namespace {

void setUpMenuButton(QToolButton* button, const QString& text, const QString& tip, QMenu* menu) {
  button->setText(text);
  button->setToolTip(tip);
  button->setAutoRaise(true);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(menu);
}

/// The command that saves the failure of the current row.
void addSaver(Document& document, RowTable* table, QObject* parent) {
  auto* saver = new ReproducerSaver(
      document, [table] { return table->currentIndex().data(RecordRole).toLongLong(); }, parent);
  table->addAction(saver->action());
  const auto allow = [table, saver] {
    saver->allow(table->currentIndex().data(ErrorRole).toBool());
  };
  QObject::connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, saver, allow);
  QObject::connect(&document, &Document::statusChanged, saver, allow);
  QObject::connect(saver, &ReproducerSaver::saved, table, [table](const QString& sentence) {
    QStatusTipEvent tip(sentence); // the window's line shows it
    QApplication::sendEvent(table, &tip);
  });
}

} // namespace

void RecordView::buildMenus() {
  auto* filters = new QMenu(this);
  filters->setToolTipsVisible(true);
  connect(filters, &QMenu::aboutToShow, this, &RecordView::fillFilterMenu);
  setUpMenuButton(filters_, tr("Filters"), tr("Common and saved filters."), filters);
  auto* columns = new QMenu(this);
  columns->setToolTipsVisible(true);
  connect(columns, &QMenu::aboutToShow, this, [this, columns] { fillColumnMenu(columns); });
  setUpMenuButton(chooser_, tr("Columns"), tr("Which columns are shown, and of which sessions."),
                  columns);
  QHeaderView* header = table_->horizontalHeader();
  connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint& at) {
    QMenu menu(this);
    fillColumnMenu(&menu);
    menu.exec(header->mapToGlobal(at));
  });
  suchMenu_ = new QMenu(tr("&Only Such"), this);
  connect(suchMenu_, &QMenu::aboutToShow, this, &RecordView::fillSuchMenu);
  tagMenu_ = new QMenu(tr("Ta&gs"), this);
  connect(tagMenu_, &QMenu::aboutToShow, this, &RecordView::fillTagMenu);
  table_->addAction(suchMenu_->menuAction());
  table_->addAction(tagMenu_->menuAction());
  addSaver(document_, table_, this);
}

void RecordView::fillFilterMenu() {
  QMenu* menu = filters_->menu();
  menu->clear();
  const auto add = [&](const QString& title, const char* text) {
    const FilterCondition condition = parseRecordFilter(text).conditions.front();
    const bool on = std::find(filter_.conditions.begin(), filter_.conditions.end(), condition) !=
                    filter_.conditions.end();
    QAction* action = menu->addAction(title, this, [this, condition, on] {
      setFilter(with(on ? FilterCondition{condition.field, false, {}} : condition));
    });
    action->setCheckable(true);
    action->setChecked(on);
    action->setToolTip(QLatin1String(text));
  };
  add(tr("&Good Ones"), "error:none");
  add(tr("&Errors"), "error:any");
  add(tr("&Bests"), "is:best");
  add(tr("&Verified"), "is:verified");
  add(tr("&Forgotten"), "is:forgotten");
  add(tr("&Tagged"), "tag:any");
  menu->addSeparator();
  for (const SavedFilter& filter : saved_->all())
    menu->addAction(filter.name, this,
                    [this, text = filter.text] {
                      bar_->line()->setText(text);
                      Q_EMIT bar_->line()->committed();
                    })
        ->setToolTip(filter.text);
  if (!saved_->all().empty()) menu->addSeparator();
  menu->addAction(tr("&Save Filter …"), this, &RecordView::askSaveFilter)
      ->setEnabled(!filter_.empty());
  if (!saved_->all().empty()) {
    QMenu* remove = menu->addMenu(tr("&Delete"));
    for (const SavedFilter& filter : saved_->all())
      remove->addAction(filter.name, this, [this, name = filter.name] { saved_->save(name, {}); });
  }
  menu->addAction(tr("&Copy Filter"), this,
                  [this] { QApplication::clipboard()->setText(qs(print(filter_))); })
      ->setEnabled(!filter_.empty());
  menu->addAction(tr("C&lear Filter"), this, [this] { setFilter({}); })
      ->setEnabled(!filter_.empty());
}

void RecordView::fillColumnMenu(QMenu* menu) {
  menu->clear();
  menu->setToolTipsVisible(true);
  for (int i = 0; i < RecordModel::ColumnCount; ++i) {
    const auto column = RecordModel::Column(i);
    QAction* action =
        menu->addAction(model_->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString(), this,
                        [this, column](bool shown) { setColumnShown(column, shown); });
    action->setToolTip(model_->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString());
    action->setCheckable(true);
    action->setChecked(isColumnChosen(column));
  }
  menu->addSeparator();
  QAction* all = menu->addAction(tr("Records of &All Sessions"), this, &RecordView::setAllSessions);
  all->setCheckable(true);
  all->setChecked(allSessions_);
  all->setToolTip(tr("Of the whole file, not only of the session in hand."));
}

void RecordView::fillSuchMenu() {
  suchMenu_->clear();
  const QModelIndex row = table_->currentIndex();
  if (!row.isValid()) {
    suchMenu_->addAction(tr("No record is selected"))->setEnabled(false);
    return;
  }
  const auto add = [&](const QString& title, const std::string& text) {
    const RecordFilter filter = parseRecordFilter(text);
    suchMenu_->addAction(title, this,
                         [this, filter] { setFilter(with(filter.conditions.front())); });
  };
  const TaskEntry* task = document_.task(row.data(TaskRole).toLongLong());
  if (task)
    add(tr("Of the Task %1").arg(taskTitle(task->row.name)),
        fmt::format("task:T{}", task->row.index));
  const QString verdict = row.siblingAtColumn(RecordModel::Outcome).data().toString();
  if (row.data(ErrorRole).toBool()) {
    add(tr("With the Verdict %1").arg(verdict), "error:\"" + verdict.toStdString() + '"');
  } else {
    const std::string seconds =
        row.siblingAtColumn(RecordModel::Latency).data(ExportRole).toString().toStdString();
    add(tr("At Most as Slow"), "latency<=" + seconds + "ms");
    add(tr("At Least as Slow"), "latency>=" + seconds + "ms");
  }
  add(tr("With the Same Program"),
      "program:" +
          row.siblingAtColumn(RecordModel::Program).data(ExportRole).toString().toStdString());
}

void RecordView::fillTagMenu() {
  tagMenu_->clear();
  const bool any = table_->selectedCount() > 0;
  const QStringList worn = table_->currentIndex()
                               .siblingAtColumn(RecordModel::Tags)
                               .data()
                               .toString()
                               .split(QStringLiteral(", "), Qt::SkipEmptyParts);
  for (const TagCount& tag : tags_->all()) {
    const QString name = qs(tag.tag);
    QAction* action =
        tagMenu_->addAction(name, this, [this, name](bool on) { tagSelected(name, on); });
    action->setCheckable(true);
    action->setChecked(worn.contains(name));
    action->setEnabled(any);
  }
  tagMenu_->addSeparator();
  tagMenu_->addAction(tr("&New Tag …"), this, &RecordView::askTag)->setEnabled(any);
}

void RecordView::tagSelected(const QString& tag, bool on) {
  if (table_->selectedCount() > kMostSelected) {
    Q_EMIT document_.warning(
        tr("%1 records are selected; at most %2 can be tagged at once. Select "
           "fewer, or find them by a filter.")
            .arg(countText(table_->selectedCount()), countText(kMostSelected)));
    return;
  }
  tags_->set(tag.trimmed(), selectedRecords(), on);
  if (on) setColumnShown(RecordModel::Tags, true);
}

void RecordView::askTag() {
  const QString tag =
      QInputDialog::getText(this, tr("New Tag"), tr("Word for the selected records:")).trimmed();
  if (!tag.isEmpty()) tagSelected(tag, true);
}

void RecordView::askSaveFilter() {
  const QString name = QInputDialog::getText(this, tr("Save Filter"),
                                             tr("Name of the filter %1:").arg(qs(print(filter_))))
                           .trimmed();
  if (!name.isEmpty()) saved_->save(name, qs(print(filter_)));
}

std::vector<PaletteItem> RecordView::paletteItems(const QString&) {
  std::vector<PaletteItem> items;
  if (document_.state() != DocumentState::Ready) return items;
  for (const SavedFilter& filter : saved_->all())
    items.push_back({filter.name, tr("Filter"), filter.text, [this, text = filter.text] {
                       bar_->line()->setText(text);
                       Q_EMIT bar_->line()->committed();
                     }});
  items.push_back({tr("Go to Row"), tr("Command"), {}, [this] { askGoTo(); }});
  items.push_back(
      {tr("Clear Filter"), tr("Command"), {}, [this] { setFilter({}); }, !filter_.empty()});
  const std::pair<QString, QWidget*> pages[] = {{tr("Group Records"), explorer_->groups()},
                                                {tr("Scatter of Records"), explorer_->scatter()},
                                                {tr("Same Program Elsewhere"), explorer_->same()},
                                                {tr("Ask the File in SQL"), explorer_->sql()}};
  for (const auto& [title, page] : pages)
    items.push_back(
        {title, tr("Command"), {}, [this, page = page] { explorer_->setCurrentWidget(page); }});
  items.push_back(
      {tr("Save Filter"), tr("Command"), {}, [this] { askSaveFilter(); }, !filter_.empty()});
  return items;
}

} // namespace nestwright::ui
