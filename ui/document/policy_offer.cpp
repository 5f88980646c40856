#include "ui/document/policy_offer.h"

#include "core/plugin/plugin.h"
#include "core/session/insight/policy_advice.h"
#include "core/session/run/row_contents.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <utility>

namespace nestwright::ui {

PolicyOffer::PolicyOffer(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), why_(sentenceLabel(this)),
      button_(new QPushButton(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 6, 10, 6);
  row->setSpacing(10);
  row->addWidget(why_, 1);
  row->addWidget(button_);
  connect(button_, &QPushButton::clicked, this, [this] {
    Plan plan = planOf(document_.session().config());
    plan.search.policy = learningPolicyOf(document_.session().config().space);
    document_.steering().setPlan(plan, tr("search policy"));
  });
  connect(&document, &Document::stateChanged, this, &PolicyOffer::refresh);
  connect(&document.replayMode(), &ReplayMode::changed, this, &PolicyOffer::refresh);
  for (const auto signal : {&SessionFollower::settingsChanged, &SessionFollower::statusChanged})
    connect(&document.follower(), signal, this, &PolicyOffer::refresh);
  refresh();
}

void PolicyOffer::setWanted(bool wanted) {
  if (std::exchange(wanted_, wanted) != wanted) refresh();
}

void PolicyOffer::refresh() {
  const bool ready = document_.state() == DocumentState::Ready;
  const SessionConfig& config = document_.session().config();
  setVisible(wanted_ && ready && !isImport(document_.session().row()) &&
             !learnsModel(config.policy));
  if (!ready) return;
  const QString policy = qs(learningPolicyOf(config.space));
  why_->setText(tr("The session's policy is “%1”, which learns nothing.").arg(qs(config.policy)));
  button_->setText(tr("Switch This Session to “%1”").arg(policy));
  button_->setToolTip(tr("From the next round on, also while the session runs; what was measured "
                         "stays, and the model learns from it. Can be undone."));
  enableUnless(button_, document_.steering().whyNotTuneLonger());
}

} // namespace nestwright::ui

#include "moc_policy_offer.cpp"
