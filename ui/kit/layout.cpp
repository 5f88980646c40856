#include "ui/kit/layout.h"

#include "ui/kit/text.h"

namespace nestwright::ui {
QString title(Layout layout) {
  switch (layout) {
  case Layout::Tune:
    return tr("Tune");
  case Layout::Browse:
    return tr("Browse");
  case Layout::Teach:
    return tr("Teach");
  case Layout::Lab:
    return tr("Lab");
  }
  return {};
}

QString purpose(Layout layout) {
  switch (layout) {
  case Layout::Tune:
    return tr("Follow and steer a session: tasks, curves, scheduler, program.");
  case Layout::Browse:
    return tr("Look through the measurements: records in the middle, their programs below.");
  case Layout::Teach:
    return tr("Explain the search: its steps, the generations and the program, large.");
  case Layout::Lab:
    return tr("Work on cost models: choose their data, train them, compare them.");
  }
  return {};
}

QString key(Layout layout) {
  switch (layout) {
  case Layout::Tune:
    return QStringLiteral("tune");
  case Layout::Browse:
    return QStringLiteral("browse");
  case Layout::Teach:
    return QStringLiteral("teach");
  case Layout::Lab:
    return QStringLiteral("lab");
  }
  return {};
}

Proportions proportions(Layout layout) {
  switch (layout) {
  case Layout::Tune:
    return {{47, 53, 0}, {52, 52, 50}};
  case Layout::Browse:
    return {{28, 72, 0}, {60, 58, 50}};
  case Layout::Teach:
    return {{26, 40, 34}, {50, 62, 60}};
  case Layout::Lab:
    return {{46, 54, 0}, {68, 56, 50}};
  }
  return {};
}

} // namespace nestwright::ui
