#include "ui/notes/notes_view.h"

#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/notes/note_model.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

namespace nestwright::ui {

namespace {

constexpr int kTypingPause = 800; // milliseconds

} // namespace

NotesView::NotesView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), model_(new NoteModel(document, this)),
      text_(new QPlainTextEdit(this)), list_(new QTableView(this)),
      empty_(new QLabel(tr("No notes yet. What you write or star is listed here, and a click leads "
                           "back to it."),
                        this)) {
  text_->setAccessibleName(tr("Note"));
  text_->setTabChangesFocus(true);
  text_->setPlaceholderText(tr("What did you find out? Kept in the document as you type."));
  list_->setModel(model_);
  setUpTable(list_);
  list_->setAccessibleName(tr("All notes"));
  list_->horizontalHeader()->setStretchLastSection(true);
  const auto fit = [this] {
    list_->horizontalHeader()->resizeSection(NoteModel::Star, fontMetrics().height() * 2);
    list_->horizontalHeader()->resizeSection(NoteModel::About,
                                             fontMetrics().averageCharWidth() * 32);
    text_->setFixedHeight(fontMetrics().lineSpacing() * 4 + 12);
  };
  fit();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(head());
  column->addWidget(text_);
  column->addWidget(list_, 1);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setEnabled(false);
  column->addWidget(empty_, 1);
  typing_.setSingleShot(true);
  typing_.setInterval(kTypingPause);
  connect(&typing_, &QTimer::timeout, this, &NotesView::save);
  connect(text_, &QPlainTextEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
  connect(star_, &QToolButton::clicked, this, &NotesView::save);
  connect(about_, &QComboBox::currentIndexChanged, this, &NotesView::follow);
  connect(list_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { open(index.row()); });
  connect(list_, &QTableView::activated, this,
          [this](const QModelIndex& index) { open(index.row()); });
  connect(&document.selection(), &SharedSelection::changed, this, &NotesView::follow);
  connect(&document, &Document::stateChanged, this, &NotesView::follow);
  connect(&document, &Document::leaving, this, &NotesView::save);
  connect(model_, &QAbstractItemModel::modelReset, this, &NotesView::showList);
  connect(&document.notes(), &NoteBook::changed, this, &NotesView::showNote);
  connect(&Theme::instance(), &Theme::changed, this, fit);
  follow();
  showList();
}

NotesView::~NotesView() = default;

QWidget* NotesView::head() {
  auto* head = new QWidget(this);
  about_ = new QComboBox(head);
  about_->addItems({tr("Session"), tr("Task"), tr("Record")});
  about_->setToolTip(tr("What to write about: the session, the selected task, or the selected "
                        "record (a task's best, when none is selected)."));
  about_->setAccessibleName(tr("About"));
  about_->setCurrentIndex(static_cast<int>(NoteAbout::Task));
  subject_ = new ElidedLabel(head, Qt::ElideMiddle);
  subject_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  star_ = flatToggle(head, QStringLiteral("☆"), tr("Star: worth coming back to"));
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(8, 3, 8, 3);
  row->addWidget(about_);
  row->addWidget(subject_, 1);
  row->addWidget(star_);
  return head;
}

void NotesView::write() {
  const Selection& selection = document_.selection().current();
  about_->setCurrentIndex(int(selection.record != 0 ? NoteAbout::Record
                              : selection.task != 0 ? NoteAbout::Task
                                                    : NoteAbout::Session));
  text_->setFocus();
}

RowId NotesView::selectedRecord() const {
  const Selection& selection = document_.selection().current();
  if (selection.record != 0) return selection.record;
  const TaskEntry* task = document_.session().task(selection.task);
  return task != nullptr ? task->summary.bestRecord : 0;
}

NoteKey NotesView::selectedKey() const {
  const auto about = NoteAbout(about_->currentIndex());
  switch (about) {
  case NoteAbout::Session:
    return {about, document_.session().row().id};
  case NoteAbout::Task:
    return {about, document_.selection().current().task};
  case NoteAbout::Record:
    return {about, selectedRecord()};
  }
  return {};
}

void NotesView::follow() {
  save(); // what was typed belongs to what was selected
  key_ = document_.state() == DocumentState::Ready ? selectedKey() : NoteKey();
  task_ = key_.about == NoteAbout::Record ? document_.selection().current().task : 0;
  showNote();
}

void NotesView::showNote() {
  const bool some = key_.id != 0;
  const Note note = document_.notes().note(key_);
  subject_->setText(some ? aboutText(document_, key_) : tr("Nothing is selected."));
  const QString none = some ? QString() : tr("Nothing is selected that could be written about.");
  enableUnless(text_, none);
  enableUnless(star_, none);
  star_->setChecked(note.star);
  star_->setText(note.star ? QStringLiteral("★") : QStringLiteral("☆"));
  // While the user types, the text is ahead of the note.
  if (typing_.isActive() || text_->toPlainText() == qs(note.text)) return;
  const QSignalBlocker quiet(text_);
  text_->setPlainText(qs(note.text));
}

void NotesView::showList() {
  const bool some = model_->rowCount() > 0;
  list_->setVisible(some);
  empty_->setVisible(!some);
}

void NotesView::save() {
  typing_.stop();
  if (key_.id == 0 || document_.state() != DocumentState::Ready) return;
  Note note{text_->toPlainText().trimmed().toStdString(), star_->isChecked(), 0};
  if (!note.empty()) note.task = task_;
  document_.notes().set(key_, note);
}

void NotesView::open(int row) {
  const NoteKey key = model_->keyAt(row);
  const RowId task = document_.notes().note(key).task;
  save();
  about_->setCurrentIndex(static_cast<int>(key.about));
  if (key.about == NoteAbout::Session && key.id != document_.session().row().id)
    document_.showSession(key.id);
  else if (key.about == NoteAbout::Task && document_.session().task(key.id) != nullptr)
    document_.selection().selectTask(key.id);
  else if (key.about == NoteAbout::Record && document_.session().task(task) != nullptr)
    document_.selection().select({task, key.id});
}

} // namespace nestwright::ui

#include "moc_notes_view.cpp"
