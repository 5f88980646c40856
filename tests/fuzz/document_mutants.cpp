#include "tests/fuzz/document_mutation.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/mutation.h"

namespace nestwright::fuzz {

namespace {

constexpr const char* kFile = "mutant.nwdb";

Command ours(const Seeds& seeds, std::vector<std::string> words) {
  words.insert(words.begin(), seeds.nestwright);
  return {std::move(words), {}};
}

std::string anyRecord(Random& random) {
  return std::to_string(1 + random.below(kTrials));
}

/// Goes on with the tuned document's session for a trial.
Command resume(const Seeds& seeds) {
  Command command = ours(seeds, {"tune", kSubject, "--db", kFile, "--resume", "--trials",
                                 std::to_string(kTrials + 1)});
  command.interruptAfter = 8; // settings may ask for hours, as long as they can be interrupted
  return command;
}

/// One of what is asked of a document more rarely.
Command rareUse(const Seeds& seeds, Random& random) {
  const std::string record = anyRecord(random);
  const std::vector<std::vector<std::string>> uses = {
      {"db", "stats", kFile},
      {"db", "compact", kFile},
      {"db", "compact", "--rebuild", kFile},
      {"db", "merge", "--output", "merged.nwdb", kFile},
      {"db", "split", kFile, "--by", "target", "--output", "split"},
      {"import", "own.nwdb", kFile},
      {"query", "--db", kFile, "--statistics"},
      {"query", "--db", kFile, "--group-by", "task"},
      {"query", "--db", kFile, "--facets"},
      {"query", "--db", kFile, "--lines", "--limit", "0"},
      {"query", "--db", kFile, "--sql", "SELECT * FROM record", "--time-limit", "3"},
      {"show", record, "--db", kFile, "--features", "--ir"},
      {"show", record, "--db", kFile, "--explain"},
      {"show", "1", "--db", kFile, "--diff", record},
      {"export", kFile, "--format", "csv", "--output", "-"}};
  return ours(seeds, random.pick(uses));
}

} // namespace

std::vector<Command> documentMutant(const Seeds& seeds, const Site& site, Random& random) {
  const bool tuned = random.below(3) == 0;
  const std::filesystem::path file = site.folder / kFile;
  const std::string& seed = tuned ? seeds.tuned : random.pick(seeds.documents);
  bool settings = false;
  if (random.below(3) == 0) {
    writeBytes(file, mutatedBytes(seed, random.pick(seeds.documents), random));
  } else {
    writeBytes(file, seed);
    settings = tuned && random.below(2) == 0;
    if (settings)
      alterSettings(file, site.marker, random);
    else
      alterDocument(file, site.marker, random);
  }
  std::vector<Command> commands = {
      ours(seeds, {"db", "check", kFile}), ours(seeds, {"query", "--db", kFile, "--limit", "5"}),
      ours(seeds, {"show", anyRecord(random), "--db", kFile}),
      ours(seeds, {"export", kFile, "--output", "-"}), rareUse(seeds, random)};
  if (settings || (tuned && random.below(4) == 0)) commands.push_back(resume(seeds));
  return commands;
}

std::vector<Command> modelMutant(const Seeds& seeds, const Site& site, Random& random) {
  const std::filesystem::path file = site.folder / kFile;
  writeBytes(file, seeds.tuned);
  alterModels(file, site.marker, random);
  std::vector<Command> commands = {
      ours(seeds, {"show", anyRecord(random), "--db", kFile, "--explain"})};
  if (random.below(4) == 0) commands.push_back(ours(seeds, {"db", "check", kFile}));
  if (random.below(4) == 0) commands.push_back(resume(seeds));
  return commands;
}

} // namespace nestwright::fuzz
