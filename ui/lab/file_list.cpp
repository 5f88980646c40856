#include "ui/lab/file_list.h"

#include "ui/kit/fonts.h"
#include "ui/kit/theme.h"

#include <QKeyEvent>

namespace nestwright::ui {

FileList::FileList(const QString& name, const QString& tip, QWidget* parent) : QListWidget(parent) {
  setAccessibleName(name);
  setToolTip(tip);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setAlternatingRowColors(true);
  setTextElideMode(Qt::ElideMiddle);
  setFrameStyle(QFrame::StyledPanel | QFrame::Plain); // a field of a form
  connect(&Theme::instance(), &Theme::changed, this, &FileList::restyle);
  restyle();
}

void FileList::restyle() {
  setFixedHeight(3 * tableRowHeight() + 4);
}

void FileList::setFiles(const QStringList& files,
                        const std::function<QString(const QString&)>& title) {
  clear();
  for (const QString& file : files) {
    auto* item = new QListWidgetItem(title(file), this);
    item->setData(Qt::UserRole, file);
    item->setToolTip(file);
  }
}

QStringList FileList::selectedFiles() const {
  QStringList files;
  for (const QListWidgetItem* item : selectedItems())
    files << item->data(Qt::UserRole).toString();
  return files;
}

void FileList::keyPressEvent(QKeyEvent* event) {
  if (!event->matches(QKeySequence::Delete)) return QListWidget::keyPressEvent(event);
  Q_EMIT removalWanted();
}

} // namespace nestwright::ui

#include "moc_file_list.cpp"
