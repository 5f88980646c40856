#include "ui/window/deploy/emit_command.h"

#include "core/deploy/emit_record.h"
#include "core/record/store/record_task.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/output_file.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

namespace nestwright::ui {

EmitCommand::EmitCommand(Document& document, Actions& actions, QWidget* window)
    : QObject(window), document_(document), window_(window), making_(this) {
  action_ =
      actions.add(tr("Save as &C …"), "", {},
                  tr("Save the shown program for a compiler or a linker: as C that people "
                     "read, as the tuned kernel's assembly, LLVM IR or object, or of a GPU as "
                     "CUDA C."));
  action_->setObjectName(QStringLiteral("emit"));
  connect(action_, &QAction::triggered, this, &EmitCommand::ask);
  connect(&document, &Document::stateChanged, this, &EmitCommand::follow);
  connect(&document.selection(), &SharedSelection::changed, this, &EmitCommand::follow);
  connect(&document.follower(), &SessionFollower::tasksChanged, this, &EmitCommand::follow);
  follow();
}

RowId EmitCommand::shownRecord() const {
  const ProgramRef ref = selectedAsShown(document_).ref;
  return ref.naive || ref.file != document_.file().path() ? 0 : ref.record;
}

QString EmitCommand::obstacle() const {
  if (document_.state() != DocumentState::Ready) return document_.whyNotReady();
  if (making_.isBusy()) return tr("A program is being compiled.");
  if (shownRecord() == 0) return tr("No record is selected, and the task has no best.");
  return {};
}

void EmitCommand::follow() {
  enableUnless(action_, obstacle());
}

void EmitCommand::ask() {
  const RowId record = shownRecord();
  const QString suggested = QStringLiteral("%1/record-%2.c").arg(Settings::folder()).arg(record);
  QString file = QFileDialog::getSaveFileName(
      window_, tr("Save Program"), suggested,
      tr("C source (*.c);;Object (*.o);;Assembly (*.s);;LLVM IR (*.ll);;CUDA C (*.cu)"));
  if (file.isEmpty() || record == 0) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".c");
  Settings::setFolder(QFileInfo(file).absolutePath());
  save(record, file);
}

void EmitCommand::save(RowId record, const QString& path) {
  making_.ask<bool>(
      [record, database = document_.file().path().toStdString(), file = path.toStdString(),
       ending = QFileInfo(path).suffix().toStdString()](const Job&) {
        const EmitForm form = emitFormFromName(ending);
        const RecordStore store = RecordStore::open(database, OpenMode::ReadOnly);
        writeWhole(file, "program", emitRecord(store, requiredRecord(store, record), form).bytes);
        return true;
      },
      [this, record, path](bool) {
        follow();
        Q_EMIT told(tr("%1 has the program of record %2.").arg(path).arg(record));
      },
      [this](const QString& why) {
        follow();
        document_.notices().warn(tr("The program was not saved. %1").arg(why));
      });
  follow();
}

} // namespace nestwright::ui

#include "moc_emit_command.cpp"
