#pragma once
/// \file Files with records of small matrix products, whose times tests make up.

#include "core/record/store/record_rows.h"
#include "core/schedule/state.h"
#include "core/tensor/text.h"
#include "tests/record/samples.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::test {

/// The product of two square matrices; `names` are those of its three tensors.
inline ComputeDag product(int size, std::string_view names = "ABC") {
  return parseDag(fmt::format("{1} = PLACEHOLDER [{0}, {0}]\n{2} = PLACEHOLDER [{0}, {0}]\n"
                              "{3}(i, j) += ({1}[i, k]*{2}[k, j])\n",
                              size, names[0], names[1], names[2]));
}

/// Its program number `n`, of which there are 64 for a size of 512: two tilings.
inline Steps tiled(int size, int n) {
  return {SplitStep{2, 0, size, {TileSize(std::int64_t(1) << (n % 8))}, true},
          SplitStep{2, 2, size, {TileSize(std::int64_t(1) << (n / 8))}, true}};
}

/// A file that is written record by record.
class RecordedFile {
 public:
  explicit RecordedFile(const std::string& path)
      : store_(RecordStore::open(path, OpenMode::Create)) {
    network_ = store_.networks().add({0, "net", "a network of elsewhere"});
    session_ = store_.sessions().add(
        {0, network_, "first", "{}", SessionStatus::Ready, 1, 1, 0, "{}", "0.1"});
  }

  RowId target(const std::string& key) {
    return store_.targets().add({0, key, "llvm -mcpu=" + key, "{}"});
  }

  /// The task of the network, which has it `weight` times.
  RowId task(const ComputeDag& dag, RowId target, double weight = 1) {
    const RowId task =
        store_.tasks().add({0, network_, target, int(weights_.size()), workloadKey(dag),
                            fmt::format("task {}", weights_.size()), print(dag), weight, 1e9});
    weights_.push_back({task, weight});
    store_.sessions().setNetworks(session_, {{network_, "net", weights_}});
    return task;
  }

  /// Measured so often; not at all is a failure.
  void add(RowId task, const ComputeDag& dag, const Steps& steps,
           const std::vector<double>& seconds) {
    Record record;
    record.session = session_;
    record.task = task;
    record.trial = ++trials_;
    record.steps = steps;
    record.program = programId(dag, steps);
    record.result.seconds = seconds;
    if (seconds.empty()) {
      record.result.verdict = Verdict::RunTimeout;
      record.result.error = "it took too long";
    }
    store_.records().add(record);
  }

  /// The first so many programs, number n with (n + 1) times `seconds`; every tenth fails.
  void addMany(RowId task, const ComputeDag& dag, int programs, double seconds = 1e-3) {
    const int size = static_cast<int>(dag[0]->output->shape[0]);
    for (int n = 0; n < programs; ++n)
      add(task, dag, tiled(size, n),
          n % 10 == 9 ? std::vector<double>() : std::vector{seconds * (n + 1)});
  }

  RecordStore& store() { return store_; }
  RowId session() const { return session_; }

 private:
  RecordStore store_;
  RowId network_ = 0, session_ = 0;
  std::vector<TaskWeight> weights_;
  std::int64_t trials_ = 0;
};

} // namespace nestwright::test
