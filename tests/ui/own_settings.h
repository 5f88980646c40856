#pragma once
/// \file Settings that no other test and no user sees.

#include <QSettings>
#include <QTemporaryDir>

namespace nestwright::ui::testing {

inline void keepSettingsIn(const QTemporaryDir& folder) {
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
}

} // namespace nestwright::ui::testing
