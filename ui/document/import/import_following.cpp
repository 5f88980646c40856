#include "ui/document/import/import_following.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/import/importer.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"

#include <QFileInfo>

#include <memory>

namespace nestwright::ui {
namespace {

QString wholeName(const QString& path) {
  return path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
}

/// Whether the records could be brought up now; then they are.
bool bringUp(Document& document, const Importer& importer) {
  const RowId session = importer.progress().session;
  const bool here = isAbout(importer, document);
  // A session that runs goes on in sight; a replay is not ended by what comes from outside.
  if (document.state() == DocumentState::Loading || document.replayMode().isOn() ||
      (here && document.session().isRunning()))
    return false;
  if (!here) {
    if (document.state() == DocumentState::Ready) return true; // the user went elsewhere
    // It could not be opened, which is shown.
    if (wholeName(importer.wish().database) == document.file().path()) return true;
    document.open(importer.wish().database);
    return session == 0; // which session it shows is seen when it is open
  }
  if (session != 0 && document.session().row().id != session) document.showSession(session);
  return true;
}

} // namespace

bool isAbout(const Importer& importer, const Document& document) {
  return document.state() == DocumentState::Ready &&
         wholeName(importer.wish().database) == document.file().path();
}

bool isImporting(const Document& document) {
  const Importer& importer = document.importer();
  return importer.isActive() && isAbout(importer, document);
}

void followImports(Document& document, Importer& importer) {
  auto shown = std::make_shared<bool>(true);
  const auto follow = [&document, &importer, shown] {
    const ImportProgress& progress = importer.progress();
    if (importer.isActive() && progress.lines == 0 && progress.stored == 0) *shown = false;
    const bool something = progress.stored > 0 || importer.state() == ImportState::Finished;
    if (!*shown && something) *shown = bringUp(document, importer);
  };
  QObject::connect(&importer, &Importer::changed, &document, follow);
  QObject::connect(&document, &Document::stateChanged, &importer, follow);
  // Tasks of an earlier import that got their definitions now.
  QObject::connect(&importer, &Importer::ended, &document, [&document, &importer] {
    const bool here = isAbout(importer, document) && !document.replayMode().isOn();
    if (here && importer.report().learned > 0) document.follower().reread();
  });
}

} // namespace nestwright::ui
