#include "ui/program/provenance_page.h"

#include "ui/charts/micro_batch_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace nestwright::ui {

ProvenancePage::ProvenancePage(QWidget* parent)
    : QWidget(parent), facts_(new QTreeWidget(this)), microBatches_(new MicroBatchView(this)) {
  facts_->setColumnCount(2);
  facts_->setHeaderLabels({tr("Fact"), tr("Value")});
  facts_->headerItem()->setToolTip(
      0, tr("Where the program and its numbers come from; each fact says what it is."));
  facts_->headerItem()->setToolTip(1, tr("As it is in the document. Double-click a parent to "
                                         "go to it."));
  facts_->setRootIsDecorated(false);
  facts_->setAlternatingRowColors(true);
  facts_->setAccessibleName(tr("Provenance"));
  addCopying(facts_);
  connect(facts_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    if (const RowId record = item->data(0, RecordRole).toLongLong()) Q_EMIT recordWanted(record);
  });
  connect(&Theme::instance(), &Theme::changed, this, &ProvenancePage::fill);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(facts_, 1);
  layout->addWidget(microBatches_);
}

void ProvenancePage::show(const ProgramText& program) {
  provenance_ = program.provenance;
  fill();
  microBatches_->show(program.result);
}

void ProvenancePage::clear() {
  provenance_.clear();
  facts_->clear();
  microBatches_->show({});
}

void ProvenancePage::fill() {
  facts_->clear();
  for (const Provenance& fact : provenance_) {
    auto* item = new QTreeWidgetItem(facts_, {fact.name, fact.value});
    item->setToolTip(0, fact.meaning);
    item->setToolTip(1, fact.value.size() > 60 ? fact.value : fact.meaning);
    item->setData(0, RecordRole, qint64(fact.record));
    item->setForeground(0, colours().dim);
    if (fact.record) item->setForeground(1, colours().accent);
  }
  facts_->resizeColumnToContents(0);
}

QString ProvenancePage::text() const {
  QString text;
  for (const Provenance& fact : provenance_)
    text += QStringLiteral("%1\t%2\n").arg(fact.name, fact.value);
  return text;
}

} // namespace nestwright::ui

#include "moc_provenance_page.cpp"
