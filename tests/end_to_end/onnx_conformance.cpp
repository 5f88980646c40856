// Runs the ONNX project's backend node tests through import and naive execution, each in a process
// of its own, and counts what passed, failed and lies outside what the importer is for.

#include "core/execute/network_runner.h"
#include "core/network/onnx/onnx_import.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/onnx_reference/onnx_reference.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/tensor/half.h"

#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

using namespace nestwright;

namespace {

constexpr const char* kDefaultFolder = "/usr/share/libonnx-testdata/data/node";
constexpr int kSkipped = 77;           // CTest: the data is not installed
constexpr std::size_t kPromised = 766; // cases that have to pass
constexpr unsigned kSecondsPerCase = 60;

constexpr const char* kHelp = R"(test_onnx_conformance [--list] [--data FOLDER] [NAME-PART...]

Runs every case of the ONNX backend node tests (Debian: libonnx-testdata) that is in scope: the model
is imported, partitioned for a CPU, run as its naive programs, and its outputs are compared with the
expected ones (1e-3 relative); so are those of the second opinion (run --check=onnx). --list prints every case. Exit code 0: no case in scope failed.

In scope is every case whose tensors are float32, float16, bfloat16, bool or integers of up to 64 bits,
uint64 left out, and whose operators are all importable; `nestwright networks --onnx` lists these. Out
of scope:
  types       float64, uint64 and strings as inputs or outputs
  results     in bfloat16, which ONNX 1.12 made by cutting bits off, where we round to the nearest
  sequences   and optional values
  control     If, Loop, Scan
  training    optimisers, batch normalisation and dropout in training mode
  data        whose result's shape depends on values: NonZero, Unique, Compress, NonMaxSuppression
  scattering  MaxUnpool
  others      BitShift, GridSample, RoiAlign, Det, DFT, STFT, inverse trigonometric functions,
              random numbers, text
)";

/// What the importer was promised to know; a name that goes missing fails the run.
constexpr const char* kRequired[] = {"Conv",
                                     "ConvTranspose",
                                     "Gemm",
                                     "MatMul",
                                     "MaxPool",
                                     "AveragePool",
                                     "GlobalAveragePool",
                                     "GlobalMaxPool",
                                     "BatchNormalization",
                                     "LayerNormalization",
                                     "InstanceNormalization",
                                     "LRN",
                                     "Softmax",
                                     "LogSoftmax",
                                     "Relu",
                                     "LeakyRelu",
                                     "PRelu",
                                     "Elu",
                                     "Selu",
                                     "Celu",
                                     "HardSwish",
                                     "HardSigmoid",
                                     "Sigmoid",
                                     "Tanh",
                                     "Erf",
                                     "Clip",
                                     "Pow",
                                     "Softplus",
                                     "Softsign",
                                     "Add",
                                     "Sub",
                                     "Mul",
                                     "Div",
                                     "Mod",
                                     "Neg",
                                     "Abs",
                                     "Sqrt",
                                     "Exp",
                                     "Log",
                                     "Floor",
                                     "Ceil",
                                     "Round",
                                     "Sign",
                                     "Reciprocal",
                                     "Min",
                                     "Max",
                                     "Sum",
                                     "Mean",
                                     "Equal",
                                     "Less",
                                     "LessOrEqual",
                                     "Greater",
                                     "GreaterOrEqual",
                                     "And",
                                     "Or",
                                     "Xor",
                                     "Not",
                                     "Where",
                                     "ReduceSum",
                                     "ReduceMean",
                                     "ReduceMax",
                                     "ReduceMin",
                                     "ReduceProd",
                                     "ReduceL1",
                                     "ReduceL2",
                                     "ReduceLogSum",
                                     "ReduceLogSumExp",
                                     "ReduceSumSquare",
                                     "ArgMax",
                                     "ArgMin",
                                     "Concat",
                                     "Split",
                                     "Slice",
                                     "Pad",
                                     "Gather",
                                     "GatherElements",
                                     "GatherND",
                                     "ScatterElements",
                                     "ScatterND",
                                     "TopK",
                                     "Einsum",
                                     "LSTM",
                                     "GRU",
                                     "RNN",
                                     "Reshape",
                                     "Flatten",
                                     "Transpose",
                                     "Squeeze",
                                     "Unsqueeze",
                                     "Expand",
                                     "Tile",
                                     "Resize",
                                     "Upsample",
                                     "DepthToSpace",
                                     "SpaceToDepth",
                                     "Cast",
                                     "Constant",
                                     "ConstantOfShape",
                                     "Shape",
                                     "Range",
                                     "Identity",
                                     "Dropout",
                                     "QuantizeLinear",
                                     "DequantizeLinear",
                                     "DynamicQuantizeLinear",
                                     "ConvInteger",
                                     "MatMulInteger",
                                     "QLinearConv",
                                     "QLinearMatMul"};

using std::filesystem::path;

onnx::ModelProto readModel(const path& folder) {
  onnx::ModelProto model;
  std::ifstream file(folder / "model.onnx", std::ios::binary);
  if (!model.ParseFromIstream(&file))
    throw InputError(fmt::format("{}: no model", folder.string()));
  return model;
}

std::string typeReason(const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type()) return "sequence or optional";
  switch (value.type().tensor_type().elem_type()) {
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
  case onnx::TensorProto::INT64:
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT32:
  case onnx::TensorProto::UINT16:
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return {};
  default:
    return "type " + onnx::TensorProto::DataType_Name(value.type().tensor_type().elem_type());
  }
}

bool isTraining(const onnx::NodeProto& node) {
  if (node.op_type() == "Dropout") return node.input_size() > 2;
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.name() == "training_mode" && attribute.i() != 0) return true;
  return false;
}

/// Why a case is out of scope; empty when it is in.
std::string outOfScope(const onnx::ModelProto& model) {
  static const std::vector<std::string> kNames = importableOperators();
  static const std::set<std::string> kKnown(kNames.begin(), kNames.end());
  for (const auto* values : {&model.graph().input(), &model.graph().output()})
    for (const onnx::ValueInfoProto& value : *values)
      if (const std::string reason = typeReason(value); !reason.empty()) return reason;
  for (const onnx::ValueInfoProto& value : model.graph().output())
    if (value.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16)
      return "bfloat16 that was cut, not rounded";
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (!kKnown.contains(node.op_type()) || !node.domain().empty())
      return "operator " + node.op_type();
    if (isTraining(node)) return "training";
  }
  return {};
}

using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

/// The data of bfloat16 are written as their bits, in uint16.
Array asDeclared(Array values, const onnx::ValueInfoProto& value) {
  if (value.type().tensor_type().elem_type() != onnx::TensorProto::BFLOAT16 || values.isFloat())
    return values;
  std::vector<float> floats;
  for (const std::int64_t bits : values.ints())
    floats.push_back(fromBFloat16(static_cast<std::uint16_t>(bits)));
  return {values.shape, std::move(floats)};
}

std::vector<Array> readTensors(const path& folder, const char* kind, const Values& declared) {
  std::vector<Array> arrays;
  for (int i = 0;; ++i) {
    const path file = folder / fmt::format("{}_{}.pb", kind, i);
    if (!std::filesystem::exists(file)) return arrays;
    arrays.push_back(asDeclared(readTensorFile(file), declared.at(i)));
  }
}

bool isClose(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-6 + 1e-3 * std::abs(b);
}

/// What differs; empty when nothing does.
std::string difference(const Array& actual, const Array& expected) {
  if (actual.shape != expected.shape)
    return fmt::format("shape [{}], expected [{}]", fmt::join(actual.shape, ","),
                       fmt::join(expected.shape, ","));
  if (actual.isFloat() != expected.isFloat()) return "another type";
  const auto at = [](const Array& array, std::size_t i) {
    return array.isFloat() ? array.floats()[i] : static_cast<double>(array.ints()[i]);
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(elementCount(actual.shape)); ++i)
    if (!isClose(at(actual, i), at(expected, i)))
      return fmt::format("element {} is {}, expected {}", i, at(actual, i), at(expected, i));
  return {};
}

/// What differs between the outputs and the expected ones; empty when nothing does.
std::string firstDifference(const std::vector<Array>& actual, const std::vector<Array>& expected) {
  if (actual.size() != expected.size())
    return fmt::format("{} outputs, expected {}", actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (const std::string text = difference(actual[i], expected[i]); !text.empty())
      return fmt::format("output {}: {}", i, text);
  return {};
}

/// Runs the case on all its data. What is wrong; empty when nothing is.
std::string runCase(const path& folder) {
  const onnx::ModelProto model = readModel(folder);
  for (int set = 0; std::filesystem::exists(folder / fmt::format("test_data_set_{}", set)); ++set) {
    const path data = folder / fmt::format("test_data_set_{}", set);
    const std::vector<Array> inputs = readTensors(data, "input", model.graph().input());
    const std::vector<Array> expected = readTensors(data, "output", model.graph().output());
    ImportOptions options;
    for (int i = 0; i < model.graph().input_size(); ++i)
      options.inputs[model.graph().input(i).name()] = inputs.at(static_cast<std::size_t>(i));
    const Partition parts = optimisedPartition(importOnnx(folder / "model.onnx", options));
    BuiltNetwork built = buildNaive(parts);
    if (std::string text = firstDifference(execute(built.executor, inputs), expected);
        !text.empty())
      return text;
    if (const std::string text =
            firstDifference(runOnnxReference(folder / "model.onnx", inputs), expected);
        !text.empty())
      return "second opinion: " + text;
  }
  return {};
}

/// A case running in a child process, which writes what is wrong into a pipe.
struct Child {
  pid_t process = -1;
  int pipe = -1;
  std::string name;
};

[[noreturn]] void runInChild(const path& folder, int pipe) {
  alarm(kSecondsPerCase);
  std::string text;
  try {
    text = runCase(folder);
  } catch (const std::exception& error) {
    text = fmt::format("refused: {}", error.what());
  }
  text.resize(std::min<std::size_t>(text.size(), 2000)); // fits the pipe
  const bool written = write(pipe, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  _exit(text.empty() && written ? 0 : 1);
}

Child start(const path& folder) {
  int ends[2];
  if (pipe(ends) != 0) throw SystemError("no pipe");
  std::fflush(stdout);
  const pid_t process = fork();
  if (process < 0) throw SystemError("no process");
  if (process == 0) runInChild(folder, ends[1]);
  close(ends[1]);
  return {process, ends[0], folder.filename().string()};
}

/// What is wrong; empty when the case passed.
std::string finish(const Child& child, int status) {
  std::string text(4096, '\0');
  const ssize_t length = read(child.pipe, text.data(), text.size());
  close(child.pipe);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  if (WIFSIGNALED(status))
    return fmt::format("stopped by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? std::string() : text.empty() ? "failed" : text;
}

struct Tally {
  std::vector<std::string> passed;
  std::map<std::string, std::string> failed;           // by name
  std::map<std::string, std::vector<std::string>> out; // by reason
};

/// Waits for any child and books its result.
void collect(std::vector<Child>& running, Tally& tally) {
  int status = 0;
  const pid_t process = wait(&status);
  const auto child = std::find_if(running.begin(), running.end(),
                                  [process](const Child& c) { return c.process == process; });
  if (child == running.end()) throw SystemError("a process got lost");
  const std::string wrong = finish(*child, status);
  if (wrong.empty())
    tally.passed.push_back(child->name);
  else
    tally.failed[child->name] = wrong;
  running.erase(child);
}

Tally runAll(const path& data, const std::vector<std::string>& wanted) {
  std::vector<path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string name = entry.path().filename().string();
    const bool chosen =
        wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](auto& part) {
          return name.find(part) != std::string::npos;
        });
    if (chosen && std::filesystem::exists(entry.path() / "model.onnx"))
      folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  const auto limit = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  Tally tally;
  std::vector<Child> running;
  for (const path& folder : folders) {
    if (const std::string reason = outOfScope(readModel(folder)); !reason.empty()) {
      tally.out[reason].push_back(folder.filename().string());
      continue;
    }
    if (running.size() == limit) collect(running, tally);
    running.push_back(start(folder));
  }
  while (!running.empty())
    collect(running, tally);
  return tally;
}

int report(Tally& tally, bool list, bool complete) {
  if (list) {
    std::sort(tally.passed.begin(), tally.passed.end());
    for (const std::string& name : tally.passed)
      fmt::print("passed        {}\n", name);
  }
  std::size_t out = 0;
  for (const auto& [reason, names] : tally.out) {
    out += names.size();
    fmt::print("out of scope  {:4}  {}\n", names.size(), reason);
    for (const std::string& name : names)
      if (list) fmt::print("                    {}\n", name);
  }
  for (const auto& [name, wrong] : tally.failed)
    fmt::print("FAILED        {}: {}\n", name, wrong);
  fmt::print("{} passed, {} failed, {} out of scope\n", tally.passed.size(), tally.failed.size(),
             out);
  const std::vector<std::string> known = importableOperators();
  for (const char* name : kRequired)
    if (!std::binary_search(known.begin(), known.end(), name)) {
      fmt::print("FAILED        the operator {} cannot be imported\n", name);
      return 1;
    }
  const bool enough = !complete || tally.passed.size() >= kPromised;
  if (!enough) fmt::print("FAILED        at least {} cases have to pass\n", kPromised);
  return tally.failed.empty() && enough ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  path data = kDefaultFolder;
  bool list = false;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      fmt::print("{}", kHelp);
      return 0;
    }
    if (argument == "--list")
      list = true;
    else if (argument == "--data" && i + 1 < argc)
      data = argv[++i];
    else
      wanted.push_back(argument);
  }
  if (!std::filesystem::is_directory(data)) {
    fmt::print("{} does not exist; install libonnx-testdata\n", data.string());
    return kSkipped;
  }
  try {
    backend("llvm"); // loaded once, for all children
    Tally tally = runAll(data, wanted);
    return report(tally, list, wanted.empty());
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}
