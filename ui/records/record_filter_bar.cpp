#include "ui/records/record_filter_bar.h"

#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/surface.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/records/filter_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

constexpr int kChipPadding = 8;          // px
constexpr int kTypingMilliseconds = 500; // a pause after which what was typed is applied

/// Places in the UTF-8 of a text as places in the text.
int placeIn(const QByteArray& utf8, std::size_t at) {
  return int(QString::fromUtf8(utf8.left(qsizetype(at))).size());
}

/// A condition, in a frame with round ends.
class Chip : public QToolButton {
 public:
  using QToolButton::QToolButton;
  QSize sizeHint() const override {
    const QFontMetrics metrics = fontMetrics();
    return {metrics.horizontalAdvance(text()) + 2 * kChipPadding, metrics.height() + 4};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Colours& c = colours();
    QPainter painter(this);
    drawSurface(painter, rect(), {c.selection, underMouse() || hasFocus() ? c.accent : c.line, 8});
    painter.setPen(c.text);
    painter.drawText(rect(), Qt::AlignCenter, text());
  }
};

} // namespace

RecordFilterBar::RecordFilterBar(QWidget* parent)
    : QWidget(parent), line_(new FilterLine(this)), problem_(new QLabel(this)),
      chipRow_(new QWidget(this)) {
  count_ = new QLabel(chipRow_);
  count_->setContentsMargins(0, 2, 8, 2);
  count_->setAccessibleName(tr("Number of records"));
  line_->setPlaceholderText(tr("Filter, as task:conv2d latency<1ms -error:timeout"));
  line_->setAccessibleName(tr("Filter of the records"));
  line_->setToolTip(tr("Conditions that must all hold: field, sign, value. A minus in front turns "
                       "one round, commas separate alternatives, 1ms..5ms is a range. Down lists "
                       "what can be written (Ctrl+F)."));
  line_->setClearButtonEnabled(true);
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  problem_->setAccessibleName(tr("What is wrong with the filter"));
  problem_->hide();
  auto* flow = new FlowLayout(chipRow_, 4);
  flow->setContentsMargins(0, 0, 0, 0);
  flow->addWidget(count_);
  chipRow_->setAccessibleName(tr("Conditions of the filter"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  row_ = new FlowLayout(nullptr, 4);
  row_->addWidget(line_);
  layout->addLayout(row_);
  layout->addWidget(problem_);
  layout->addWidget(chipRow_);
  pause_.setSingleShot(true);
  pause_.setInterval(kTypingMilliseconds);
  connect(&pause_, &QTimer::timeout, this, [this] { apply(false); });
  connect(line_, &QLineEdit::textChanged, &pause_, qOverload<>(&QTimer::start));
  connect(line_, &FilterLine::committed, this, [this] { apply(true); });
  connect(line_, &QLineEdit::editingFinished, this, [this] {
    if (pause_.isActive()) apply(true);
  });
  // The place of the mistake, from the message.
  connect(problem_, &QLabel::linkActivated, this, [this](const QString& place) {
    const int begin = place.section(QLatin1Char('-'), 0, 0).toInt();
    line_->setFocus();
    line_->setSelection(begin, place.section(QLatin1Char('-'), 1).toInt() - begin);
  });
  connect(&Theme::instance(), &Theme::changed, this, &RecordFilterBar::restyle);
  restyle();
}

QString RecordFilterBar::problem() const {
  return problem_->isHidden() ? QString() : problem_->text();
}

void RecordFilterBar::addButton(QToolButton* button) {
  row_->addWidget(button);
}

void RecordFilterBar::setCount(const QString& text) {
  if (text == count_->text()) return;
  count_->setText(text);
  chipRow_->layout()->invalidate();
}

QString RecordFilterBar::count() const {
  return count_->text();
}

void RecordFilterBar::setVocabulary(std::function<FilterVocabulary()> vocabulary) {
  line_->setVocabulary(std::move(vocabulary));
}

void RecordFilterBar::setFilter(const RecordFilter& filter) {
  filter_ = filter;
  // What the user writes stays as it is written while it says the same.
  RecordFilter written;
  bool understood = true;
  try {
    written = parseRecordFilter(line_->text().toStdString());
  } catch (const FilterError&) {
    understood = false;
  }
  if (!understood || !(written == filter)) {
    line_->setText(qs(print(filter)));
    pause_.stop();
    problem_->hide();
  }
  showChips();
}

void RecordFilterBar::apply(bool ended) {
  pause_.stop();
  try {
    const RecordFilter filter = parseRecordFilter(line_->text().toStdString());
    problem_->hide();
    if (!(filter == filter_)) Q_EMIT filterEdited(filter);
  } catch (const FilterError& error) {
    const bool writing = !ended && line_->hasFocus() &&
                         placeIn(line_->text().toUtf8(), error.end()) >= line_->cursorPosition();
    if (writing)
      problem_->hide();
    else
      showProblem(error);
  }
}

void RecordFilterBar::showProblem(const FilterError& error) {
  const QByteArray utf8 = line_->text().toUtf8();
  const int begin = placeIn(utf8, error.begin()), end = placeIn(utf8, error.end());
  const QString place = line_->text().mid(begin, end - begin);
  const QString where = place.isEmpty() ? tr("at letter %1").arg(begin + 1)
                                        : QLatin1Char('"') + place + QLatin1Char('"');
  problem_->setText(QStringLiteral("⚠ <a style=\"color: %1\" href=\"%2-%3\">%4</a>: %5")
                        .arg(colours().failed.name())
                        .arg(begin)
                        .arg(end)
                        .arg(where.toHtmlEscaped(), qs(error.what()).toHtmlEscaped()));
  problem_->show();
}

void RecordFilterBar::showChips() {
  for (QToolButton* chip : chips_) {
    chipRow_->layout()->removeWidget(chip);
    chip->deleteLater();
  }
  chips_.clear();
  for (std::size_t i = 0; i < filter_.conditions.size(); ++i) {
    auto* chip = new Chip(chipRow_);
    const QString words = taskTitle(inWords(filter_.conditions[i]));
    chip->setText(fontMetrics().elidedText(words, Qt::ElideMiddle, 320) + QStringLiteral("  ✕"));
    chip->setToolTip(tr("Remove the condition \"%1\".").arg(words));
    chip->setAccessibleName(tr("Remove the condition %1").arg(words));
    connect(chip, &QToolButton::clicked, this, [this, i] { remove(i); });
    chipRow_->layout()->addWidget(chip);
    chips_.push_back(chip);
  }
  restyle();
}

void RecordFilterBar::remove(std::size_t condition) {
  if (condition >= filter_.conditions.size()) return;
  RecordFilter filter = filter_;
  filter.conditions.erase(filter.conditions.begin() + std::ptrdiff_t(condition));
  pause_.stop();
  Q_EMIT filterEdited(filter);
}

void RecordFilterBar::restyle() {
  const Colours& c = colours();
  setTextColour(problem_, c.failed);
  problem_->setFont(smallFont());
  setTextColour(count_, c.dim);
  count_->setFont(smallFont());
  for (QToolButton* chip : chips_)
    chip->setFont(smallFont());
}

} // namespace nestwright::ui

#include "moc_record_filter_bar.cpp"
