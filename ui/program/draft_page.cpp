#include "ui/program/draft_page.h"

#include "ui/kit/colours.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

namespace {

/// "64.19 µs", or where only their proportions mean something "930,000 clocks".
QString amountText(const DraftRow& row) {
  if (row.seconds) return timeText(*row.seconds);
  const double digit = std::pow(10.0, std::floor(std::log10(std::max(row.clocks, 1.0))) - 2);
  const auto clocks = std::llround(digit > 1 ? std::round(row.clocks / digit) * digit : row.clocks);
  return DraftPage::tr("%1 clocks").arg(countText(clocks));
}

/// What most of the time goes to; empty for no work.
const DraftedWork* longest(const std::vector<DraftedWork>& work) {
  const auto most = std::ranges::max_element(work, {}, &DraftedWork::clocks);
  return most == work.end() ? nullptr : &*most;
}

} // namespace

std::vector<DraftRow> draftRows(const std::vector<DraftedWork>& work, const TargetFacts& target) {
  std::vector<DraftRow> rows;
  for (const DraftedWork& one : work) {
    rows.push_back({qs(one.name), false, one.clocks, 1, draftedSeconds(one.clocks, target)});
    for (const DraftedWork::Part& part : one.parts)
      rows.push_back({qs(part.name), true, part.clocks, part.clocks / one.clocks,
                      draftedSeconds(part.clocks, target)});
  }
  return rows;
}

QString draftInWords(const std::vector<DraftedWork>& work, const TargetFacts& target,
                     double measured) {
  const DraftedWork* const most = longest(work);
  if (!most || most->parts.empty()) return {};
  double all = 0;
  for (const DraftedWork& one : work)
    all += one.clocks;
  QString text;
  if (const std::optional<double> seconds = draftedSeconds(all, target); !seconds)
    text = DraftPage::tr("The draft orders programs and predicts no seconds. ");
  else if (measured > 0)
    text = DraftPage::tr("By the draft the program takes %1; %2 were measured. ")
               .arg(timeText(*seconds), timeText(measured));
  else
    text = DraftPage::tr("By the draft the program takes %1. ").arg(timeText(*seconds));
  const auto part = [&](std::size_t at) {
    const DraftedWork::Part& of = most->parts[at];
    return DraftPage::tr("%1 (%2)").arg(qs(of.name), percentText(of.clocks / most->clocks));
  };
  const QString where = work.size() == 1
                            ? qs(most->name)
                            : DraftPage::tr("%1, which takes %2 of all,")
                                  .arg(qs(most->name), percentText(most->clocks / all));
  text += most->parts.size() == 1 ? DraftPage::tr("%1 is busy with %2.").arg(where, part(0))
                                  : DraftPage::tr("%1 is busiest with %2, then %3; they overlap.")
                                        .arg(where, part(0), part(1));
  return text;
}

DraftModel::DraftModel(QObject* parent) : TableModel(parent) {
  using Row = DraftRow;
  setColumns(
      {{.title = tr("Work"),
        .tip = tr("Each stage with loops of its own, or each kernel of a GPU's program, and "
                  "below it the parts of the machine that it keeps busy."),
        .text =
            [](const Row& row) {
              return row.isPart ? QStringLiteral("    ") + row.name : row.name;
            },
        .bare = [](const Row& row) { return QVariant(row.name); },
        .colour =
            [](const Row& row) { return row.isPart ? QVariant() : QVariant(colours().accent); }},
       {.title = tr("Takes"),
        .tip = tr("How long that part alone would take. Parts overlap, so that all together "
                  "take less than their sum. Lower is better."),
        .text = [](const Row& row) { return amountText(row); },
        .align = kRight,
        .bare =
            [](const Row& row) {
              return row.seconds ? QVariant(*row.seconds) : QVariant(row.clocks);
            },
        .bareTitle = tr("Takes (seconds, or clocks)")},
       {.title = tr("Of it"),
        .tip = tr("The share of its stage's or kernel's time. What is near 100 % is what the "
                  "program waits for: only less of that makes it faster."),
        .text = [](const Row& row) { return row.isPart ? percentText(row.share) : QString(); },
        .align = kRight,
        .bare = [](const Row& row) { return QVariant(row.share); },
        .fraction =
            [](const Row& row) {
              return row.isPart ? QVariant(std::min(1.0, row.share)) : QVariant();
            }}});
}

DraftPage::DraftPage(QWidget* parent)
    : QWidget(parent), words_(new QLabel(this)), model_(new DraftModel(this)),
      table_(new QTableView(this)) {
  words_->setWordWrap(true);
  words_->setMinimumWidth(1);
  words_->setContentsMargins(10, 6, 10, 6);
  words_->setTextFormat(Qt::PlainText);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setAccessibleName(tr("What limits the program"));
  words_->setToolTip(
      tr("Computed from the program, without running it. What was measured is above; "
         "what the processor counts is on the page Counters."));
  table_->setModel(model_);
  table_->setAccessibleName(tr("What the program spends its time on"));
  setUpTable(table_);
  table_->setItemDelegate(new BarDelegate(table_));
  QHeaderView* header = table_->horizontalHeader();
  header->setStretchLastSection(true); // the longer the bars, the better they compare
  header->setSectionResizeMode(QHeaderView::Interactive);
  const auto width = [this](const char* text) {
    return table_->fontMetrics().horizontalAdvance(QString::fromUtf8(text));
  };
  header->resizeSection(0, width("T_softmax_expsum second-level"));
  header->resizeSection(1, width("1,230,000,000 clocks "));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(words_);
  layout->addWidget(table_, 1);
}

void DraftPage::show(const std::vector<DraftedWork>& work, const TargetFacts& target,
                     double measured) {
  words_->setText(draftInWords(work, target, measured));
  model_->show(draftRows(work, target));
  table_->setVisible(true);
}

void DraftPage::showProblem(const QString& why) {
  words_->setText(why);
  model_->show({});
  table_->setVisible(false);
}

QString DraftPage::text() const {
  return QStringList{words_->text(), tsvOf(tableOf(table_))}.join(QLatin1String("\n\n"));
}

} // namespace nestwright::ui

#include "moc_draft_page.cpp"
