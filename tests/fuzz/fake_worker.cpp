#include "tests/fuzz/fake_worker.h"

#include "core/measure/protocol.h"
#include "core/measure/worker.h"
#include "core/support/error.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace nestwright::fuzz {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// How many workers of this session have started before: each has random numbers of its own.
std::uint64_t startedBefore() {
  const int file = open("started", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0 || write(file, "x", 1) != 1) return 0;
  const off_t size = lseek(file, 0, SEEK_CUR);
  close(file);
  return static_cast<std::uint64_t>(size);
}

Frame goodAnswer(Frame&& request) {
  const std::string type = typeOf(request);
  if (type == "build") {
    KernelArtifact artifact;
    artifact.entry = "kernel";
    artifact.inputCount = 2;
    artifact.parameterBytes = {256, 256, 256};
    artifact.layouts.resize(2);
    artifact.code.resize(100, 0x90);
    return builtFrame(std::move(artifact), 0.001);
  }
  if (type == "run") {
    Timing timing;
    timing.seconds = {2e-6, 1e-6, 3e-6};
    timing.kernelSeconds = 1e-3;
    return ranFrame(timing);
  }
  if (type == "check") {
    CheckOutcome outcome;
    outcome.agrees = true;
    return checkedFrame(outcome);
  }
  return {{{"type", "loaded"}}, {}};
}

/// Writes as much as the session takes; false when it takes no more.
bool send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A frame that announces as much as the length holds, and comes.
void sendWithoutEnd(Random& random) {
  std::string bytes = encode({{{"type", "ran"}}, {}});
  for (std::size_t i = 8; i < 12; ++i)
    bytes[i] = static_cast<char>(random.below(256));
  const std::string block(1 << 20, ' ');
  for (int i = 0; i < 5000 && send(bytes); ++i)
    bytes = block;
}

/// Sends the answer, damaged or not; whether it was damaged.
bool pass(const Frame& answer, const std::string& marker, Random& random) {
  Frame changed = answer;
  switch (random.below(24)) {
  case 0:
  case 1:
  case 2:
    changed.header = mutatedJson(answer.header, marker, random);
    send(encode(changed));
    return true;
  case 3: {
    const std::string wire = encode(answer);
    send(mutatedBytes(wire, wire, random));
    return true;
  }
  case 4: // one too many
    send(encode(answer) + encode(answer));
    return true;
  case 5:
    if (random.below(8) == 0) sendWithoutEnd(random);
    return true;
  default:
    send(encode(answer));
    return false;
  }
}

/// What the worker writes to `answers` goes on to the session. A session that waits for the rest of
/// a damaged answer would wait for its time-out: the worker ends soon afterwards.
void passAll(int answers, Random& random) {
  const std::string marker = variable("MUTATE_MARKER");
  std::string arrived;
  std::array<char, 64 << 10> chunk;
  constexpr int kSoonMilliseconds = 300, kForEver = -1;
  bool damaged = false;
  for (;;) {
    while (const std::optional<Frame> answer = takeFrame(arrived))
      damaged = pass(*answer, marker, random) || damaged;
    pollfd watched{answers, POLLIN, 0};
    if (poll(&watched, 1, damaged ? kSoonMilliseconds : kForEver) <= 0) return;
    const ssize_t got = ::read(answers, chunk.data(), chunk.size());
    if (got <= 0) return;
    arrived.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

} // namespace

int beFakeWorker() {
  Random random = Random::stream(std::strtoull(variable("MUTATE_SEED").c_str(), nullptr, 10),
                                 "answers", startedBefore());
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return 1;
  const pid_t worker = fork();
  if (worker < 0) return 1;
  if (worker == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    return serveRequests([] { return goodAnswer; });
  }
  close(ends[1]);
  passAll(ends[0], random);
  return 0; // the other process ends with its pipe
}

} // namespace nestwright::fuzz
