#include "core/story/data_story.h"

#include "core/network/zoo/zoo_sets.h"
#include "core/record/format/target_facts.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/support/error.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nestwright {

namespace {

std::vector<KnownTarget> targetsOf(const std::vector<RecordStore>& files) {
  std::vector<KnownTarget> targets;
  for (const RecordStore& store : files)
    for (const TargetRow& row : store.targets().all()) {
      const KnownTarget target{machineIdOf(row), row.text};
      if (std::ranges::find(targets, target.id, &KnownTarget::id) == targets.end())
        targets.push_back(target);
    }
  return targets;
}

std::vector<std::string> networkNames(const std::vector<NetworkTasks>& ofFiles) {
  std::vector<std::string> names;
  for (const NetworkTasks& network : ofFiles)
    names.push_back(network.name);
  for (const NetworkSet& set : networkSets())
    names.push_back(set.name);
  return names;
}

/// Shares by task and machine, in the order of the set.
class Sharing {
 public:
  Sharing(const RecordedData& data, const DataParts& parts) : data_(data) {
    std::vector<std::size_t DataShare::*> part(data.set.size(), &DataShare::leftOut);
    for (const auto& [indices, member] : {std::pair(&parts.train, &DataShare::train),
                                          std::pair(&parts.validation, &DataShare::validation),
                                          std::pair(&parts.test, &DataShare::test)})
      for (const std::size_t i : *indices)
        part[i] = member;
    for (std::size_t i = 0; i < data.set.size(); ++i) {
      const Outcome& outcome = data.set.outcomes[i];
      DataShare& share = at(outcome.task, outcome.machine);
      ++(share.*part[i]);
      if (outcome.failed()) ++share.failed;
    }
  }

  const std::vector<DataShare>& tasks() const { return shares_; }

  DataShare sum(const NetworkTasks& network, bool heldOut) const {
    DataShare sum;
    sum.name = network.name;
    sum.heldOut = heldOut;
    for (const auto& [definition, weight] : network.weights) {
      const auto found = byDefinition_.find(definition);
      if (found == byDefinition_.end()) continue;
      for (const std::size_t place : found->second) {
        const DataShare& share = shares_[place];
        ++sum.tasks;
        for (const auto member : {&DataShare::train, &DataShare::validation, &DataShare::test,
                                  &DataShare::leftOut, &DataShare::failed})
          sum.*member += share.*member;
      }
    }
    return sum;
  }

 private:
  DataShare& at(std::size_t task, std::size_t machine) {
    const auto [place, isNew] = places_.emplace(std::pair(task, machine), shares_.size());
    if (isNew) {
      DataShare share;
      share.name = data_.tasks[task].name;
      share.tasks = 1;
      if (data_.targets.size() > 1) share.target = data_.targets[machine].id;
      byDefinition_[data_.tasks[task].definition].push_back(shares_.size());
      shares_.push_back(std::move(share));
    }
    return shares_[place->second];
  }

  const RecordedData& data_;
  std::vector<DataShare> shares_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_;
  std::map<std::string, std::vector<std::size_t>> byDefinition_;
};

void tell(DataStory& story, const RecordedData& data, const DataParts& parts,
          const std::vector<NetworkTasks>& ofFiles, const std::vector<NetworkTasks>& heldOut) {
  try {
    requireUsable(data, parts, story.choice);
  } catch (const InputError& error) {
    story.problem = error.what();
  }
  story.survey = surveyOf(data, parts, heldOut);
  story.intake = data.intake;
  story.targets = data.targets;
  story.allFailed = parts.allFailed, story.tooFew = parts.tooFew, story.notDrawn = parts.notDrawn;
  story.leaks = parts.leaks;
  const Sharing sharing(data, parts);
  story.tasks = sharing.tasks();
  std::set<std::string> held;
  for (const NetworkTasks& network : heldOut) {
    held.insert(network.name);
    story.networks.push_back(sharing.sum(network, true));
  }
  for (const NetworkTasks& network : ofFiles)
    if (!held.contains(network.name)) story.networks.push_back(sharing.sum(network, false));
  std::erase_if(story.networks,
                [](const DataShare& share) { return share.tasks == 0 && !share.heldOut; });
}

} // namespace

DataStory readDataStory(const DataChoice& choice, const std::function<void()>& check) {
  DataStory story;
  story.choice = choice;
  try {
    const std::vector<RecordStore> files = openFiles(choice);
    const std::vector<NetworkTasks> ofFiles = networksOf(files);
    story.knownTargets = targetsOf(files);
    story.knownNetworks = networkNames(ofFiles);
    const std::vector<NetworkTasks> heldOut = networkTasks(choice.holdOut, files);
    if (check) check();
    const RecordedData data =
        readData(files, choice, {.threads = 1, .features = false, .goOn = [&](double) {
                                   if (check) check();
                                   return true;
                                 }});
    if (check) check();
    tell(story, data, partsOf(data, choice, heldOut), ofFiles, heldOut);
  } catch (const InputError& error) {
    story.unreadable = error.what();
  }
  return story;
}

} // namespace nestwright
