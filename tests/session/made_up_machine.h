#pragma once
/// \file Sessions on a made-up machine: nothing is timed, so all that is decided is repeatable.

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/session.h"
#include "core/support/hash.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QFile>
#include <QStringList>

namespace nestwright::made_up {

/// A time that depends on the program alone, and every ninth program fails.
inline MeasureResult madeUpResult(const MeasureRequest& request) {
  MeasureResult result;
  result.id = request.id;
  const std::uint64_t hash = hash64(recordText(toJson(request.steps)) + request.dag);
  result.runSeconds = 0.001;
  if (!request.naive && hash % 9 == 0) {
    result.verdict = Verdict::RunError;
    result.error = "segmentation fault (signal 11)";
    return result;
  }
  const double seconds =
      request.naive ? 1.0 : 1e-3 * (1.0 + static_cast<double>(hash % 1000) / 100);
  result.seconds = {seconds, seconds, seconds};
  result.checked =
      request.check && (request.checkBelowSeconds == 0 || seconds < request.checkBelowSeconds);
  return result;
}

inline void measureAll(const std::vector<MeasureRequest>& requests,
                       const std::function<void(const MeasureResult&)>& onResult,
                       const std::atomic<bool>* stop) {
  for (const MeasureRequest& request : requests) {
    MeasureResult result = madeUpResult(request);
    if (stop && *stop) {
      result = {};
      result.id = request.id;
      result.verdict = Verdict::Cancelled;
    }
    onResult(result);
  }
}

/// Measures so many programs; then a session whose round is cut off there pauses.
inline MeasureFunction cutOffAfter(int programs, const std::atomic<Session*>& session) {
  return
      [left = programs, &session](const auto& requests, const auto& onResult, const auto*) mutable {
        for (const MeasureRequest& request : requests) {
          MeasureResult result = madeUpResult(request);
          if (left-- <= 0) {
            result = {};
            result.id = request.id;
            result.verdict = Verdict::Cancelled;
          }
          onResult(result);
        }
        if (left < 0) session.load()->post(Pause{});
      };
}

/// A file with a session over small tasks: products of these sizes, the first in the network three
/// times.
inline RowId makeSession(const QString& path, SessionConfig config,
                         const std::vector<int>& sizes = {16, 32, 64}) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
  const TargetFacts facts = hostTarget(2);
  const RowId target = store.targets().add({0, facts.id(), facts.text(), toJson(facts).dump()});
  std::vector<RowId> tasks;
  for (const int size : sizes) {
    const ComputeDag dag =
        parseDag(fmt::format("A = PLACEHOLDER [{0}, 64]\nB = PLACEHOLDER [64, {0}]\n"
                             "C(i, j) += (A[i, k]*B[k, j])\n",
                             size));
    tasks.push_back(store.tasks().add({0, 0, target, static_cast<int>(tasks.size()),
                                       workloadKey(dag), fmt::format("matmul {}", size), print(dag),
                                       tasks.empty() ? 3.0 : 1.0, flops(dag)}));
  }
  SessionRow row;
  config.subjects = {fmt::format("{} matmuls", sizes.size())};
  row.config = toJson(config).dump();
  const RowId session = store.sessions().add(row);
  store.sessions().setTasks(session, tasks);
  return session;
}

/// In the order in which they were measured; without a session those of all.
inline std::vector<Record> recordsOf(const QString& path, RowId session = 0) {
  RecordQuery query;
  query.session = session;
  query.order = RecordQuery::Order::Oldest;
  query.limit = 100'000;
  return RecordStore::open(path.toStdString(), OpenMode::ReadOnly).records().page(query);
}

/// Events of one kind, in order; without a session those of the newest.
template <class Kind>
std::vector<Kind> eventsOf(const QString& path, RowId session = 0) {
  const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
  if (session == 0) session = store.sessions().all().back().id;
  std::vector<Kind> found;
  for (const EventRow& row : store.events().of(session, 0, 100'000))
    if (row.kind == kind(Event(Kind{})))
      found.push_back(std::get<Kind>(eventFromJson(row.kind, nlohmann::json::parse(row.json))));
  return found;
}

/// Task and program of every trial and how it came to be, in order.
inline QStringList decisions(const QString& path, RowId session) {
  QStringList result;
  for (const Record& record : recordsOf(path, session))
    result.append(QString::fromStdString(
        fmt::format("{} {} {} {}", record.trial, record.task, record.program, record.trace)));
  return result;
}

inline SessionStatus runToEnd(const QString& path, RowId id, Session::Observer observer = {}) {
  if (!observer) observer = [](const Event&) {};
  Session session(path.toStdString(), id, observer, measureAll);
  session.post(Start{});
  return session.wait();
}

/// The file as a kill would leave it now, under another name.
inline QString snapshot(const QString& path, const QString& as) {
  for (const char* part : {"", "-wal"})
    if (QFile::exists(path + part)) QFile::copy(path + part, as + part);
  return as;
}

/// How a session ended, and how often it began.
struct Lives {
  SessionStatus status = SessionStatus::Paused;
  int count = 0;
};

/// Runs the session in pieces: each ends after `least` measurements or a few more, below `spread`.
inline Lives runInPieces(const QString& path, RowId id, int least, int spread,
                         const MeasureFunction& measure = nullptr,
                         const PolicyLaunch& policy = {}) {
  Lives lives;
  for (; lives.status == SessionStatus::Paused && lives.count < 100; ++lives.count) {
    std::atomic<Session*> current{nullptr};
    int trials = 0;
    const auto pauseInTheMiddle = [&](const Event& event) {
      if (std::holds_alternative<Measured>(event) && ++trials == least + lives.count % spread)
        current.load()->post(Pause{});
    };
    Session session(path.toStdString(), id, pauseInTheMiddle, measure, {}, policy);
    current = &session;
    session.post(Start{});
    lives.status = session.wait();
  }
  return lives;
}

} // namespace nestwright::made_up
