#include "core/session/network_measurer.h"
#include "core/support/error.h"

#include <cstring>
#include <numeric>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr const char* kKinds[] = {"build_networks", "network_outputs", "measure_networks"};

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
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
  if (count < 0 || size > bytes.size() - offset) throw InputError("an array is cut short");
  std::vector<T> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), bytes.data() + offset, size);
  offset += size;
  return values;
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
  for (const json& item : frame.header.at("arrays")) {
    Array array{item.at("shape").get<Shape>(), {}};
    const std::int64_t count = elementCount(array.shape);
    if (item.at("float").get<bool>())
      array.data = taken<float>(frame.payload, offset, count);
    else
      array.data = taken<std::int64_t>(frame.payload, offset, count);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Frame toFrame(const NetworkWork& work) {
  json networks = json::array();
  for (const NetworkPrograms& programs : work.networks)
    networks.push_back(toJson(programs));
  Frame frame{{{"type", kKinds[static_cast<int>(work.kind)]},
               {"network", work.network},
               {"threads", work.threads},
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
  const auto kind = std::ranges::find(kKinds, type);
  if (kind == std::end(kKinds))
    throw InputError(fmt::format("this worker does not know the request '{}'", type));
  NetworkWork work;
  work.kind = static_cast<NetworkWork::Kind>(kind - std::begin(kKinds));
  work.network = header.at("network");
  work.threads = header.at("threads");
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
