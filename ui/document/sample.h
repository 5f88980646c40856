#pragma once
/// \file The sample document that comes with the workbench, and the folder for documents of its
/// own.

#include <QString>

namespace nestwright::ui {

/// Where the sample lies (installed, or in the source tree of a developer's build), or nothing.
QString samplePath();
/// A copy in the data folder; an existing one is kept, with what the user did to it. Empty on
/// failure.
QString copyOfSample(const QString& sample);
/// The folder for documents that the workbench names itself; made when missing.
QString dataFolder();

} // namespace nestwright::ui
