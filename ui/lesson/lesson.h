#pragma once
/// \file A lesson as a value: the marks of a session, each with its sentence, a picture of the
/// window at that moment, and one of each panel with its numbers as text; and as one file that can
/// be read without Nestwright and without a network.

#include <QImage>
#include <QString>

#include <vector>

namespace nestwright::ui {

/// Points of a figure's picture for one of the window's.
inline constexpr int kFigureScale = 2;

/// A panel that was seen at the moment, large enough to be read, and what it says as text.
struct LessonFigure {
  QString title; // "Curves"
  QImage picture;
  QString text; // loops, code, or a table's rows with tabs between their cells
};

struct LessonPage {
  QString sentence;
  QString moment; // "12 min 5 s · 240 trials · best total 6.42 ms"
  QImage picture;
  std::vector<LessonFigure> figures;
};

struct Lesson {
  QString title;      // "resnet18"
  QString provenance; // which document, which version, when
  std::vector<LessonPage> pages;
};

/// Replaces the file. Throws InputError when it cannot be written; then the old one stays.
void writeLesson(const Lesson& lesson, const QString& file);

} // namespace nestwright::ui
