#include "ui/records/record_actions.h"

#include "core/record/rows/tag_count.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/records/record_columns.h"
#include "ui/records/record_scope.h"
#include "ui/records/record_table.h"
#include "ui/records/record_tags.h"
#include "ui/records/reproducer_saver.h"

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QMenu>
#include <QStatusTipEvent>

namespace nestwright::ui {

RecordActions::RecordActions(Document& document, RecordTable* table, RecordScope* scope,
                             RecordTags* tags, QObject* parent)
    : QObject(parent), document_(document), table_(table), scope_(scope), tags_(tags),
      suchMenu_(new QMenu(tr("&Only Such"), table)), tagMenu_(new QMenu(tr("Ta&gs"), table)) {
  const auto add = [this](const QString& text, const QKeySequence& keys, auto slot) {
    auto* action = new QAction(text, table_);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, slot);
    table_->addAction(action);
  };
  add(tr("Copy Rows"), QKeySequence::Copy, [this] { copySelected(); });
  add(tr("Copy Rows as Markdown"), {}, [this] { copySelected(true); });
  add(tr("&Go to Row …"), QKeySequence(tr("Ctrl+G")), [this] { askGoTo(); });
  connect(suchMenu_, &QMenu::aboutToShow, this, &RecordActions::fillSuchMenu);
  connect(tagMenu_, &QMenu::aboutToShow, this, &RecordActions::fillTagMenu);
  table_->addAction(suchMenu_->menuAction());
  table_->addAction(tagMenu_->menuAction());
  addSaver();
}

/// The command that saves the failure of the current row.
void RecordActions::addSaver() {
  auto* saver = new ReproducerSaver(
      document_, [this] { return table_->currentIndex().data(RecordRole).toLongLong(); }, this);
  table_->addAction(saver->action());
  const auto allow = [this, saver] {
    saver->allow(table_->currentIndex().data(ErrorRole).toBool());
  };
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, saver, allow);
  connect(&document_.follower(), &SessionFollower::statusChanged, saver, allow);
  connect(saver, &ReproducerSaver::saved, table_, [this](const QString& sentence) {
    QStatusTipEvent tip(sentence); // the window's line shows it
    QApplication::sendEvent(table_, &tip);
  });
}

void RecordActions::askGoTo() {
  table_->askGoTo([this](const QString& why) { document_.notices().warn(why); });
}

void RecordActions::copySelected(bool markdown) {
  constexpr std::int64_t kMost = 10'000;
  const std::int64_t count = table_->selectedCount();
  if (count > kMost) {
    document_.notices().warn(tr("%1 rows are selected; at most %2 are copied. Export them instead.")
                                 .arg(countText(count), countText(kMost)));
    return;
  }
  if (count == 0) return;
  std::vector<RecordColumn> columns;
  QStringList titles;
  for (const int column : table_->shownColumns()) {
    columns.push_back(recordColumns().at(std::size_t(column)));
    titles.append(columns.back().title);
  }
  const auto put = [this, columns, titles, markdown](const std::vector<RecordRow>& rows) {
    std::vector<QStringList> lines;
    for (const RecordRow& row : rows) {
      QStringList cells;
      for (const RecordColumn& column : columns)
        cells.append(column.text(row, document_));
      lines.push_back(cells);
    }
    const ExportTable table = tableOfRows(titles, std::move(lines));
    QApplication::clipboard()->setText(markdown ? markdownOf(table, int(kMost)) : tsvOf(table));
  };
  copying_.ask<std::vector<RecordRow>>(
      [records = table_->selectedRecords(), path = document_.file().path().toStdString()](
          const Job&) { return rowsOf(RecordBrowser(path).records(records)); },
      [put](const std::vector<RecordRow>& rows) { put(rows); },
      [this](const QString& why) { document_.notices().warn(why); });
}

void RecordActions::fillSuchMenu() {
  suchMenu_->clear();
  const QModelIndex row = table_->currentIndex();
  if (!row.data(TaskRole).isValid()) { // none, or one that is still being read
    suchMenu_->addAction(tr("No record is selected"))->setEnabled(false);
    return;
  }
  const auto add = [&](const QString& title, const std::string& text) {
    const RecordFilter filter = parseRecordFilter(text);
    suchMenu_->addAction(title, this, [this, filter] {
      scope_->setFilter(scope_->with(filter.conditions.front()));
    });
  };
  const TaskEntry* task = document_.session().task(row.data(TaskRole).toLongLong());
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
      "program:" + row.siblingAtColumn(RecordModel::Program).data().toString().toStdString());
}

void RecordActions::fillTagMenu() {
  tagMenu_->clear();
  const QString none = table_->selectedCount() > 0 ? QString() : tr("No record is selected.");
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
    enableUnless(action, none);
  }
  tagMenu_->addSeparator();
  enableUnless(tagMenu_->addAction(tr("&New Tag …"), this, &RecordActions::askTag), none);
}

void RecordActions::tagSelected(const QString& tag, bool on) {
  const SelectedRecords selected = table_->selected();
  if (const QString why = whyNotNamed(selected); !why.isEmpty())
    return document_.notices().warn(why);
  tags_->set(tag.trimmed(), selected.records, on);
  if (on) table_->setColumnShown(RecordModel::Tags, true);
}

void RecordActions::askTag() {
  const QString tag =
      QInputDialog::getText(table_, tr("New Tag"), tr("Word for the selected records:")).trimmed();
  if (!tag.isEmpty()) tagSelected(tag, true);
}

} // namespace nestwright::ui

#include "moc_record_actions.cpp"
