#pragma once
/// \file Measuring with a worker whose compiler and kernels fail on command (faulty_worker.cpp):
/// what the tests of the measurer share.

#include "core/measure/measure.h"
#include "core/tensor/text.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

namespace nestwright::test {

using Clock = std::chrono::steady_clock;

inline constexpr double kLong = 600; // a time-out that must not be what ends a test
inline constexpr double kShort =
    1.5; // one that does, but not for a good candidate on a busy machine

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The text of a task that doubles `elements` numbers; its name says what goes wrong.
inline std::string doublingTask(const std::string& fault, std::int64_t elements = 16) {
  const Op a = placeholder("A", {elements});
  return print(ComputeDag({a, compute(fault, {elements}, [&](const std::vector<Expr>& i) {
                             return read(a, {i[0]}) * floatImm(2);
                           })}));
}

inline MeasureRequest request(const std::string& fault, std::uint64_t id = 0) {
  MeasureRequest request;
  request.id = id;
  request.dag = doublingTask(fault);
  request.check = true;
  return request;
}

inline WorkerLaunch faultyWorker() {
  return {{FAULTY_WORKER}};
}

inline MeasureOptions quickOptions() {
  MeasureOptions options;
  options.builders = 2;
  options.threads = 1;
  options.minRepeatSeconds = 1e-4;
  options.buildTimeoutSeconds = kLong;
  options.runTimeoutSeconds = kLong;
  options.memoryLimitBytes = 256 << 20;
  return options;
}

inline std::vector<MeasureResult> measureAll(Measurer& measurer,
                                             const std::vector<MeasureRequest>& requests,
                                             const std::atomic<bool>* stop = nullptr) {
  std::vector<MeasureResult> results;
  measurer.measure(
      requests, [&](const MeasureResult& result) { results.push_back(result); }, stop);
  std::sort(results.begin(), results.end(),
            [](const MeasureResult& a, const MeasureResult& b) { return a.id < b.id; });
  return results;
}

inline MeasureResult measureOne(Measurer& measurer, const MeasureRequest& request) {
  const std::vector<MeasureResult> results = measureAll(measurer, {request});
  return results.size() == 1 ? results.front() : MeasureResult{};
}

inline std::vector<std::string> linesOf(const QString& path) {
  std::ifstream file(path.toStdString());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

/// True while the process exists and is no zombie.
inline bool isAlive(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(')');
  return name != std::string::npos && text.size() > name + 2 && text[name + 2] != 'Z';
}

inline std::int64_t residentBytesOf(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

/// A fresh folder for every test function; workers leave there what they did.
class FaultyWorkers : public QObject {
  Q_OBJECT

 protected:
  QString file(const QString& name) const { return folder_->filePath(name); }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    setenv("NESTWRIGHT_TEST_FOLDER", folder_->path().toUtf8().constData(), 1);
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
};

} // namespace nestwright::test
