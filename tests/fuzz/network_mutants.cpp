#include "tests/fuzz/message_mutation.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/mutation.h"

#include <onnx/onnx_pb.h>
#include <sys/stat.h>

namespace nestwright::fuzz {

namespace {

namespace fs = std::filesystem;

std::string mutatedNetwork(const std::string& bytes, const std::string& other,
                           const std::string& marker, Random& random) {
  onnx::ModelProto model;
  if (random.below(3) == 0 || !model.ParseFromString(bytes))
    return mutatedBytes(bytes, other, random);
  alterMessage(model, marker, random);
  return model.SerializeAsString();
}

} // namespace

std::vector<Command> networkMutant(const Seeds& seeds, const Site& site, Random& random) {
  const std::string file = "mutant.onnx";
  writeBytes(site.folder / file, mutatedNetwork(random.pick(seeds.networks),
                                                random.pick(seeds.networks), site.marker, random));
  // What a model with external data may name beside itself.
  mkfifo((site.folder / "pipe").c_str(), S_IRUSR | S_IWUSR);
  std::error_code ignored;
  fs::create_symlink("/etc/passwd", site.folder / "link", ignored);
  const std::vector<std::vector<std::string>> uses = {{"tasks", file},
                                                      {"tasks", file, "--all"},
                                                      {"tasks", file, "--dags"},
                                                      {"tasks", file, "--graph"},
                                                      {"tasks", file, "--json", "--all"},
                                                      {"subgraphs", file, "--json"},
                                                      {"subgraphs", file, "-o", "subgraphs"}};
  std::vector<std::string> words = random.pick(uses);
  words.insert(words.begin(), seeds.nestwright);
  return {{std::move(words), {}}};
}

std::vector<Command> dagMutant(const Seeds& seeds, const Site& site, Random& random) {
  const std::string file = "mutant.dag";
  writeBytes(site.folder / file, mutatedText(random.pick(seeds.dags), site.marker, random));
  std::vector<Command> commands = {{{seeds.nestwright, "sketches", file}, {}}};
  constexpr std::uint64_t kTuned = 6; // one in so many
  if (random.below(kTuned) == 0) {
    commands.push_back({{seeds.nestwright, "tune", file, "--db", "own.nwdb", "--trials", "1",
                         "--policy", "random", "--build-timeout", "5", "--run-timeout", "2"},
                        {}});
    commands.back().interruptAfter = 4; // its extents may be such that it runs for days
  }
  return commands;
}

} // namespace nestwright::fuzz
