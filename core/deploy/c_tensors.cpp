#include "core/deploy/c_glue_parts.h"
#include "core/deploy/template_text.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr const char* kTensors = R"(
/* The tensors of a run. */
enum { ARENA, CONSTANT, INPUT };
struct buffer {
  unsigned place;
  uint64_t offset, bytes; /* inputs: of their copies */
};
/* Tensors of the interface; `direct`: a kernel may write where the caller wants it. */
struct port {
  unsigned buffer, direct;
};
static const char *const input_names[] = {@INPUT_NAMES@}, *const output_names[] = {@OUTPUT_NAMES@};
enum { INPUT_COUNT = @INPUT_COUNT@, OUTPUT_COUNT = @OUTPUT_COUNT@ };
)";

constexpr const char* kChecks =
    R"(static int overlap(const unsigned char *a, uint64_t a_bytes, const unsigned char *b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

static int check_arrays(const @NAME@_instance *instance, const void *const *from, void *const *to) {
  if (!instance) return failed(@NAME@_ERROR_ARGUMENT, "@NAME@ has no instance to run");
  const struct buffer *const buffers = instance->variant->buffers;
  const struct port *const inputs = instance->variant->inputs, *const outputs = instance->variant->outputs;
  for (unsigned i = 0; i < INPUT_COUNT; ++i)
    if (!from[i]) return failed(@NAME@_ERROR_ARGUMENT, "the input %s of @NAME@ is NULL", input_names[i]);
  for (unsigned o = 0; o < OUTPUT_COUNT; ++o) {
    if (!to[o]) return failed(@NAME@_ERROR_ARGUMENT, "the output %s of @NAME@ is NULL", output_names[o]);
    const uint64_t bytes = buffers[outputs[o].buffer].bytes;
    for (unsigned i = 0; i < INPUT_COUNT; ++i)
      if (overlap(from[i], buffers[inputs[i].buffer].bytes, to[o], bytes))
        return failed(@NAME@_ERROR_ARGUMENT, "the input %s and the output %s of @NAME@ overlap",
                      input_names[i], output_names[o]);
    for (unsigned p = 0; p < o; ++p)
      if (overlap(to[p], buffers[outputs[p].buffer].bytes, to[o], bytes))
        return failed(@NAME@_ERROR_ARGUMENT, "the outputs %s and %s of @NAME@ overlap",
                      output_names[p], output_names[o]);
  }
  return @NAME@_OK;
}
)";

} // namespace

std::string bufferRows(const ExecutionPlan& plan, const std::vector<std::int64_t>& constants,
                       std::int64_t alignment, std::int64_t& inputBytes) {
  std::string rows;
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlannedBuffer& buffer = plan.buffers[b];
    const char* place = "ARENA";
    std::int64_t offset = buffer.offset;
    if (buffer.place == PlannedBuffer::Place::Constant) {
      place = "CONSTANT";
      offset = constants[b];
    } else if (buffer.place == PlannedBuffer::Place::Input) {
      place = "INPUT";
      offset = inputBytes;
      inputBytes += (buffer.bytes + alignment - 1) / alignment * alignment;
    }
    rows += fmt::format("  {{{}, {}, {}}},\n", place, offset, buffer.bytes);
  }
  return rows;
}

std::string inputPorts(const ExecutionPlan& plan) {
  std::vector<std::string> ports;
  for (const int buffer : plan.inputs)
    ports.push_back(fmt::format("{{{}, 1}}", buffer));
  return cList(ports);
}

std::string outputPorts(const ExecutionPlan& plan) {
  std::vector<std::string> ports;
  std::vector<int> seen;
  for (const int buffer : plan.outputs) {
    const bool own =
        plan.buffers[static_cast<std::size_t>(buffer)].place == PlannedBuffer::Place::Arena &&
        std::ranges::find(seen, buffer) == seen.end();
    seen.push_back(buffer);
    ports.push_back(fmt::format("{{{}, {}}}", buffer, own ? 1 : 0));
  }
  return cList(ports);
}

void addTensors(const Library& library, std::map<std::string, std::string>& values) {
  const auto add = [&](const char* kind, const char* array,
                       const std::vector<LibraryTensor>& tensors) {
    std::vector<std::string> names, quoted;
    for (const LibraryTensor& tensor : tensors) {
      names.push_back(tensor.name);
      quoted.push_back(fmt::format("\"{}\"", tensor.name));
    }
    values[array] = cList(names);
    values[fmt::format("{}_NAMES", kind)] = cList(quoted);
    values[fmt::format("{}_COUNT", kind)] = fmt::format("{}", tensors.size());
  };
  add("INPUT", "FROM", library.inputs);
  add("OUTPUT", "TO", library.outputs);
  values["TENSORS"] = filled(kTensors, values);
  values["CHECKS"] = filled(kChecks, values);
}

} // namespace nestwright
