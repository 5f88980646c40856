#include "ui/records/record_filter_menu.h"

#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/records/filter_line.h"
#include "ui/records/record_filter_bar.h"
#include "ui/records/record_scope.h"
#include "ui/records/saved_filters.h"

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>

#include <algorithm>

namespace nestwright::ui {

RecordFilterMenu::RecordFilterMenu(RecordScope* scope, SavedFilters* saved, RecordFilterBar* bar,
                                   QWidget* parent)
    : QMenu(parent), scope_(scope), saved_(saved), bar_(bar) {
  setToolTipsVisible(true);
  connect(this, &QMenu::aboutToShow, this, &RecordFilterMenu::fill);
}

void RecordFilterMenu::apply(const QString& text) {
  bar_->line()->setText(text);
  Q_EMIT bar_->line()->committed();
}

/// Ticked while it is a part of the filter; another click takes it out.
void RecordFilterMenu::addCommon(const QString& title, const char* text) {
  const FilterCondition condition = parseRecordFilter(text).conditions.front();
  const bool on = std::ranges::find(scope_->filter().conditions, condition) !=
                  scope_->filter().conditions.end();
  QAction* action = addAction(title, this, [this, condition, on] {
    scope_->setFilter(scope_->with(on ? FilterCondition{condition.field, false, {}} : condition));
  });
  action->setCheckable(true);
  action->setChecked(on);
  action->setToolTip(QLatin1String(text));
}

void RecordFilterMenu::fill() {
  clear();
  addCommon(tr("&Good Ones"), "error:none");
  addCommon(tr("&Errors"), "error:any");
  addCommon(tr("&Bests"), "is:best");
  addCommon(tr("&Verified"), "is:verified");
  addCommon(tr("&Forgotten"), "is:forgotten");
  addCommon(tr("&Tagged"), "tag:any");
  addSeparator();
  for (const SavedFilter& filter : saved_->all())
    addAction(filter.name, this, [this, text = filter.text] {
      apply(text);
    })->setToolTip(filter.text);
  if (!saved_->all().empty()) addSeparator();
  const QString none = scope_->filter().empty() ? tr("There is no filter.") : QString();
  enableUnless(addAction(tr("&Save Filter …"), this, &RecordFilterMenu::askSave), none);
  if (!saved_->all().empty()) {
    QMenu* remove = addMenu(tr("&Delete"));
    for (const SavedFilter& filter : saved_->all())
      remove->addAction(filter.name, this, [this, name = filter.name] { saved_->save(name, {}); });
  }
  enableUnless(
      addAction(tr("&Copy Filter"), this,
                [this] { QApplication::clipboard()->setText(qs(print(scope_->filter()))); }),
      none);
  enableUnless(addAction(tr("C&lear Filter"), this, [this] { scope_->setFilter({}); }), none);
}

void RecordFilterMenu::askSave() {
  const QString text = qs(print(scope_->filter()));
  const QString name = QInputDialog::getText(parentWidget(), tr("Save Filter"),
                                             tr("Name of the filter %1:").arg(text))
                           .trimmed();
  if (!name.isEmpty()) saved_->save(name, text);
}

std::vector<PaletteItem> RecordFilterMenu::paletteItems() {
  std::vector<PaletteItem> items;
  for (const SavedFilter& filter : saved_->all())
    items.push_back(
        {filter.name, tr("Filter"), filter.text, [this, text = filter.text] { apply(text); }});
  return items;
}

} // namespace nestwright::ui

#include "moc_record_filter_menu.cpp"
