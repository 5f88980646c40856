#pragma once
/// \file What the manual's pictures show: every view as it opens, and some things that are seen
/// only after a few commands, such as a replay at a mark.

#include <QString>

#include <functional>
#include <vector>

namespace nestwright::ui {
class MainWindow;
}

namespace nestwright {

/// Something that is done once, and how to tell that it is seen.
struct PoseStep {
  std::function<void(ui::MainWindow&)> act;
  std::function<bool(ui::MainWindow&)> seen;
};

struct Pose {
  QString name;  // of the picture: "inspector-sketches"
  QString view;  // that has the whole window; empty: all of the present layout
  std::vector<PoseStep> steps;
  bool onlyNamed = false; // it is of another document than the sample: taken when it is asked for
};

/// In the order in which they have to be taken: later ones change the document. Without a `log`
/// there is no picture of an import at work.
std::vector<Pose> posesOf(ui::MainWindow& window, const QString& log);

} // namespace nestwright
