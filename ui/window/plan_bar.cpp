#include "ui/window/plan_bar.h"

#include "core/plugin/plugin.h"
#include "core/session/insight/policy_advice.h"
#include "core/story/plan.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QToolBar>
#include <QToolButton>

namespace nestwright::ui {
namespace {

constexpr double kExtensionSeconds = 600;

QString words(ObjectiveKind kind) {
  switch (kind) {
  case ObjectiveKind::TotalLatency:
    return PlanBar::tr("total latency");
  case ObjectiveKind::LatencyRequirement:
    return PlanBar::tr("required latencies");
  case ObjectiveKind::SpeedUp:
    return PlanBar::tr("mean speed-up");
  case ObjectiveKind::EarlyStop:
    return PlanBar::tr("total, stopping early");
  }
  return {};
}

} // namespace

PlanBar::PlanBar(Document& document, Actions& actions, QToolBar& bar)
    : QObject(&bar), document_(document), actions_(actions) {
  policy_ = button(bar, tr("Search policy"), tr("Search &Policy"));
  objective_ = button(bar, tr("Objective"), tr("&Objective"));
  budget_ = button(bar, tr("Budget"), tr("&Budget"));
  addPolicies();
  addObjectives();
  addBudgets();
  all_ = actions.add(tr("Plan and Budget …"), "", {},
                     tr("Objective, scheduler, search policy and budgets in one form, and "
                        "what the rest of the budget is worth."));
  connect(all_, &QAction::triggered, this, &PlanBar::planWanted);
  for (QToolButton* one : {policy_, objective_, budget_}) {
    one->menu()->addSeparator();
    one->menu()->addAction(all_);
  }
  connect(&document, &Document::stateChanged, this, &PlanBar::refresh);
  connect(&document.replayMode(), &ReplayMode::changed, this, &PlanBar::refresh);
  for (const auto signal : {&SessionFollower::settingsChanged, &SessionFollower::statusChanged,
                            &SessionFollower::progressChanged})
    connect(&document.follower(), signal, this, &PlanBar::refresh);
  refresh();
}

QToolButton* PlanBar::button(QToolBar& bar, const QString& name, const QString& title) {
  auto* made = new QToolButton(&bar);
  made->setAccessibleName(name);
  made->setPopupMode(QToolButton::InstantPopup);
  made->setAutoRaise(true);
  made->setMenu(new QMenu(title, made));
  places_.push_back(bar.addWidget(made));
  return made;
}

QList<QMenu*> PlanBar::menus() const {
  return {policy_->menu(), objective_->menu(), budget_->menu()};
}

void PlanBar::addPolicies() {
  auto* group = new QActionGroup(this);
  for (const SearchPolicyKind& kind : searchPolicies()) {
    QAction* action =
        actions_.add(tr("Search Policy: %1").arg(qs(kind.name)), "", {}, qs(kind.purpose));
    action->setIconText(qs(kind.name));
    action->setCheckable(true);
    group->addAction(action);
    policy_->menu()->addAction(action);
    policies_.push_back({kind, action});
    connect(action, &QAction::triggered, this, [this, name = kind.name] {
      Plan plan = planOf(document_.session().config());
      plan.search.policy = name;
      document_.steering().setPlan(plan, tr("search policy"));
      refresh();
    });
  }
}

/// Required latencies need numbers: the form asks for them.
void PlanBar::addObjectives() {
  auto* group = new QActionGroup(this);
  for (const ObjectiveKind kind : {ObjectiveKind::TotalLatency, ObjectiveKind::LatencyRequirement,
                                   ObjectiveKind::SpeedUp, ObjectiveKind::EarlyStop}) {
    const bool asks = kind == ObjectiveKind::LatencyRequirement;
    QAction* action = actions_.add(
        (asks ? tr("Objective: %1 …") : tr("Objective: %1")).arg(words(kind)), "", {},
        asks ? tr("The latency that each network must reach is asked for.")
             : tr("What the scheduler makes as low as it can, from its next choice on."));
    action->setCheckable(true);
    group->addAction(action);
    objective_->menu()->addAction(action);
    objectives_.emplace_back(kind, action);
    connect(action, &QAction::triggered, this, [this, kind, asks] {
      if (asks) {
        refresh();
        Q_EMIT planWanted();
        return;
      }
      Plan plan = planOf(document_.session().config());
      if (plan.objective.kind != kind) plan.objective = {kind, {}, plan.objective.stopAfterRounds};
      document_.steering().setPlan(plan, tr("objective"));
      refresh();
    });
  }
}

void PlanBar::addBudgets() {
  budget_->menu()->addAction(actions_.moreTrials);
  longer_ = actions_.add(tr("Extend by %1").arg(budgetTimeText(kExtensionSeconds)), "", {},
                         tr("So much more time on top of the time budget, or one that ends "
                            "so much later than now."));
  budget_->menu()->addAction(longer_);
  connect(longer_, &QAction::triggered, this,
          [this] { document_.steering().extendTime(kExtensionSeconds); });
}

void PlanBar::refresh() {
  if (document_.state() == DocumentState::Loading) return; // the next session is not known yet
  const bool ready = document_.state() == DocumentState::Ready;
  const SessionConfig& config = document_.session().config();
  // Also in the tips of the buttons, since menus show none of their entries.
  const QString closed = document_.steering().whyNotTuneLonger();
  for (const Policy& one : policies_) {
    const bool fits = searches(one.kind, config.space);
    one.action->setVisible(fits);
    one.action->setChecked(ready && one.kind.name == config.policy);
    enableUnless(one.action, fits || !closed.isEmpty()
                                 ? closed
                                 : tr("It searches another space of programs than the session."));
  }
  const bool follows = followsObjective(config.scheduler);
  for (auto& [kind, action] : objectives_) {
    action->setChecked(ready && kind == config.objective.kind);
    enableUnless(action, follows || !closed.isEmpty()
                             ? closed
                             : tr("The session's scheduler follows no objective."));
  }
  enableUnless(all_, document_.whyNotReady());
  enableUnless(longer_, closed);
  policy_->setText(qs(config.policy));
  objective_->setText(words(config.objective.kind));
  const QString trials = tr("%1 trials").arg(countText(document_.session().progress().budget));
  budget_->setText(
      config.maxSeconds > 0 ? tr("%1, %2").arg(trials, budgetTimeText(config.maxSeconds)) : trials);
  const auto tell = [&](QToolButton* button, const QString& what, const QString& more = {}) {
    button->setToolTip(QStringLiteral("%1 %2 %3").arg(what, more, closed).simplified());
  };
  tell(policy_, tr("How candidates are found."),
       qs(policyRemark(config.policy, config.space, config.target)));
  tell(objective_, follows ? tr("What the scheduler makes as low as it can.")
                           : tr("The scheduler “%1” has no objective: it takes the tasks in turn.")
                                 .arg(qs(config.scheduler)));
  tell(budget_, tr("When the session ends by itself."));
  for (QToolButton* button : {policy_, objective_, budget_})
    enableUnless(button, document_.whyNotReady());
  for (QAction* place : places_) // without a session there is nothing to say
    place->setVisible(ready);
}

} // namespace nestwright::ui

#include "moc_plan_bar.cpp"
