#include "app/workbench/export.h"

#include "core/support/printable.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_export.h"

#include <QApplication>
#include <QTimer>

#include <cstdio>
#include <utility>

namespace nestwright {
namespace {

constexpr int kLookAtDocumentMilliseconds = 100;
/// After the history is read, views that ask the file themselves get this long.
constexpr int kViewsReadMilliseconds = 1500;

class Batch : public QObject {
 public:
  Batch(ui::MainWindow& window, QStringList exports)
      : QObject(&window), window_(window), exports_(std::move(exports)) {
    connect(&timer_, &QTimer::timeout, this, &Batch::look);
    timer_.start(kLookAtDocumentMilliseconds);
  }

 private:
  void look() {
    const ui::Document& document = window_.document();
    if (document.state() == ui::DocumentState::Failed) {
      tell(document.errorText());
      return end();
    }
    if (document.state() != ui::DocumentState::Ready || document.session().historyLoading()) return;
    timer_.stop();
    // Each in front once, so that views that work only when they are seen have something.
    for (const QString& text : exports_)
      window_.showView(text.section(QLatin1Char('='), 0, 0));
    QTimer::singleShot(kViewsReadMilliseconds, this, &Batch::next);
  }

  void next() {
    if (exports_.isEmpty()) return end();
    const QString text = exports_.takeFirst();
    const QString name = text.section(QLatin1Char('='), 0, 0);
    window_.showView(name);
    QApplication::processEvents();
    window_.panelExport().write(name, text.section(QLatin1Char('='), 1),
                                [this](const QString& problem) {
                                  if (!problem.isEmpty())
                                    tell(problem); // the others may still be wanted
                                  next();
                                });
  }

  void tell(const QString& problem) {
    failed_ = true;
    std::fprintf(stderr, "nestwright-workbench: %s\n", printable(problem.toStdString()).c_str());
  }

  void end() {
    timer_.stop();
    QObject::connect(qApp, &QApplication::lastWindowClosed, qApp,
                     [failed = failed_] { QApplication::exit(failed ? 1 : 0); });
    window_.close();
  }

  ui::MainWindow& window_;
  QStringList exports_;
  QTimer timer_;
  bool failed_ = false;
};

} // namespace

void exportViews(ui::MainWindow& window, const QStringList& exports, QSize size) {
  window.resize(size);
  new Batch(window, exports); // the window's child
}

} // namespace nestwright
