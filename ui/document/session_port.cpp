#include "ui/document/session_port.h"

#include "ui/document/settings.h"

#include <utility>

namespace nestwright::ui {
namespace {

class RealSession : public SessionPort {
 public:
  RealSession(const std::string& path, RowId session, Session::Observer observer,
              MeasureFunction measure, WorkerLaunch launch)
      : session_(path, session, std::move(observer), std::move(measure), std::move(launch)) {}
  void start() override { session_.start(); }
  void pause() override { session_.pause(); }
  void stop() override { session_.stop(); }
  void setImportance(RowId task, double importance) override {
    session_.setImportance(task, importance);
  }
  void setTrialBudget(std::int64_t trials) override { session_.setTrialBudget(trials); }
  void setTimeBudget(double seconds) override { session_.setTimeBudget(seconds); }
  void setTaskMode(RowId task, TaskMode mode) override { session_.setTaskMode(task, mode); }
  void setObjective(const Objective& objective) override { session_.setObjective(objective); }
  void setSearchOptions(const SearchOptions& options) override {
    session_.setSearchOptions(options);
  }
  void measureNow(RowId task, const NamedProgram& program) override {
    session_.measureNow(task, program);
  }
  void setSeed(RowId task, const NamedProgram& program, bool added) override {
    session_.setSeed(task, program, added);
  }
  void forget(const std::vector<RowId>& records, bool forgotten) override {
    session_.forget(records, forgotten);
  }
  void pauseAfterPhase(bool on) override { session_.pauseAfterPhase(on); }
  void step(std::optional<SearchPhase> until) override { session_.step(until); }
  SessionStatus status() const override { return session_.status(); }

 private:
  Session session_;
};

} // namespace

SessionFactory realSessions(MeasureFunction measure) {
  return [measure = std::move(measure)](const std::string& path, RowId session,
                                        Session::Observer observer) {
    return std::make_unique<RealSession>(
        path, session, std::move(observer), measure,
        workerLaunchFromText(Settings::workerCommand().toStdString()));
  };
}

} // namespace nestwright::ui
