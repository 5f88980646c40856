#include "ui/window/shortcut_editor.h"

#include "ui/document/settings.h"
#include "ui/kit/table/table_setup.h"
#include "ui/window/actions.h"

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

constexpr const char* kDefaultKeys = "defaultKeys"; // property with the shortcuts of the product

QString plain(const QAction* action) {
  return action->text().remove(QLatin1Char('&'));
}

QString keysText(const QList<QKeySequence>& keys) {
  return QKeySequence::listToString(keys, QKeySequence::NativeText);
}

/// By what the command is in the settings; its shown text changes with state and language.
QString keyOf(const QAction* action) {
  return action->whatsThis().isEmpty() ? plain(action) : action->whatsThis();
}

class ShortcutDialog : public QDialog {
 public:
  ShortcutDialog(const Actions& actions, QWidget* parent);

 private:
  void fill();
  void show(int row);
  void set(const QList<QKeySequence>& keys);
  QAction* chosen() const;

  const Actions& actions_;
  QTableWidget* table_;
  QLineEdit* find_;
  QKeySequenceEdit* keys_;
  QLabel* note_;
  QPushButton *reset_, *clear_;
};

ShortcutDialog::ShortcutDialog(const Actions& actions, QWidget* parent)
    : QDialog(parent), actions_(actions), table_(new QTableWidget(0, 3, this)),
      find_(new QLineEdit(this)), keys_(new QKeySequenceEdit(this)), note_(new QLabel(this)),
      reset_(new QPushButton(QObject::tr("&Default"), this)),
      clear_(new QPushButton(QObject::tr("&None"), this)) {
  setWindowTitle(QObject::tr("Keyboard Shortcuts"));
  find_->setPlaceholderText(QObject::tr("Search commands and keys"));
  find_->setAccessibleName(QObject::tr("Search commands and keys"));
  table_->setAccessibleName(QObject::tr("Commands"));
  table_->setHorizontalHeaderLabels(
      {QObject::tr("Command"), QObject::tr("Keys"), QObject::tr("What it does")});
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  setUpTable(table_);
  keys_->setAccessibleName(QObject::tr("Keys of the selected command"));
  keys_->setToolTip(QObject::tr("Click here and press the keys; they take effect at once."));
  reset_->setToolTip(QObject::tr("The keys that the command came with."));
  note_->setWordWrap(true);
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(QObject::tr("&Keys of the selected command"), this);
  label->setBuddy(keys_);
  row->addWidget(label);
  row->addWidget(keys_, 1);
  row->addWidget(clear_);
  row->addWidget(reset_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(find_);
  layout->addWidget(table_, 1);
  layout->addLayout(row);
  layout->addWidget(note_);
  layout->addWidget(buttons);
  fill();
  table_->resizeColumnsToContents();
  table_->horizontalHeader()->setStretchLastSection(true);
  resize(fontMetrics().averageCharWidth() * 120, 560);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int at) { show(at); });
  connect(find_, &QLineEdit::textChanged, this, [this](const QString& wanted) {
    for (int at = 0; at < table_->rowCount(); ++at) {
      bool found = false;
      for (int column = 0; column < 3; ++column)
        found = found || table_->item(at, column)->text().contains(wanted, Qt::CaseInsensitive);
      table_->setRowHidden(at, !found);
    }
  });
  connect(keys_, &QKeySequenceEdit::editingFinished, this, [this] {
    if (!keys_->keySequence().isEmpty()) set({keys_->keySequence()});
  });
  connect(clear_, &QPushButton::clicked, this, [this] { set({}); });
  connect(reset_, &QPushButton::clicked, this, [this] {
    if (const QAction* action = chosen())
      set(QKeySequence::listFromString(action->property(kDefaultKeys).toString()));
  });
  table_->setCurrentCell(0, 0);
}

void ShortcutDialog::fill() {
  for (QAction* action : actions_.all()) {
    const int row = table_->rowCount();
    table_->insertRow(row);
    table_->setItem(row, 0, new QTableWidgetItem(plain(action)));
    table_->setItem(row, 1, new QTableWidgetItem(keysText(action->shortcuts())));
    table_->setItem(row, 2, new QTableWidgetItem(action->whatsThis()));
  }
}

QAction* ShortcutDialog::chosen() const {
  const int row = table_->currentRow();
  return row < 0 ? nullptr : actions_.all()[std::size_t(row)];
}

void ShortcutDialog::show(int row) {
  if (row < 0) return;
  keys_->setKeySequence(chosen()->shortcut());
  note_->clear();
}

void ShortcutDialog::set(const QList<QKeySequence>& keys) {
  QAction* action = chosen();
  if (!action || action->shortcuts() == keys) return;
  for (const QKeySequence& key : keys)
    if (const QString owner = ownerOf(actions_, key); !owner.isEmpty() && owner != plain(action)) {
      note_->setText(QObject::tr("%1 belongs to \"%2\". Take it from there first.")
                         .arg(key.toString(QKeySequence::NativeText), owner));
      return;
    }
  action->setShortcuts(keys);
  Settings::setShortcuts(keyOf(action),
                         keysText(keys) == keysText(QKeySequence::listFromString(
                                               action->property(kDefaultKeys).toString()))
                             ? std::nullopt
                             : std::optional(QKeySequence::listToString(keys)));
  table_->item(table_->currentRow(), 1)->setText(keysText(keys));
  keys_->setKeySequence(action->shortcut());
  note_->clear();
}

} // namespace

QString ownerOf(const Actions& actions, const QKeySequence& keys) {
  for (const QAction* action : actions.all())
    if (action->shortcuts().contains(keys)) return plain(action);
  return {};
}

void restoreShortcuts(const Actions& actions) {
  for (QAction* action : actions.all()) {
    action->setProperty(kDefaultKeys, QKeySequence::listToString(action->shortcuts()));
    if (const std::optional<QString> keys = Settings::shortcuts(keyOf(action)))
      action->setShortcuts(QKeySequence::listFromString(*keys));
  }
}

void editShortcuts(const Actions& actions, QWidget* parent) {
  ShortcutDialog(actions, parent).exec();
}

} // namespace nestwright::ui
