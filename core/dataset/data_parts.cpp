#include "core/dataset/data_parts.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/json_fields.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace nestwright {

namespace {

using Indices = std::vector<std::size_t>;

/// What is drawn first has the smallest number, which its name and the seed alone decide.
std::uint64_t drawNumber(std::uint64_t seed, std::string_view stream, std::string_view name) {
  return hash64(name, hash64(stream, seed));
}

class Parting {
 public:
  Parting(const RecordedData& data, const DataChoice& choice,
          const std::vector<NetworkTasks>& heldOut)
      : data_(data), set_(data.set), choice_(choice) {
    for (const NetworkTasks& network : heldOut)
      for (const auto& [definition, weight] : network.weights)
        heldOut_.insert(definition);
  }

  DataParts run() {
    split();
    parts_.train = learnable(parts_.train);
    parts_.train = drawn(parts_.train);
    validate();
    for (Indices* part : {&parts_.train, &parts_.validation, &parts_.test})
      std::ranges::sort(*part);
    parts_.leaks = checkLeaks(data_, parts_);
    return std::move(parts_);
  }

 private:
  std::uint64_t programNumber(const char* stream, std::size_t i) const {
    const Outcome& outcome = set_.outcomes[i];
    return drawNumber(choice_.seed, stream,
                      data_.tasks[outcome.task].definition + identityOf(data_, i));
  }
  std::uint64_t taskNumber(const char* stream, std::size_t task) const {
    return drawNumber(choice_.seed, stream, data_.tasks[task].definition);
  }

  /// Programs of a part by task and machine, in the part's order.
  std::map<std::pair<std::size_t, std::size_t>, Indices> byTask(const Indices& part) const {
    std::map<std::pair<std::size_t, std::size_t>, Indices> tasks;
    for (const std::size_t i : part)
      tasks[{set_.outcomes[i].task, set_.outcomes[i].machine}].push_back(i);
    return tasks;
  }

  void sortByDraw(Indices& programs, const char* stream) const {
    std::ranges::sort(programs, {},
                      [&](std::size_t i) { return std::pair(programNumber(stream, i), i); });
  }

  void split() {
    Indices all(set_.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    switch (choice_.split) {
    case SplitKind::None:
      parts_.train = std::move(all);
      return;
    case SplitKind::WithinTasks:
      splitWithin(all, choice_.testShare, "test", parts_.train, parts_.test);
      return;
    case SplitKind::ByTask:
      splitTasks(all, choice_.testShare, "test tasks", parts_.train, parts_.test);
      return;
    case SplitKind::ByNetwork:
      return splitWhere(all, [&](const Outcome& outcome) {
        return heldOut_.contains(data_.tasks[outcome.task].definition);
      });
    case SplitKind::ByTarget:
      return splitWhere(all, [&](const Outcome& outcome) {
        return isTargetMeant(data_.targets[outcome.machine], choice_.testTarget);
      });
    }
  }

  template <class IsTest>
  void splitWhere(const Indices& all, const IsTest& isTest) {
    for (const std::size_t i : all)
      (isTest(set_.outcomes[i]) ? parts_.test : parts_.train).push_back(i);
  }

  /// A share of the programs of each task, and of all that compute the same; of two or more
  /// programs some are on each side. What is one program under several names is on one.
  void splitWithin(const Indices& from, double share, const char* stream, Indices& kept,
                   Indices& taken) const {
    Indices keep;
    std::map<std::pair<std::string, std::size_t>, Indices> byDefinition;
    for (const std::size_t i : from) {
      const Outcome& outcome = set_.outcomes[i];
      byDefinition[{data_.tasks[outcome.task].definition, outcome.machine}].push_back(i);
    }
    for (auto& entry : byDefinition) {
      Indices& programs = entry.second;
      sortByDraw(programs, stream);
      Indices starts; // of what is one program, under one name or several
      for (std::size_t i = 0; i < programs.size(); ++i)
        if (i == 0 || identityOf(data_, programs[i - 1]) != identityOf(data_, programs[i]))
          starts.push_back(i);
      auto most = static_cast<std::size_t>(std::lround(share * static_cast<double>(starts.size())));
      if (starts.size() > 1) most = std::clamp<std::size_t>(most, 1, starts.size() - 1);
      const std::size_t end = most < starts.size() ? starts[most] : programs.size();
      for (std::size_t i = 0; i < programs.size(); ++i)
        (i < end ? taken : keep).push_back(programs[i]);
    }
    kept = std::move(keep);
  }

  /// Whole tasks until they have the share of the programs; one at least stays.
  void splitTasks(const Indices& from, double share, const char* stream, Indices& kept,
                  Indices& taken) const {
    std::map<std::pair<std::uint64_t, std::string>, Indices> tasks; // as they are drawn
    for (const std::size_t i : from) {
      const std::size_t task = set_.outcomes[i].task;
      tasks[{taskNumber(stream, task), data_.tasks[task].definition}].push_back(i);
    }
    const auto wanted = static_cast<std::size_t>(share * static_cast<double>(from.size()));
    Indices keep;
    std::size_t left = tasks.size();
    for (const auto& [drawn, programs] : tasks) {
      Indices& to = left-- > 1 && taken.size() < wanted ? taken : keep;
      to.insert(to.end(), programs.begin(), programs.end());
    }
    kept = std::move(keep);
  }

  /// Without tasks that teach nothing.
  Indices learnable(const Indices& part) {
    Indices kept;
    for (const auto& [task, programs] : byTask(part)) {
      const bool ran =
          std::ranges::any_of(programs, [&](std::size_t i) { return !set_.outcomes[i].failed(); });
      if (!ran)
        ++parts_.allFailed;
      else if (programs.size() < choice_.leastPrograms)
        ++parts_.tooFew;
      else
        kept.insert(kept.end(), programs.begin(), programs.end());
    }
    return kept;
  }

  Indices drawn(const Indices& part) {
    auto tasks = byTask(part);
    if (choice_.drawnTasks > 0) {
      std::set<std::pair<std::uint64_t, std::string>> order;
      const auto drawOf = [&](std::size_t task) {
        return std::pair(taskNumber("tasks", task), data_.tasks[task].definition);
      };
      for (const auto& [task, programs] : tasks)
        order.insert(drawOf(task.first));
      while (order.size() > choice_.drawnTasks)
        order.erase(std::prev(order.end()));
      parts_.notDrawn += std::erase_if(
          tasks, [&](const auto& entry) { return !order.contains(drawOf(entry.first.first)); });
    }
    Indices kept;
    for (auto& [task, programs] : tasks) {
      sortByDraw(programs, "programs");
      if (choice_.drawnPrograms > 0 && programs.size() > choice_.drawnPrograms)
        programs.resize(choice_.drawnPrograms);
      kept.insert(kept.end(), programs.begin(), programs.end());
    }
    return kept;
  }

  void validate() {
    if (choice_.validationShare <= 0 || parts_.train.empty()) return;
    if (choice_.validateWholeTasks)
      splitTasks(Indices(parts_.train), choice_.validationShare, "validation tasks", parts_.train,
                 parts_.validation);
    else
      splitWithin(Indices(parts_.train), choice_.validationShare, "validation", parts_.train,
                  parts_.validation);
  }

  const RecordedData& data_;
  const DataSet& set_;
  const DataChoice& choice_;
  std::set<std::string> heldOut_;
  DataParts parts_;
};

/// The tasks and programs of a part, by what they are and not where they stand.
struct Contents {
  std::set<std::pair<std::string, std::size_t>> tasks;
  std::set<std::pair<std::string, std::size_t>> programs;

  Contents(const RecordedData& data, const Indices& part) {
    for (const std::size_t i : part) {
      const Outcome& outcome = data.set.outcomes[i];
      const std::string& definition = data.tasks[outcome.task].definition;
      tasks.emplace(definition, outcome.machine);
      programs.emplace(definition + identityOf(data, i), outcome.machine);
    }
  }
};

template <class Set>
std::size_t inBoth(const Set& a, const Set& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a, [&](const auto& element) { return b.contains(element); }));
}

SharedBetween shared(const Contents& a, const Contents& b) {
  return {inBoth(a.tasks, b.tasks), inBoth(a.programs, b.programs)};
}

void requireNoLeaks(const LeakCheck& check, const DataChoice& choice) {
  const bool wholeTasks = choice.split != SplitKind::WithinTasks;
  const auto require = [&](const SharedBetween& both, bool whole, const char* parts) {
    if (both.programs == 0 && (both.tasks == 0 || !whole)) return;
    throw InputError(fmt::format("{} have {} and {} in common, so that what is tested would have "
                                 "been seen: this choice of data cannot be trained on",
                                 parts, quantity(std::int64_t(both.tasks), "task"),
                                 quantity(std::int64_t(both.programs), "program")));
  };
  require(check.trainTest, wholeTasks, "the training part and the test part");
  require(check.validationTest, wholeTasks, "the validation part and the test part");
  require(check.trainValidation, choice.validateWholeTasks,
          "the training part and the validation part");
}

} // namespace

template <class Io>
void fields(Io& io, SharedBetween& both) {
  io("tasks", both.tasks);
  io("programs", both.programs);
}

template <class Io>
void fields(Io& io, LeakCheck& check) {
  io.object("train_test", check.trainTest);
  io.object("train_validation", check.trainValidation);
  io.object("validation_test", check.validationTest);
}

nlohmann::json toJson(const LeakCheck& check) {
  return toFields(check);
}

LeakCheck leakCheckFromJson(const nlohmann::json& json) {
  LeakCheck check;
  readFields(json, check);
  return check;
}

DataParts partsOf(const RecordedData& data, const DataChoice& choice,
                  const std::vector<NetworkTasks>& heldOut) {
  return Parting(data, choice, heldOut).run();
}

LeakCheck checkLeaks(const RecordedData& data, const DataParts& parts) {
  const Contents train(data, parts.train), validation(data, parts.validation),
      test(data, parts.test);
  return {shared(train, test), shared(train, validation), shared(validation, test)};
}

void requireUsable(const RecordedData& data, const DataParts& parts, const DataChoice& choice) {
  if (parts.train.empty())
    throw InputError(fmt::format(
        "nothing is left to learn from: of {} of {}, {} to test on, {} with fewer than {}, {} of "
        "which none ran; give --least-programs or hold out less",
        quantity(std::ssize(data.set.outcomes), "program"),
        quantity(std::ssize(data.tasks), "task"), parts.test.size(),
        quantity(std::int64_t(parts.tooFew), "task"),
        quantity(std::int64_t(choice.leastPrograms), "program"),
        quantity(std::int64_t(parts.allFailed), "task")));
  if (choice.split != SplitKind::None && parts.test.empty())
    throw InputError(fmt::format("nothing is left to test on: of {} none is of what the split "
                                 "{} holds out",
                                 quantity(std::ssize(data.set.outcomes), "program"),
                                 name(choice.split)));
  requireNoLeaks(parts.leaks, choice);
}

} // namespace nestwright
