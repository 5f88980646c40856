#include "ui/lesson/lesson.h"

#include "core/support/error.h"
#include "ui/kit/text.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QSaveFile>

namespace nestwright::ui {
namespace {

// Colours of paper, readable in both themes of a browser; a page each when it is printed.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; }
body { font: 17px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1400px; padding: 1rem 2rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.3rem; margin: 0.3rem 0; }
section { padding: 1rem 0 2rem; border-top: 1px solid #8886; break-after: page; }
img { max-width: 100%; height: auto; border: 1px solid #8886; }
figure { margin: 1.5rem 0 0; } figcaption { font-weight: 600; margin-bottom: 0.3rem; }
pre { overflow: auto; max-height: 30rem; padding: 0.5rem 1rem; border: 1px solid #8886; tab-size: 4;
      font-size: 0.8rem; }
p.moment, footer { opacity: 0.75; font-size: 0.9rem; }
nav a { margin-right: 1rem; }
@media print { nav { display: none; } section { border: none; } }
)";

constexpr const char* kScript = R"(
addEventListener("keydown", event => {
  const pages = [...document.querySelectorAll("section")];
  const now = pages.findLastIndex(page => page.getBoundingClientRect().top < 60);
  const to = event.key === "ArrowRight" ? now + 1 : event.key === "ArrowLeft" ? now - 1 : NaN;
  if (pages[to]) { pages[to].scrollIntoView(); event.preventDefault(); }
});
)";

QString imageSource(const QImage& picture) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  picture.save(&buffer, "PNG");
  return QStringLiteral("data:image/png;base64,") + QString::fromLatin1(bytes.toBase64());
}

/// `sentence` is escaped. The picture has two of its points for one of the page.
QString figureHtml(const LessonFigure& figure, const QString& sentence) {
  const QString title = figure.title.toHtmlEscaped();
  QString html =
      QStringLiteral("<figure>\n<figcaption>%1</figcaption>\n"
                     "<img width=\"%2\" alt=\"%3\" src=\"%4\">\n")
          .arg(title)
          .arg(figure.picture.width() / kFigureScale)
          .arg(tr("%1 at this moment: %2").arg(title, sentence), imageSource(figure.picture));
  if (!figure.text.isEmpty())
    html += QStringLiteral("<details>\n<summary>%1</summary>\n<pre>%2</pre>\n</details>\n")
                .arg(tr("As text").toHtmlEscaped(), figure.text.toHtmlEscaped());
  return html + QStringLiteral("</figure>\n");
}

QString pageHtml(const LessonPage& page, std::size_t number, std::size_t count) {
  const auto link = [](std::size_t to, const QString& text) {
    return QStringLiteral("<a href=\"#mark%1\">%2</a>").arg(to).arg(text);
  };
  QString links;
  if (number > 1) links += link(number - 1, tr("← Previous"));
  if (number < count) links += link(number + 1, tr("Next →"));
  const QString sentence = page.sentence.toHtmlEscaped();
  QString html =
      QStringLiteral("<section id=\"mark%1\">\n<h2>%1 / %2&ensp;%3</h2>\n"
                     "<p class=\"moment\">%4</p>\n<nav>%5</nav>\n"
                     "<img alt=\"%6\" src=\"%7\">\n")
          .arg(number)
          .arg(count)
          .arg(sentence, page.moment.toHtmlEscaped(), links,
               tr("The window at this moment: %1").arg(sentence), imageSource(page.picture));
  for (const LessonFigure& figure : page.figures)
    html += figureHtml(figure, sentence);
  return html + QStringLiteral("</section>\n");
}

/// One page after the other, with links and arrow keys to go through them; the pictures are in it,
/// and texts unfold.
QByteArray lessonHtml(const Lesson& lesson) {
  const QString title = lesson.title.toHtmlEscaped();
  QString html =
      QStringLiteral("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
                     "<title>%1</title>\n<style>%2</style>\n</head>\n<body>\n<h1>%1</h1>\n")
          .arg(title, QLatin1String(kStyle));
  html += QStringLiteral("<ol>\n");
  for (std::size_t i = 0; i < lesson.pages.size(); ++i)
    html += QStringLiteral("<li><a href=\"#mark%1\">%2</a></li>\n")
                .arg(i + 1)
                .arg(lesson.pages[i].sentence.toHtmlEscaped());
  html += QStringLiteral("</ol>\n");
  for (std::size_t i = 0; i < lesson.pages.size(); ++i)
    html += pageHtml(lesson.pages[i], i + 1, lesson.pages.size());
  html += QStringLiteral("<footer>%1</footer>\n<script>%2</script>\n</body>\n</html>\n")
              .arg(lesson.provenance.toHtmlEscaped(), QLatin1String(kScript));
  return html.toUtf8();
}

} // namespace

void writeLesson(const Lesson& lesson, const QString& file) {
  QSaveFile out(file);
  const QByteArray bytes = lessonHtml(lesson);
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
    throw InputError(fmt::format("The lesson cannot be written to {}: {}.", file.toStdString(),
                                 out.errorString().toStdString()));
}

} // namespace nestwright::ui
