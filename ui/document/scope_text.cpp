#include "ui/document/scope_text.h"

#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

namespace nestwright::ui {

QString scopeText(const Document& document) {
  const std::size_t sessions = document.session().contents().sessions.size();
  if (sessions < 2) return {};
  return document.session().scope() == Scope::ThisSession
             ? tr("of this session")
             : tr("of the whole file, %1 sessions").arg(countText(std::int64_t(sessions)));
}

QString withScope(const QString& tip, const Document& document) {
  const QString scope = scopeText(document);
  return scope.isEmpty() ? tip : tr("%1\nCounted: measurements %2.").arg(tip, scope);
}

} // namespace nestwright::ui
