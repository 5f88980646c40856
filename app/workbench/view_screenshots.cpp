#include "app/workbench/view_screenshots.h"

#include "ui/main_window.h"
#include "ui/panel.h"
#include "ui/panel_host.h"
#include "ui/program_view.h"
#include "ui/theme.h"

#include <QApplication>
#include <QHash>
#include <QImage>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace nestwright {
namespace {

using namespace ui;

/// A view that reads or lays something out when it is first seen gets this long.
constexpr int kSettleMilliseconds = 2500;
constexpr int kLookMilliseconds = 100;

struct Shot {
  QString panel, size, theme;
};

/// With its 256 most frequent colours: enough for flat surfaces and text, at a third of the bytes.
QImage withFewColours(const QImage& image) {
  const QImage full = image.convertToFormat(QImage::Format_RGB32);
  QHash<QRgb, int> counts;
  for (int y = 0; y < full.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(full.constScanLine(y));
    for (int x = 0; x < full.width(); ++x)
      ++counts[line[x]];
  }
  QList<QRgb> table = counts.keys();
  std::sort(table.begin(), table.end(),
            [&](QRgb a, QRgb b) { return counts[a] != counts[b] ? counts[a] > counts[b] : a < b; });
  if (table.size() > 256) table.resize(256);
  return full.convertToFormat(QImage::Format_Indexed8, table,
                              Qt::ThresholdDither | Qt::AvoidDither);
}

class Photographer : public QObject {
 public:
  Photographer(MainWindow& window, QString folder)
      : QObject(&window), window_(window), folder_(std::move(folder)) {
    for (const char* size : {"1280x800", "2560x1440"})
      for (const char* theme : {"light", "dark"})
        for (const Panel* panel : window.panels().panels())
          shots_.push_back({panel->name(), QLatin1String(size), QLatin1String(theme)});
    connect(&timer_, &QTimer::timeout, this, &Photographer::look);
    timer_.start(kLookMilliseconds);
  }

 private:
  void look() {
    const Document& document = window_.document();
    if (document.state() == DocumentState::Failed) return end(document.errorText());
    if (document.state() != DocumentState::Ready || document.historyLoading()) return;
    if (!document.tasks().empty() && window_.programView()->program().record == 0) return;
    timer_.stop();
    // A comparison of nothing would show nothing.
    if (!document.tasks().empty()) window_.programView()->compareWithNaive();
    prepare();
  }

  void prepare() {
    if (next_ == shots_.size()) return end({});
    const Shot& shot = shots_[next_];
    Theme::instance().choose(shot.theme == QLatin1String("dark") ? ThemeChoice::Dark
                                                                 : ThemeChoice::Light);
    window_.resize(shot.size.section(QLatin1Char('x'), 0, 0).toInt(),
                   shot.size.section(QLatin1Char('x'), 1).toInt());
    PanelHost& host = window_.panels();
    if (host.maximised()) host.toggleMaximised(host.maximised());
    host.raise(host.panel(shot.panel));
    host.toggleMaximised(host.panel(shot.panel));
    QTimer::singleShot(kSettleMilliseconds, this, &Photographer::take);
  }

  void take() {
    const Shot& shot = shots_[next_++];
    const QImage picture = withFewColours(window_.grab().toImage());
    const QString file =
        QStringLiteral("%1/%2-%3-%4.png").arg(folder_, shot.panel, shot.theme, shot.size);
    if (!picture.save(file, "PNG", 0)) return end(QObject::tr("%1 cannot be written.").arg(file));
    prepare();
  }

  void end(const QString& problem) {
    timer_.stop();
    if (!problem.isEmpty()) std::fprintf(stderr, "nestwright-workbench: %s\n", qPrintable(problem));
    connect(qApp, &QApplication::lastWindowClosed, qApp,
            [failed = !problem.isEmpty()] { QApplication::exit(failed ? 1 : 0); });
    window_.close();
  }

  MainWindow& window_;
  QString folder_;
  std::vector<Shot> shots_;
  std::size_t next_ = 0;
  QTimer timer_;
};

} // namespace

void takeViewScreenshots(MainWindow& window, const QString& folder) {
  new Photographer(window, folder); // the window's child
}

} // namespace nestwright
