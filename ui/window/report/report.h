#pragma once
/// \file What views give, as one HTML file that can be read without Nestwright and without a
/// network: to be sent with an e-mail, or kept beside a paper.

#include "ui/kit/exportable.h"

#include <QByteArray>

#include <vector>

namespace nestwright::ui {

struct Report {
  QString title;
  /// What stands at its head, as name and value.
  std::vector<std::pair<QString, QString>> facts;
  /// Each with a picture, a table or both under its title.
  std::vector<Exports> parts;
  QString provenance; // which document, which version, when
};

/// Pictures as vector graphics in the file; of a table at most so many rows, and how many are left
/// out is said. Draws on the GUI thread.
QByteArray reportHtml(const Report& report, int mostRows = 500);

/// Replaces the file. Throws InputError when it cannot be written; then the old one stays.
void writeReport(const Report& report, const QString& file);

} // namespace nestwright::ui
