#pragma once
/// \file A folder with a document whose programs were made up, and one for what is written.

#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "ui/document/settings.h"

#include <QDir>
#include <QTemporaryDir>

namespace nestwright::deploying_test {

class SavedFiles {
 public:
  /// Makes the document, and keeps the settings in the folder.
  void make() {
    ui::testing::keepSettingsIn(folder_);
    QDir(folder_.path()).mkdir(QStringLiteral("out"));
    ui::Settings::setFolder(out());
    ui::testing::runMadeUpSession(database(), ui::testing::madeUpConfig("random"));
  }
  QString out() const { return folder_.filePath(QStringLiteral("out")); }
  QString database() const { return folder_.filePath(QStringLiteral("made_up.nwdb")); }
  QString path(const QString& name) const { return folder_.filePath(name); }

 private:
  QTemporaryDir folder_;
};

} // namespace nestwright::deploying_test
