#include "ui/session_port.h"

#include <utility>

namespace nestwright::ui {
namespace {

class RealSession : public SessionPort {
 public:
  RealSession(const std::string& path, RowId session, Session::Observer observer)
      : session_(path, session, std::move(observer)) {}
  void start() override { session_.start(); }
  void pause() override { session_.pause(); }
  void stop() override { session_.stop(); }
  void setImportance(RowId task, double importance) override {
    session_.setImportance(task, importance);
  }
  void setTrialBudget(std::int64_t trials) override { session_.setTrialBudget(trials); }
  SessionStatus status() const override { return session_.status(); }

 private:
  Session session_;
};

} // namespace

SessionFactory realSessions() {
  return [](const std::string& path, RowId session, Session::Observer observer) {
    return std::make_unique<RealSession>(path, session, std::move(observer));
  };
}

} // namespace nestwright::ui
