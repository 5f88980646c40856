#include "ui/lesson/tour.h"

#include "ui/kit/colours.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/surface.h"
#include "ui/kit/stored_value.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kMargin = 12; // between the bubble and what it points at
constexpr int kBubbleWidth = 400;

QString string(const nlohmann::json& json, const char* key) {
  return QString::fromStdString(storedText(json, key));
}

std::optional<Tour> readTour(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
  if (!json.is_object() || !json.contains("steps") || !json["steps"].is_array())
    return std::nullopt;
  Tour tour;
  tour.title = string(json, "title");
  tour.purpose = string(json, "purpose");
  tour.needsSample = storedValue(json, "sample", true);
  for (const nlohmann::json& step : json["steps"])
    tour.steps.append({string(step, "target"), string(step, "text"), string(step, "layout")});
  if (tour.title.isEmpty() || tour.steps.isEmpty()) return std::nullopt;
  return tour;
}

} // namespace

QList<Tour> tours() {
  QList<Tour> found;
  const QDir folder(QStringLiteral(":/tours"));
  for (const QString& name : folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
    if (std::optional<Tour> tour = readTour(folder.filePath(name))) {
      tour->name = name.chopped(5);
      found.append(std::move(*tour));
    }
  return found;
}

TourGuide::TourGuide(QWidget* window)
    : QWidget(window), window_(window), bubble_(new OnSurface<QWidget>(
                                            [] {
                                              return Surface{colours().raised, colours().accent, 6};
                                            },
                                            this)),
      text_(new QLabel(bubble_)), count_(new QLabel(bubble_)),
      back_(new QPushButton(tr("&Back"), bubble_)), next_(new QPushButton(tr("&Next"), bubble_)),
      close_(new QPushButton(tr("End Tour"), bubble_)) {
  setObjectName(QStringLiteral("tourGuide"));
  setFocusPolicy(Qt::StrongFocus);
  build();
  hide();
}

void TourGuide::build() {
  bubble_->setObjectName(QStringLiteral("bubble"));
  bubble_->setFixedWidth(kBubbleWidth);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::MarkdownText);
  auto* row = new QHBoxLayout;
  row->addWidget(count_);
  row->addStretch();
  close_->setToolTip(tr("Leave the tour (Escape). The Help menu begins it again."));
  back_->setToolTip(tr("The step before (Left)."));
  next_->setToolTip(tr("The next step (Right)."));
  for (QPushButton* button : {close_, back_, next_})
    row->addWidget(button);
  auto* layout = new QVBoxLayout(bubble_);
  layout->setContentsMargins(14, 12, 14, 12);
  layout->setSpacing(10);
  layout->addWidget(text_);
  layout->addLayout(row);
  connect(back_, &QPushButton::clicked, this, [this] { go(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { go(step_ + 1); });
  connect(close_, &QPushButton::clicked, this, &TourGuide::end);
}

void TourGuide::begin(const Tour& tour) {
  tour_ = tour;
  window_->installEventFilter(this);
  show();
  raise();
  go(0);
}

void TourGuide::end() {
  if (!isRunning()) return;
  window_->removeEventFilter(this);
  tour_ = {};
  hide();
  Q_EMIT ended();
}

void TourGuide::go(int step) {
  if (step < 0) return;
  if (step >= tour_.steps.size()) return end();
  step_ = step;
  const TourStep& now = tour_.steps[step];
  if (!now.layout.isEmpty()) Q_EMIT layoutWanted(now.layout);
  if (now.target.startsWith(QLatin1String("panel:"))) Q_EMIT panelWanted(now.target.mid(6));
  text_->setText(now.text);
  count_->setText(tr("%1 of %2").arg(step + 1).arg(tour_.steps.size()));
  enableUnless(back_, step > 0 ? QString() : tr("This is the first step."));
  const bool last = step + 1 == tour_.steps.size();
  next_->setText(last ? tr("&Done") : tr("&Next"));
  close_->setVisible(!last);
  next_->setFocus();
  place();
  // A panel that has just come to the front has its size a moment later.
  QTimer::singleShot(50, this, &TourGuide::place);
}

QWidget* TourGuide::target() const {
  if (!isRunning()) return nullptr;
  const QString target = tour_.steps[step_].target;
  const QString kind = target.section(QLatin1Char(':'), 0, 0);
  const QString name = target.section(QLatin1Char(':'), 1);
  QWidget* found = nullptr;
  if (kind == QLatin1String("panel"))
    found = window_->findChild<QWidget*>(name + QStringLiteral("Panel"));
  else if (kind == QLatin1String("widget"))
    found = window_->findChild<QWidget*>(name);
  else if (kind == QLatin1String("status"))
    found = window_->findChild<QStatusBar*>();
  else if (kind == QLatin1String("toolbar") || kind == QLatin1String("action"))
    found = window_->findChild<QToolBar*>();
  if (kind == QLatin1String("action"))
    if (auto* bar = qobject_cast<QToolBar*>(found))
      for (QAction* action : bar->actions())
        if (action->objectName() == name) found = bar->widgetForAction(action);
  return found && found->isVisible() ? found : nullptr;
}

QRect TourGuide::targetRect() const {
  const QWidget* widget = target();
  if (!widget) return {};
  return QRect(widget->mapTo(window_, QPoint()), widget->size()) & rect();
}

void TourGuide::place() {
  if (!isRunning()) return;
  setGeometry(window_->rect());
  raise();
  bubble_->adjustSize();
  const QRect at = targetRect();
  QRect bubble(QPoint(), bubble_->size());
  if (at.isEmpty()) {
    bubble.moveCenter(rect().center());
  } else {
    // Beside it where there is room, else inside, at its lower end.
    if (at.right() + kMargin + bubble.width() < width())
      bubble.moveTopLeft({at.right() + kMargin, at.top() + kMargin});
    else if (at.left() - kMargin - bubble.width() > 0)
      bubble.moveTopRight({at.left() - kMargin, at.top() + kMargin});
    else if (at.bottom() + kMargin + bubble.height() < height())
      bubble.moveTopLeft({at.left() + kMargin, at.bottom() + kMargin});
    else if (at.top() - kMargin - bubble.height() > 0)
      bubble.moveBottomLeft({at.left() + kMargin, at.top() - kMargin});
    else
      bubble.moveBottomRight(at.bottomRight() - QPoint(kMargin, kMargin));
    bubble.moveTop(std::clamp(bubble.top(), 4, std::max(4, height() - bubble.height() - 4)));
    bubble.moveLeft(std::clamp(bubble.left(), 4, std::max(4, width() - bubble.width() - 4)));
  }
  bubble_->move(bubble.topLeft());
  // What is pointed at can be used: the sentence says what to do there.
  setMask((QRegion(rect()) - QRegion(at)) + QRegion(bubble));
  update();
}

void TourGuide::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath shade;
  shade.addRect(rect());
  const QRect at = targetRect();
  if (!at.isEmpty()) {
    QPainterPath hole;
    hole.addRoundedRect(QRectF(at).adjusted(-2, -2, 2, 2), 4, 4);
    shade -= hole;
  }
  painter.fillPath(shade, QColor(0, 0, 0, colours().dark ? 130 : 80));
  if (at.isEmpty()) return;
  painter.setPen(QPen(colours().accent, 2));
  painter.drawRoundedRect(QRectF(at).adjusted(-2, -2, 2, 2), 4, 4);
}

void TourGuide::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Escape:
    return end();
  case Qt::Key_Right:
    return go(step_ + 1);
  case Qt::Key_Left:
    return go(step_ - 1);
  default:
    QWidget::keyPressEvent(event);
  }
}

bool TourGuide::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_ && event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

} // namespace nestwright::ui

#include "moc_tour.cpp"
