#include "ui/records/agreement_strip.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kAgainMilliseconds = 2000, kMostLines = 7;

Agreement readAgreement(const RecordStore& store, RowId session) {
  const std::optional<SessionRow> row = store.sessions().one(session);
  const std::vector<RowId> records = row ? recordsToMeasureAgain(*row) : std::vector<RowId>();
  if (records.empty()) return {};
  return {std::ssize(records), store.sessions().summary(session).trials,
          agreementOf(store, session, 1)};
}

QString numberText(double number) {
  return QString::number(number, 'f', 2).replace(QLatin1Char('-'), QStringLiteral("−"));
}

/// What Kendall's τ of two orders means.
QString orderText(double correlation) {
  if (correlation >= 0.95) return AgreementStrip::tr("in the same order");
  if (correlation >= 0.8) return AgreementStrip::tr("in nearly the same order");
  if (correlation >= 0.5) return AgreementStrip::tr("in a similar order");
  if (correlation >= 0.2) return AgreementStrip::tr("in a rather different order");
  if (correlation > -0.2) return AgreementStrip::tr("in an order that says nothing of the other");
  return AgreementStrip::tr("in the reverse order, more or less");
}

QString lengthText(double ratio) {
  if (ratio > 0.98 && ratio < 1.02) return AgreementStrip::tr("take as long as before");
  return AgreementStrip::tr("take %1 as long as before").arg(factorText(ratio));
}

/// The program that is furthest from what the others say; nothing where all say the same.
QString worstText(const TaskAgreement& task) {
  constexpr double kSurprising = 1.25;
  if (task.worst.empty()) return {};
  const TimeAgain& worst = task.worst.front();
  if (worst.surprise < kSurprising && worst.surprise > 1 / kSurprising) return {};
  return AgreementStrip::tr("Furthest from what the others suggest: record %1, %2 then and %3 in "
                            "record %4.")
      .arg(QString::number(worst.before), timeText(worst.secondsBefore), timeText(worst.secondsNow),
           QStringLiteral("<a href=\"%1\" style=\"color: %2\">%1</a>")
               .arg(QString::number(worst.now), colours().accent.name()));
}

/// "28 programs ran both times, in nearly the same order (Kendall's τ 0.93), and take 1.02 × as
/// long now."
QString agreementText(const TaskAgreement& task) {
  QString text;
  if (task.programs > 1)
    text = AgreementStrip::tr("%1 programs ran both times, %2 (Kendall's τ %3), and %4.")
               .arg(countText(task.programs), orderText(task.rankCorrelation),
                    numberText(task.rankCorrelation), lengthText(task.ratioOfMedians));
  else if (task.programs == 1)
    text = AgreementStrip::tr("1 program ran both times; its time now is %1 × the one before.")
               .arg(task.ratioOfMedians, 0, 'f', 2);
  if (task.failed > 0)
    text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
            AgreementStrip::tr("%1 ran before and fail now.").arg(countText(task.failed));
  return text;
}

} // namespace

AgreementStrip::AgreementStrip(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), title_(new QLabel(this)), tasks_(new QLabel(this)),
      area_(new QScrollArea(this)) {
  title_->setTextFormat(Qt::PlainText);
  title_->setWordWrap(true);
  title_->setAccessibleName(tr("Programs measured again"));
  tasks_->setTextFormat(Qt::RichText);
  tasks_->setWordWrap(true);
  tasks_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  tasks_->setAccessibleName(tr("Old times and new ones, by task"));
  tasks_->setToolTip(tr("Kendall's τ compares the order of the programs by their old times with "
                        "that by their new ones: 1 is the same order, 0 says nothing, -1 is the "
                        "reverse. The ratio is that of the medians, now to before."));
  area_->setWidget(tasks_);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 6);
  layout->setSpacing(2);
  layout->addWidget(title_);
  layout->addWidget(area_);
  pause_.setSingleShot(true);
  pause_.setInterval(kAgainMilliseconds);
  connect(&pause_, &QTimer::timeout, this, &AgreementStrip::ask);
  connect(tasks_, &QLabel::linkActivated, this, &AgreementStrip::follow);
  connect(&document, &Document::stateChanged, this, &AgreementStrip::begin);
  connect(&document.follower(), &SessionFollower::recordsReread, this, &AgreementStrip::begin);
  connect(&document.follower(), &SessionFollower::statusChanged, this, [this] {
    if (agreement_.records > 0) ask();
  });
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (agreement_.records > 0 && !pause_.isActive()) pause_.start();
  });
  connect(&Theme::instance(), &Theme::changed, this, &AgreementStrip::render);
  render();
}

void AgreementStrip::begin() {
  asking_.leave();
  pause_.stop();
  show({});
  ask();
}

void AgreementStrip::ask() {
  if (document_.state() != DocumentState::Ready || document_.replayMode().isOn()) return;
  asking_.ask<Agreement>([store = asking_.connection(), path = document_.file().path(),
                          session = document_.session().row().id](
                             const Job&) { return readAgreement(store->at(path), session); },
                         [this](Agreement agreement) { show(std::move(agreement)); },
                         [this](const QString& why) { document_.notices().warn(why); });
}

void AgreementStrip::show(Agreement agreement) {
  agreement_ = std::move(agreement);
  render();
  Q_EMIT changed();
}

void AgreementStrip::render() {
  setVisible(agreement_.records > 0);
  const bool isComplete = agreement_.measured >= agreement_.records;
  title_->setText(isComplete
                      ? tr("All %1 programs are measured again. Old times and new ones:")
                            .arg(countText(agreement_.records))
                      : tr("%1 of %2 programs are measured again. Old times and new ones "
                           "so far:")
                            .arg(countText(agreement_.measured), countText(agreement_.records)));
  QStringList lines;
  for (const TaskAgreement& task : agreement_.tasks) {
    QString line = QStringLiteral("<b>%1</b>: %2")
                       .arg(taskTitle(task.name).toHtmlEscaped(), agreementText(task));
    if (const QString worst = worstText(task); !worst.isEmpty())
      line +=
          QStringLiteral(" <span style=\"color: %1\">%2</span>").arg(colours().dim.name(), worst);
    lines.append(line);
  }
  if (lines.isEmpty()) lines.append(tr("none yet that ran both times."));
  tasks_->setText(lines.join(QStringLiteral("<br>")));
  QFont bold = font();
  bold.setBold(true);
  title_->setFont(bold);
  fit();
}

/// As high as its lines, up to a few.
void AgreementStrip::fit() {
  const int most = kMostLines * tasks_->fontMetrics().lineSpacing();
  const int wanted = tasks_->heightForWidth(std::max(200, width() - 16));
  area_->setFixedHeight(std::clamp(wanted, tasks_->fontMetrics().lineSpacing(), most));
}

void AgreementStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void AgreementStrip::follow(const QString& link) {
  const RowId record = link.toLongLong();
  for (const TaskAgreement& task : agreement_.tasks)
    for (const TimeAgain& pair : task.worst)
      if (pair.now == record) return document_.selection().select({task.task, record});
}

QString AgreementStrip::text() const {
  QString lines = tasks_->text();
  lines.replace(QStringLiteral("<br>"), QStringLiteral("\n"));
  static const QRegularExpression kMarks(QStringLiteral("<[^>]*>"));
  lines.remove(kMarks);
  return title_->text() + '\n' + lines;
}

} // namespace nestwright::ui

#include "moc_agreement_strip.cpp"
