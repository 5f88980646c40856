#include "ui/log/log_view.h"

#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"
#include "ui/log/log_model.h"

#include <QHeaderView>
#include <QScrollBar>

namespace nestwright::ui {

LogView::LogView(Document& document, QWidget* parent) : QTableView(parent) {
  auto* model = new LogModel(document, this);
  setModel(model);
  setUpTable(this);
  setObjectName(QStringLiteral("log"));
  setAccessibleName(tr("Log"));
  setAlternatingRowColors(false);
  const auto fit = [this] {
    QHeaderView* header = horizontalHeader();
    header->resizeSection(LogModel::Time,
                          fontMetrics().horizontalAdvance("0000-00-00 00:00:00") + 20);
    header->resizeSection(LogModel::Kind, fontMetrics().horizontalAdvance("build timeout") + 20);
    header->setStretchLastSection(true);
  };
  fit();
  connect(&Theme::instance(), &Theme::changed, this, fit);
  const auto follow = [this] {
    const QScrollBar* bar = verticalScrollBar();
    if (bar->value() >= bar->maximum() - 2)
      QMetaObject::invokeMethod(this, &LogView::scrollToBottom, Qt::QueuedConnection);
  };
  connect(model, &QAbstractItemModel::rowsAboutToBeInserted, this, follow);
  connect(model, &QAbstractItemModel::modelReset, this, &LogView::scrollToBottom,
          Qt::QueuedConnection);
}

} // namespace nestwright::ui

#include "moc_log_view.cpp"
