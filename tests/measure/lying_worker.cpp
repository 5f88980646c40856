/// A worker that keeps to the protocol until it is asked about a program whose output is named
/// after a lie; from then on nothing that it says is true, so that whoever keeps it will notice.
/// With an argument it lies when it says hello: "always" at every start, else only at the first.
///
/// It compiles and runs nothing: times follow from the program's steps.
#include "core/measure/protocol.h"
#include "core/support/hash.h"
#include "core/tensor/text.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

using namespace nestwright;
using nlohmann::json;

namespace {

void write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written <= 0) std::_Exit(0); // nobody listens any more
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write(const Frame& frame) {
  write(encode(frame));
}

std::string littleEndian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// A frame's first bytes, whatever follows.
std::string prefix(std::uint64_t headerBytes, std::uint64_t payloadBytes) {
  return "NWF1" + littleEndian(headerBytes, 4) + littleEndian(payloadBytes, 8);
}

/// The text in place of a field's value, where JSON's own types cannot say it.
std::string withText(const Frame& frame, const char* field, const std::string& text) {
  Frame marked = frame;
  marked.header[field] = "MARK";
  std::string header = marked.header.dump();
  header.replace(header.find("\"MARK\""), 6, text);
  return prefix(header.size(), frame.payload.size()) + header +
         std::string(frame.payload.begin(), frame.payload.end());
}

using Lie = std::function<void(Frame answer)>;

/// Says the answer with another value in a field; null takes the field away.
Lie instead(const char* field, json value) {
  return [field, value = std::move(value)](Frame answer) {
    answer.header[field] = value;
    if (value.is_null()) answer.header.erase(field);
    write(answer);
  };
}

Lie inArtifact(const char* field, json value) {
  return [field, value = std::move(value)](Frame answer) {
    answer.header["artifact"][field] = value;
    write(answer);
  };
}

Lie failing(json verdict, json error, json step = -1) {
  return [=](const Frame& answer) {
    Frame failed = failedFrame(Verdict::RunError, "x", -1, 0);
    failed.header["verdict"] = verdict;
    failed.header["error"] = error;
    failed.header["failing_step"] = step;
    failed.header["request"] = answer.header["request"];
    failed.header["resident_bytes"] = 0;
    write(failed);
  };
}

/// By the stage that they belong to: the answer to "build", "load", "run" or "check".
const std::map<std::string, Lie>& lies() {
  static const std::map<std::string, Lie> all = {
      {"run_zero", instead("seconds", {0.0, 0.0, 0.0})},
      {"run_negative", instead("seconds", {-1e-3})},
      {"run_one_negative", instead("seconds", {1e-3, -1e-3, 1e-3})},
      {"run_empty", instead("seconds", json::array())},
      {"run_missing", instead("seconds", nullptr)},
      {"run_text", instead("seconds", "fast")},
      {"run_texts", instead("seconds", {"1e-3", true})},
      {"run_infinite", [](const Frame& answer) { write(withText(answer, "seconds", "[1e999]")); }},
      {"run_nan", [](const Frame& answer) { write(withText(answer, "seconds", "[NaN]")); }},
      {"run_null", [](const Frame& answer) { write(withText(answer, "seconds", "[null]")); }},
      {"run_four", instead("seconds", {1e-3, 1e-3, 1e-3, 1e-3})},
      {"run_millions",
       [](Frame answer) {
         answer.header["seconds"] = std::vector<double>(5'000'000, 1e-3);
         write(answer);
       }},
      {"run_no_runs", instead("runs_per_repeat", 0)},
      {"run_many_runs", instead("runs_per_repeat", 1ll << 40)},
      {"run_warmups", instead("warmups", -1)},
      {"run_stopped", instead("stopped", "steady")},
      {"run_kernel_time", instead("kernel_seconds", -0.5)},
      {"run_failed_well", failing("ok", "nothing")},
      {"run_cancelled", failing("cancelled", "I stopped")},
      {"run_slow", failing("slow", "too slow")},
      {"run_no_reason", failing("run error", "")},
      {"run_list_reason", failing("run error", {"a", "b"})},
      {"run_step", failing("run error", "why", "first")},
      {"run_long_reason",
       [](Frame answer) { failing("run error", std::string(50 << 20, 'x'))(std::move(answer)); }},
      {"run_resident", instead("resident_bytes", "much")},
      {"run_resident_negative", instead("resident_bytes", -5)},
      {"run_resident_missing", instead("resident_bytes", nullptr)},
      {"run_type", instead("type", 7)},
      {"run_other_type", instead("type", "built")},
      {"run_no_type", instead("type", nullptr)},
      {"run_no_number", instead("request", nullptr)},
      {"run_number_text", instead("request", "1")},
      {"run_other_number",
       [](Frame answer) {
         answer.header["request"] = answer.header["request"].get<std::int64_t>() - 1;
         write(answer);
       }},
      {"run_twice", [](const Frame& answer) { write(encode(answer) + encode(answer)); }},
      {"load_twice", [](const Frame& answer) { write(encode(answer) + encode(answer)); }},
      {"run_payload", [](const Frame&) { write(prefix(2, 4ull << 30) + "{}"); }},
      {"run_header", [](const Frame&) { write(prefix(0xffffffff, 0)); }},
      {"run_endless",
       [](const Frame& answer) {
         write(answer);
         for (const std::string piece(1 << 20, 'x');;)
           write(piece);
       }},
      {"run_banner", [](const Frame&) { write("Segmentation fault\n"); }},
      {"run_list", [](const Frame&) { write(prefix(2, 0) + "[]"); }},
      {"run_deep", [](const Frame&) { write(prefix(1 << 20, 0) + std::string(1 << 20, '[')); }},
      {"load_ran", instead("type", "ran")},
      {"build_time", instead("seconds", -1)},
      {"build_no_artifact", instead("artifact", nullptr)},
      {"build_list", instead("artifact", {1, 2})},
      {"build_entry", inArtifact("entry", 5)},
      {"build_workspace", inArtifact("workspace_bytes", -1)},
      {"build_large_workspace", inArtifact("thread_workspace_bytes", 1ll << 62)},
      {"build_parameters", inArtifact("parameter_bytes", {-4, 1e300})},
      {"build_inputs", inArtifact("input_count", 9)},
      {"build_layouts", inArtifact("layouts", json::array({json::object()}))},
      {"build_layout_part",
       inArtifact("layouts",
                  json::array({{{"shape", {4}}, {"axes", {"i"}}, {"parts", {{9, 4, 1}}}}}))},
      {"build_code",
       [](Frame answer) {
         answer.payload.resize(65 << 20);
         write(answer);
       }},
      {"check_agrees", instead("agrees", 1)},
      {"check_error", instead("max_relative_error", -1)},
      {"check_contradiction", instead("error", "differs")},
      {"check_ran", instead("type", "ran")},
  };
  return all;
}

/// The program at hand, as far as this worker knows it.
struct Program {
  std::string name;
  double seconds = 1e-3;
};

Program programOf(const BuildWork& work) {
  if (work.naive) return {"naive", 1e-2};
  const std::uint64_t hash = hash64(recordText(toJson(work.steps)));
  return {parseDag(work.dag).outputs().front()->output->name,
          1e-3 * (1 + static_cast<double>(hash % 1000) / 1000)};
}

KernelArtifact artifactOf(const Program& program) {
  KernelArtifact artifact;
  artifact.entry = program.name;
  artifact.code.resize(1000);
  artifact.workspaceBytes = static_cast<std::int64_t>(program.seconds * 1e9);
  artifact.parameterBytes = {64, 64};
  artifact.inputCount = 1;
  return artifact;
}

Program programIn(const KernelArtifact& artifact) {
  return {artifact.entry, static_cast<double>(artifact.workspaceBytes) * 1e-9};
}

Frame honestAnswer(const std::string& type, Frame&& request, Program& program) {
  if (type == "build") {
    program = programOf(buildWork(request));
    return builtFrame(artifactOf(program), 1e-3);
  }
  if (type == "load") {
    program = programIn(loadWork(std::move(request)).artifact);
    return loadedFrame();
  }
  if (type == "run") {
    Timing timing;
    timing.seconds.assign(static_cast<std::size_t>(runWork(request).timing.repeats),
                          program.seconds);
    return ranFrame(timing);
  }
  CheckOutcome outcome;
  outcome.agrees = true;
  return checkedFrame(outcome);
}

void sayHello(const std::string& lie, bool always) {
  const char* folder = std::getenv("NESTWRIGHT_TEST_FOLDER");
  const std::filesystem::path mark = std::filesystem::path(folder ? folder : "/nonexistent") / lie;
  Frame hello = helloFrame();
  if (!lie.empty() && (always || !std::filesystem::exists(mark))) {
    std::ofstream(mark) << "said";
    if (lie == "type") hello.header["type"] = 5;
    if (lie == "greeting") hello.header["type"] = "good morning";
    if (lie == "protocol") hello.header["protocol"] = "three";
    if (lie == "no_protocol") hello.header.erase("protocol");
    if (lie == "error") hello.header["error"] = 42;
    if (lie == "payload") return write(prefix(2, 1) + "{}x");
  }
  write(hello);
}

} // namespace

int main(int argc, char** argv) {
  sayHello(argc > 1 ? argv[1] : "", argc > 2);
  FrameReader reader(kRequestLimits);
  Program program;
  bool lied = false;
  std::array<char, 1 << 16> chunk;
  for (ssize_t got = 0; (got = ::read(STDIN_FILENO, chunk.data(), chunk.size())) > 0;) {
    reader.append({chunk.data(), static_cast<std::size_t>(got)});
    while (std::optional<Frame> request = reader.next()) {
      const std::int64_t number = requestNumber(*request);
      const std::string type = typeOf(*request);
      Frame answer = honestAnswer(type, std::move(*request), program);
      setRequestNumber(answer, number);
      answer.header["resident_bytes"] = 1 << 20;
      const auto lie = lies().find(program.name);
      if (lied) {
        write(failedFrame(Verdict::RunError, "nobody should ask me any more", -1, 0));
      } else if (lie != lies().end() && program.name.starts_with(type + "_")) {
        lied = true;
        lie->second(std::move(answer));
      } else {
        write(answer);
      }
    }
  }
  return 0;
}
