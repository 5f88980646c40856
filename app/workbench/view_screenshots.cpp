#include "app/workbench/view_screenshots.h"

#include "app/workbench/poses.h"
#include "app/workbench/screenshot.h"
#include "core/support/printable.h"
#include "ui/kit/theme.h"
#include "ui/program/program_head.h"
#include "ui/program/program_view.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QHash>
#include <QImage>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace nestwright {
namespace {

using ui::Document;
using ui::DocumentState;
using ui::MainWindow;
using ui::Panel;
using ui::PanelHost;
using ui::Theme;
using ui::ThemeChoice;

/// A view that reads or lays something out when it is first seen gets this long.
constexpr int kLayOutMilliseconds = 2500;
constexpr int kLookAtPoseMilliseconds = 100;

/// What a pose waits for comes within this, or never.
constexpr int kPatienceMilliseconds = 60'000;

struct Shot {
  std::size_t pose = 0;
  const char *size = "", *theme = "";
};

constexpr const char *kSizes[] = {"1280x800", "2560x1440"}, *kThemes[] = {"light", "dark"};

/// Colours of surfaces, the most frequent, are kept exactly: the light grey of a window is near to
/// white and not the same.
constexpr int kSurfaces = 32;

/// At most 256 of these colours, the most frequent first, such that each of them is near to one of
/// those: a number in red is rare, and yet no grey.
QList<QRgb> coloursFor(const QList<QRgb>& byFrequency) {
  for (int apart = 0;; ++apart) {
    QList<QRgb> table;
    for (const QRgb colour : byFrequency) {
      const bool near = std::any_of(table.begin(), table.end(), [&](QRgb other) {
        return std::abs(qRed(colour) - qRed(other)) <= apart &&
               std::abs(qGreen(colour) - qGreen(other)) <= apart &&
               std::abs(qBlue(colour) - qBlue(other)) <= apart;
      });
      if (!near || table.size() < kSurfaces) table.append(colour);
      if (table.size() > 256) break;
    }
    if (table.size() <= 256) return table;
  }
}

/// In few colours: enough for flat surfaces and text, at a third of the bytes.
QImage withFewColours(const QImage& image) {
  const QImage full = image.convertToFormat(QImage::Format_RGB32);
  QHash<QRgb, int> counts;
  for (int y = 0; y < full.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(full.constScanLine(y));
    for (int x = 0; x < full.width(); ++x)
      ++counts[line[x]];
  }
  QList<QRgb> colours = counts.keys();
  std::sort(colours.begin(), colours.end(),
            [&](QRgb a, QRgb b) { return counts[a] != counts[b] ? counts[a] > counts[b] : a < b; });
  return full.convertToFormat(QImage::Format_Indexed8, coloursFor(colours),
                              Qt::ThresholdDither | Qt::AvoidDither);
}

class Photographer : public QObject {
 public:
  Photographer(MainWindow& window, const ViewPictures& pictures)
      : QObject(&window), window_(window), folder_(pictures.folder),
        poses_(posesOf(window, pictures.log)) {
    for (const QString& name : pictures.names)
      if (std::none_of(poses_.begin(), poses_.end(),
                       [&](const Pose& pose) { return pose.name == name; }))
        problem_ = QObject::tr("There is no picture %1.").arg(name);
    if (!QDir().mkpath(folder_)) problem_ = QObject::tr("%1 cannot be made.").arg(folder_);
    std::erase_if(poses_, [&](const Pose& pose) {
      return pictures.names.isEmpty() ? pose.onlyNamed : !pictures.names.contains(pose.name);
    });
    for (std::size_t pose = 0; pose < poses_.size(); ++pose)
      for (const char* size : kSizes)
        for (const char* theme : kThemes)
          shots_.push_back({pose, size, theme});
    connect(&timer_, &QTimer::timeout, this, &Photographer::look);
    timer_.start(kLookAtPoseMilliseconds);
  }

 private:
  void look() {
    const Document& document = window_.document();
    if (!problem_.isEmpty()) return end(problem_);
    if (document.state() == DocumentState::Failed) return end(document.errorText());
    if (document.state() != DocumentState::Ready || document.session().historyLoading()) return;
    if (!document.session().tasks().empty() &&
        window_.panels().view<ui::ProgramView>()->program().record == 0)
      return;
    timer_.stop();
    // A comparison of nothing would show nothing.
    if (!document.session().tasks().empty())
      window_.panels().view<ui::ProgramView>()->head()->compareWithNaive();
    prepare();
  }

  void prepare() {
    if (next_ == shots_.size()) return end({});
    const Shot& shot = shots_[next_];
    Theme::instance().choose(qstrcmp(shot.theme, "dark") == 0 ? ThemeChoice::Dark
                                                              : ThemeChoice::Light);
    window_.resize(sizeFromText(QLatin1String(shot.size)));
    frame(); // pages that nobody sees do nothing
    if (shot.pose == posed_) return settle();
    posed_ = shot.pose;
    step_ = 0;
    act();
  }

  /// Gives the panel of the pose the whole window.
  void frame() {
    PanelHost& host = window_.panels();
    if (host.maximised()) host.toggleMaximised(host.maximised());
    window_.showView(pose().view);
    if (Panel* panel = host.panel(pose().view)) host.toggleMaximised(panel);
  }

  void act() {
    if (step_ == pose().steps.size()) {
      frame();
      return settle();
    }
    pose().steps[step_].act(window_);
    waited_.start();
    wait();
  }

  void wait() {
    if (pose().steps[step_].seen(window_)) {
      ++step_;
      return act();
    }
    if (waited_.elapsed() > kPatienceMilliseconds)
      return end(QObject::tr("What %1 shows did not come.").arg(pose().name));
    QTimer::singleShot(kLookAtPoseMilliseconds, this, &Photographer::wait);
  }

  void settle() { QTimer::singleShot(kLayOutMilliseconds, this, &Photographer::take); }

  void take() {
    const Shot& shot = shots_[next_];
    // A view that is in no panel is in a dialog.
    QWidget* seen = &window_;
    if (!pose().view.isEmpty() && !window_.panels().panel(pose().view))
      if (QWidget* dialog = window_.findChild<QWidget*>(pose().view + QStringLiteral("Dialog")))
        seen = dialog;
    const QImage picture = withFewColours(seen->grab().toImage());
    const QString file = QStringLiteral("%1/%2-%3-%4.png")
                             .arg(folder_, poses_[shot.pose].name, QLatin1String(shot.theme),
                                  QLatin1String(shot.size));
    if (!picture.save(file, "PNG", 0)) return end(QObject::tr("%1 cannot be written.").arg(file));
    ++next_;
    prepare();
  }

  void end(const QString& problem) {
    timer_.stop();
    if (!problem.isEmpty())
      std::fprintf(stderr, "nestwright-workbench: %s\n", printable(problem.toStdString()).c_str());
    connect(qApp, &QApplication::lastWindowClosed, qApp,
            [failed = !problem.isEmpty()] { QApplication::exit(failed ? 1 : 0); });
    window_.close();
  }

  const Pose& pose() const { return poses_[shots_[next_].pose]; }

  MainWindow& window_;
  QString folder_, problem_;
  std::vector<Pose> poses_;
  std::vector<Shot> shots_;
  std::size_t next_ = 0, posed_ = SIZE_MAX, step_ = 0;
  QElapsedTimer waited_;
  QTimer timer_;
};

} // namespace

void takeViewScreenshots(MainWindow& window, const ViewPictures& pictures) {
  new Photographer(window, pictures); // the window's child
}

} // namespace nestwright
