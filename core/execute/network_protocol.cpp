#include "core/execute/network_measurer.h"
#include "core/measure/protocol.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/worker/frame_fields.h"

#include <algorithm>
#include <cstring>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr const char* kDone = "done";
constexpr NameTable<NetworkWork::Kind, 3> kWorkKinds = {
    {"build_networks", "network_outputs", "measure_networks"}};

json toJson(const NetworkPrograms& programs) {
  json list = json::array();
  for (const NetworkProgram& program : programs)
    list.push_back({{"position", program.position},
                    {"program", program.program},
                    {"steps", nestwright::toJson(program.steps)}});
  return list;
}

NetworkPrograms programsFromJson(const json& list) {
  NetworkPrograms programs;
  for (const json& item : list)
    programs.push_back({item.at("position"), item.at("program"), stepsFromJson(item.at("steps"))});
  return programs;
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), first, first + values.size() * sizeof(T));
}

template <class T>
std::vector<T> taken(const std::vector<std::uint8_t>& bytes, std::size_t& offset,
                     std::int64_t count) {
  if (count < 0 || static_cast<std::size_t>(count) > (bytes.size() - offset) / sizeof(T))
    throw BadFrame("an array is cut short");
  std::vector<T> values(static_cast<std::size_t>(count));
  const std::size_t size = values.size() * sizeof(T);
  if (size > 0) std::memcpy(values.data(), bytes.data() + offset, size); // null is none for it
  offset += size;
  return values;
}

/// How many elements an array of this shape has. Throws BadFrame when it can be none.
std::int64_t elementsOf(const json& shape) {
  std::int64_t elements = 1;
  for (const json& extent : shape) {
    const std::int64_t size = wholeValue(extent, "shape", 0, kMaxElements);
    if (size > 0 && elements > kMaxElements / size) throw BadFrame("an array is too large");
    elements *= size;
  }
  return elements;
}

} // namespace

void attach(Frame& frame, const std::vector<Array>& arrays) {
  json list = json::array();
  for (const Array& array : arrays) {
    list.push_back({{"shape", array.shape}, {"float", array.isFloat()}});
    std::visit([&](const auto& values) { append(frame.payload, values); }, array.data);
  }
  frame.header["arrays"] = std::move(list);
}

std::vector<Array> attachedArrays(const Frame& frame) {
  std::vector<Array> arrays;
  std::size_t offset = 0;
  for (const json& item : listField(frame.header, "arrays")) {
    const json& shape = listField(item, "shape");
    const std::int64_t count = elementsOf(shape);
    Array array{shape.get<Shape>(), {}};
    if (flagField(item, "float"))
      array.data = taken<float>(frame.payload, offset, count);
    else
      array.data = taken<std::int64_t>(frame.payload, offset, count);
    arrays.push_back(std::move(array));
  }
  if (offset != frame.payload.size()) throw BadFrame("there is more than its arrays need");
  return arrays;
}

Frame networkDoneFrame() {
  return {{{"type", kDone}}, {}};
}

void requireNetworkDone(const Frame& frame) {
  if (typeOf(frame) != kDone) throw BadFrame(fmt::format("\"{}\" was expected", kDone));
}

FrameLimits outputsLimits(const std::vector<OutputKind>& expected) {
  FrameLimits limits = kPlainAnswer;
  for (const OutputKind& output : expected)
    limits.payload += static_cast<std::uint64_t>(elementCount(output.shape)) *
                      (output.isFloat ? sizeof(float) : sizeof(std::int64_t));
  return limits;
}

std::vector<Array> networkOutputs(const Frame& frame, const std::vector<OutputKind>& expected) {
  requireNetworkDone(frame);
  std::vector<Array> outputs = attachedArrays(frame);
  const auto fits = [](const Array& array, const OutputKind& kind) {
    return array.shape == kind.shape && array.isFloat() == kind.isFloat;
  };
  if (!std::ranges::equal(outputs, expected, fits))
    throw BadFrame("its outputs are not those of the network");
  return outputs;
}

FrameLimits networkTimesLimits(const NetworkWork& asked) {
  return answerWithNumbers(static_cast<std::int64_t>(asked.networks.size()) * asked.rounds *
                           std::max(1, asked.latency.repeats));
}

Frame networkTimesFrame(const NetworkTimes& seconds) {
  return {{{"type", kDone}, {"seconds", seconds}}, {}};
}

NetworkTimes networkTimes(const Frame& frame, const NetworkWork& asked) {
  requireNetworkDone(frame);
  const auto requireSize = [](const json& list, std::size_t size) {
    if (!list.is_array() || list.size() != size)
      throw BadFrame("\"seconds\" is not what was asked to be timed");
  };
  const json& networks = listField(frame.header, "seconds");
  requireSize(networks, asked.networks.size());
  NetworkTimes times;
  for (const json& rounds : networks) {
    requireSize(rounds, static_cast<std::size_t>(asked.rounds));
    times.emplace_back();
    for (const json& repeats : rounds)
      times.back().push_back(timesIn(repeats, "seconds", 1,
                                     static_cast<std::size_t>(std::max(1, asked.latency.repeats))));
  }
  return times;
}

Frame toFrame(const NetworkWork& work) {
  json networks = json::array();
  for (const NetworkPrograms& programs : work.networks)
    networks.push_back(toJson(programs));
  Frame frame{{{"type", kWorkKinds.of(work.kind)},
               {"network", work.network},
               {"device", work.device},
               {"threads", work.threads},
               {"definitions", work.definitions},
               {"seconds", work.seconds},
               {"input_seed", work.inputSeed},
               {"naive", work.naive},
               {"networks", networks},
               {"rounds", work.rounds},
               {"warmups", work.latency.warmups},
               {"repeats", work.latency.repeats},
               {"max_seconds", work.latency.maxSeconds},
               {"tolerance", work.tolerance}},
              {}};
  attach(frame, work.reference);
  return frame;
}

NetworkWork networkWork(const Frame& frame) {
  const json& header = frame.header;
  const std::string type = header.at("type");
  const auto kind = kWorkKinds.find(type);
  if (!kind) throw InputError(fmt::format("this worker does not know the request '{}'", type));
  NetworkWork work;
  work.kind = *kind;
  work.network = header.at("network");
  work.device = header.at("device");
  work.threads = header.at("threads");
  work.definitions = header.at("definitions").get<std::vector<int>>();
  work.seconds = header.at("seconds");
  work.inputSeed = header.at("input_seed");
  work.naive = header.at("naive");
  for (const json& programs : header.at("networks"))
    work.networks.push_back(programsFromJson(programs));
  work.rounds = header.at("rounds");
  work.latency = {header.at("warmups"), header.at("repeats"), header.at("max_seconds")};
  work.tolerance = header.at("tolerance");
  work.reference = attachedArrays(frame);
  return work;
}

} // namespace nestwright
