#pragma once
/// \file A lesson as a value: the marks of a session, each with its sentence and a picture of the
/// window at that moment; and as one file that can be read without Nestwright and without a
/// network.

#include <QImage>
#include <QString>

#include <vector>

namespace nestwright::ui {

struct LessonPage {
  QString sentence;
  QString moment; // "12 min 5 s · 240 trials · best total 6.42 ms"
  QImage picture;
};

struct Lesson {
  QString title;      // "resnet18"
  QString provenance; // which document, which version, when
  std::vector<LessonPage> pages;
};

/// One page after the other, with links and arrow keys to go through them; the pictures are in it.
QByteArray lessonHtml(const Lesson& lesson);

/// Replaces the file. Throws InputError when it cannot be written; then the old one stays.
void writeLesson(const Lesson& lesson, const QString& file);

} // namespace nestwright::ui
