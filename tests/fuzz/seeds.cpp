#include "core/execute/network_measurer.h"
#include "core/measure/protocol.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "core/support/run_command.h"
#include "core/tensor/text.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/raw_database.h"
#include "tests/fuzz/wire.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace nestwright::fuzz {

namespace {

namespace fs = std::filesystem;

/// Files below the folder with one of these endings, in the order of their names.
std::vector<fs::path> filesBelow(const fs::path& folder, const std::vector<std::string>& endings,
                                 std::size_t most = 1000) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && std::ranges::count(endings, entry.path().extension().string()))
      files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.size() > most) files.resize(most);
  return files;
}

/// Runs a command, which must succeed; what it printed lies in `folder`/out.
void runSeed(std::vector<std::string> words, const fs::path& folder, const fs::path& input = {}) {
  const Command command{std::move(words), input, {"OMP_WAIT_POLICY=passive"}};
  Limits limits;
  limits.seconds = 300;
  const Outcome outcome = runConfined(command, folder, limits);
  if (outcome.exitCode != 0)
    throw SystemError(
        fmt::format("making a seed failed: {}\n{}", shellText(command), outcome.printed));
}

void make(const fs::path& nestwright, std::vector<std::string> words, const fs::path& folder,
          const fs::path& input = {}) {
  words.insert(words.begin(), nestwright);
  runSeed(std::move(words), folder, input);
}

/// Two small networks, one with code for two processors.
std::vector<fs::path> libraries(const fs::path& nestwright, const fs::path& data,
                                const fs::path& folder) {
  std::vector<fs::path> made;
  for (const auto& [name, processors] :
       {std::pair("one", "x86-64-v2"), std::pair("two", "x86-64-v2,x86-64-v3")}) {
    make(nestwright,
         {"deploy", (data / "onnx/torch_resnet.onnx").string(), "--name", "net", "--allow-naive",
          "--threads", "serial", "--cpu", processors, "-o", name},
         folder);
    made.push_back(folder / name);
    runSeed({findProgram("cc"), "main.c", "libnet.a", "-lm", "-o", "main"}, made.back());
    fs::remove(made.back() / "libnet.a"); // what is not there is told
  }
  return made;
}

std::vector<std::string> dagTexts() {
  std::vector<std::string> texts;
  for (const char* spec :
       {"matmul:m=16,n=16,k=16", "conv2d:n=1,h=8,w=8,ci=4,co=4,k=3,s=1,p=1,relu=1",
        "depthwise_conv2d:n=1,h=8,w=8,c=4,k=3,s=2,p=1", "softmax:m=8,n=16", "norm:m=8,n=16",
        "transposed_conv2d:n=1,h=4,w=4,ci=4,co=4,k=4,s=2,p=1"})
    texts.push_back(print(parseTaskSpec(spec).dag));
  return texts;
}

/// Requests are counted, so that answers can be told apart.
std::vector<Frame> numbered(std::vector<Frame> requests) {
  int number = 0;
  for (Frame& request : requests)
    request.header["request"] = ++number;
  return requests;
}

/// What a session asks of a worker for one program: the code in it was built here.
std::vector<Frame> programRequests(const fs::path& nestwright, const fs::path& folder) {
  WorkLimits limits;
  limits.seconds = 1;
  limits.memoryBytes = 256 << 20;
  limits.threads = 1;
  BuildWork build;
  build.limits = limits;
  build.dag = print(parseTaskSpec(kSubject).dag);
  build.naive = true;
  writeBytes(folder / "requests", encode(numbered({toFrame(build)}).front()));
  make(nestwright, {"worker"}, folder, folder / "requests");
  std::string answers = bytesOf(folder / "out");
  std::optional<Frame> hello = takeFrame(answers), built = takeFrame(answers);
  if (!hello || !built || typeOf(*built) != "built")
    throw SystemError("making a seed failed: the worker builds no naive program");
  TimingOptions timing;
  timing.minRepeatSeconds = 1e-4;
  timing.maxTotalSeconds = 1e-2;
  return numbered(
      {toFrame(build),
       toFrame(LoadWork{limits, "", build.dag, 1, builtAnswer(std::move(*built)).artifact}),
       toFrame(RunWork{limits, timing, true}), toFrame(CheckWork{limits, {}})});
}

std::vector<Frame> networkRequests(const fs::path& data) {
  NetworkWork work;
  work.network = data / "onnx/elementwise.onnx";
  work.threads = 1;
  work.latency = {1, 2, 0.1};
  NetworkWork naive = work, measured = work;
  naive.kind = measured.kind = NetworkWork::Kind::Outputs;
  naive.naive = true;
  measured.kind = NetworkWork::Kind::Measure;
  work.networks = measured.networks = {NetworkPrograms{}};
  return numbered({toFrame(work), toFrame(naive), toFrame(measured)});
}

} // namespace

std::string bytesOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw SystemError("cannot read " + file.string());
  std::stringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

void writeBytes(const fs::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw SystemError("cannot write " + file.string());
}

Seeds makeSeeds(const fs::path& nestwright, const fs::path& data, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder / "master");
  Seeds seeds;
  seeds.nestwright = nestwright;
  seeds.plugins = nestwright.parent_path().parent_path() / "plugins";
  // A program starts the worker that lies beside it under this name.
  seeds.master = folder / "master/tuner";
  fs::copy_file(nestwright, seeds.master);
  fs::copy_file(fs::read_symlink("/proc/self/exe"), folder / "master/nestwright");

  make(nestwright,
       {"tune", kSubject, "--db", "tuned.nwdb", "--trials", std::to_string(kTrials),
        "--trials-per-round", "8", "--policy", "evolutionary", "--warmup", "8", "--threads", "1",
        "--seed", "1", "--repeats", "1"},
       folder);
  // When it is resumed, the next program comes soon.
  RawDatabase(folder / "tuned.nwdb")
      .run("UPDATE session SET config = json_set(config, '$.population', 64, '$.generations', 1)");
  seeds.tuned = bytesOf(folder / "tuned.nwdb");
  for (const fs::path& file : filesBelow(data, {".nwdb"}))
    seeds.documents.push_back(bytesOf(file));
  make(nestwright, {"import", "imported.nwdb", (data / "logs").string(), "--no-zoo"}, folder);
  seeds.documents.push_back(bytesOf(folder / "imported.nwdb"));

  for (const fs::path& file : filesBelow(data / "logs", {".json", ".log"}))
    seeds.logs.push_back(bytesOf(file));
  constexpr std::size_t kNodeTests = 250;
  for (const fs::path& file : filesBelow(data / "onnx", {".onnx"}))
    seeds.networks.push_back(bytesOf(file));
  for (const fs::path& file :
       filesBelow("/usr/share/libonnx-testdata/data/node", {".onnx"}, kNodeTests))
    seeds.networks.push_back(bytesOf(file));
  seeds.dags = dagTexts();
  seeds.libraries = libraries(nestwright, data, folder);
  seeds.requests = programRequests(nestwright, folder);
  seeds.networkRequests = networkRequests(data);
  return seeds;
}

} // namespace nestwright::fuzz
