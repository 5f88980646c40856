#include "ui/document/session_port.h"

#include "ui/document/policy/own_policy.h"
#include "ui/document/settings.h"

#include <utility>

namespace nestwright::ui {
namespace {

class RealSession : public SessionPort {
 public:
  RealSession(const std::string& path, RowId session, Session::Observer observer,
              MeasureFunction measure, WorkerLaunch launch, PolicyLaunch policy)
      : session_(path, session, std::move(observer), std::move(measure), std::move(launch),
                 std::move(policy)) {}
  void post(const Command& command) override { session_.post(command, Sender::Window); }

 private:
  Session session_;
};

} // namespace

SessionFactory realSessions(MeasureFunction measure) {
  return [measure = std::move(measure)](const std::string& path, RowId session,
                                        Session::Observer observer) {
    return std::make_unique<RealSession>(
        path, session, std::move(observer), measure,
        workerLaunchFromText(Settings::workerCommand().toStdString()), ownPolicyLaunch());
  };
}

} // namespace nestwright::ui
