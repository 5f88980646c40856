#include "core/network/graph/workloads.h"

#include "core/network/graph/named.h"
#include "core/network/graph/operators.h"
#include "core/network/graph/winograd.h"
#include "core/support/error.h"
#include "core/tensor/check_bounds.h"

namespace nestwright {

namespace {

using Values = std::map<std::string, std::int64_t>;

/// A workload's description and the function that builds its output operator.
struct Entry {
  WorkloadInfo info;
  Op (*build)(const Values&);
};

ParameterInfo extent(const char* name, std::int64_t byDefault, const char* meaning) {
  return {name, byDefault, meaning};
}

ParameterInfo flag(const char* name, const char* meaning) {
  return {name, 0, meaning, 0, 1};
}

std::vector<ParameterInfo> operator+(std::vector<ParameterInfo> a,
                                     const std::vector<ParameterInfo>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::vector<ParameterInfo> kEpilogue = {flag("bias", "1: add a value per output channel"),
                                              flag("relu", "1: clip negative results")};

const std::vector<ParameterInfo> kHalfTypes = {
    {"bf16", 0, "1: bfloat16 tensors, sums in float32", 0, 1, true},
    {"fp16", 0, "1: float16 tensors, sums in float32", 0, 1, true}};

const std::vector<ParameterInfo> kByteTypes = {
    {"int8", 0, "1: data of uint8, weights of int8, sums and results in int32", 0, 1, true}};

const std::vector<ParameterInfo> kWindow = {extent("k", 3, "kernel extent on every spatial axis"),
                                            extent("s", 1, "stride"),
                                            {"p", 1, "padding on both sides", 0}};

bool isInt8(const Values& v) {
  const auto found = v.find("int8"); // only products have it
  return found != v.end() && found->second != 0;
}

/// Of results, and of inputs that are no factors.
DataType typeOf(const Values& v) {
  if (v.at("bf16") + v.at("fp16") + (isInt8(v) ? 1 : 0) > 1)
    throw InputError("a tensor is of bfloat16, of float16 or of 8 bits; leave out all but one of "
                     "bf16=1, fp16=1 and int8=1");
  if (isInt8(v)) return kInt32;
  return v.at("bf16") != 0 ? kBFloat16 : v.at("fp16") != 0 ? kFloat16 : kFloat32;
}

/// An input of the type that was asked for.
Op input(const char* name, Shape shape, const Values& v) {
  return placeholder(name, std::move(shape), typeOf(v));
}

/// The factors of a product.
Op data(const char* name, Shape shape, const Values& v) {
  return placeholder(name, std::move(shape), isInt8(v) ? kUInt8 : typeOf(v));
}
Op weight(const char* name, Shape shape, const Values& v) {
  return placeholder(name, std::move(shape), isInt8(v) ? kInt8 : typeOf(v));
}

/// bias (one value per channel, shaped to broadcast) and ReLU, where asked for, and the type.
Op withEpilogue(Op x, const Values& v) {
  if (v.at("bias") != 0) {
    Shape shape(x->output->shape.size(), 1);
    shape.back() = x->output->shape.back();
    x = add(x, input("bias", shape, v));
  }
  return toType(v.at("relu") != 0 ? relu(x) : x, typeOf(v));
}

void checkWindow(const Window& window, const Shape& spatial) {
  for (std::size_t a = 0; a < spatial.size(); ++a)
    if (window.outputs(a, spatial[a]) < 1)
      throw InputError(
          fmt::format("a kernel that spans {} elements does not fit into an input of {} "
                      "with padding {}; make the padding or the input larger",
                      window.span(a), spatial[a], window.padsBefore[a]));
}

Op buildConvolution(const Shape& spatial, const Values& v, std::int64_t groups,
                    std::int64_t dilation) {
  const int rank = static_cast<int>(spatial.size());
  const Window window = Window::square(rank, v.at("k"), v.at("s"), v.at("p"), dilation);
  checkWindow(window, spatial);
  const std::int64_t in = v.at("ci"), out = v.at("co");
  if (in % groups != 0 || out % groups != 0)
    throw InputError(fmt::format("{} groups do not divide ci={} and co={}", groups, in, out));
  Shape dataShape{v.at("n")};
  dataShape.insert(dataShape.end(), spatial.begin(), spatial.end());
  dataShape.push_back(in);
  Shape kernelShape = window.kernel;
  if (groups == in && groups > 1 && rank == 2)
    kernelShape.insert(kernelShape.end(), {in, out / in});
  else
    kernelShape.insert(kernelShape.end(), {in / groups, out});
  return withEpilogue(convolution(data("data", dataShape, v), weight("kernel", kernelShape, v),
                                  window, groups, TensorLayout::ChannelsLast),
                      v);
}

Op buildMatmul(const Values& v) {
  const Op a = data("A", {v.at("m"), v.at("k")}, v);
  const Op b = weight("B", {v.at("k"), v.at("n")}, v);
  return withEpilogue(dense(a, b, v.at("const_b") != 0), v);
}

Op buildBatchMatmul(const Values& v) {
  const std::int64_t b = v.at("b"), m = v.at("m"), n = v.at("n"), k = v.at("k");
  const bool transposed = v.at("nt") != 0;
  const Op y = weight("Y", transposed ? Shape{b, n, k} : Shape{b, k, n}, v);
  return toType(batchMatmul(data("X", {b, m, k}, v), y, transposed), typeOf(v));
}

Op buildConv2d(const Values& v);

Op buildConv1d(const Values& v) {
  return buildConvolution({v.at("l")}, v, 1, 1);
}

/// The same by Winograd's filtering; the kernel is given transformed.
Op buildWinograd(const Values& v, WinogradTile tile) {
  const Window window = Window::square(2, v.at("k"), v.at("s"), v.at("p"));
  checkWindow(window, {v.at("h"), v.at("w")});
  if (!fitsWinograd(window, 1, TensorLayout::ChannelsLast))
    throw InputError(
        "Winograd's filtering is for kernels of 3x3 with stride 1: leave out winograd");
  if (typeOf(v) != kFloat32)
    throw InputError("Winograd's filtering rounds too much for 16 bits: leave out winograd");
  Values direct = v;
  direct["winograd"] = 0;
  const std::string definition = workloadHash(ComputeDag::fromOutputs({buildConv2d(direct)}));
  const Shape kernel = winogradKernelShape({3, 3, v.at("ci"), v.at("co")}, tile);
  return withEpilogue(
      winogradConvolution(input("data", {v.at("n"), v.at("h"), v.at("w"), v.at("ci")}, v),
                          input("kernel", kernel, v), window, tile, true, definition),
      v);
}

Op buildConv2d(const Values& v) {
  switch (v.at("winograd")) {
  case 0:
    return buildConvolution({v.at("h"), v.at("w")}, v, 1, 1);
  case 2:
    return buildWinograd(v, WinogradTile::Two);
  case 4:
    return buildWinograd(v, WinogradTile::Four);
  default:
    throw InputError("Winograd's filtering makes tiles of 2x2 or of 4x4 results: winograd is 2 or "
                     "4, or left out");
  }
}

Op buildConv3d(const Values& v) {
  return buildConvolution({v.at("d"), v.at("h"), v.at("w")}, v, 1, 1);
}

Op buildDepthwise(const Values& v) {
  Values channels = v;
  channels["ci"] = v.at("c");
  channels["co"] = v.at("c");
  return buildConvolution({v.at("h"), v.at("w")}, channels, v.at("c"), 1);
}

Op buildGrouped(const Values& v) {
  return buildConvolution({v.at("h"), v.at("w")}, v, v.at("g"), v.at("dil"));
}

Op buildDilated(const Values& v) {
  return buildConvolution({v.at("h"), v.at("w")}, v, 1, v.at("dil"));
}

Op buildTransposed(const Values& v) {
  const std::int64_t k = v.at("k"), s = v.at("s"), p = v.at("p");
  if (p >= k)
    throw InputError(fmt::format("a transposed convolution needs a padding below the kernel; p={}, "
                                 "k={}",
                                 p, k));
  for (const char* side : {"h", "w"})
    if ((v.at(side) - 1) * s - 2 * p + k < 1)
      throw InputError(
          fmt::format("{}={} leaves no output with k={}, s={}, p={}", side, v.at(side), k, s, p));
  return withEpilogue(
      transposedConvolution(data("data", {v.at("n"), v.at("h"), v.at("w"), v.at("ci")}, v),
                            weight("kernel", {k, k, v.at("ci"), v.at("co")}, v),
                            Window::square(2, k, s, p), 1, TensorLayout::ChannelsLast),
      v);
}

Op buildSoftmax(const Values& v) {
  return toType(softmax(input("A", {v.at("m"), v.at("n")}, v)), typeOf(v));
}

/// sqrt of the sum of squares of each batch element's matrix.
Op buildNorm(const Values& v) {
  const Op a = input("A", {v.at("b"), v.at("m"), v.at("n")}, v);
  const Op squares = reduce("C", Reducer::Sum, {v.at("b")}, {{"i", v.at("m")}, {"j", v.at("n")}},
                            [&](const std::vector<Expr>& i, const std::vector<Expr>& r) {
                              const Expr element = widened(read(a, {i[0], r[0], r[1]}));
                              return element * element;
                            },
                            {"b"});
  const Op norm = compute(
      "D", {v.at("b")},
      [&](const std::vector<Expr>& i) { return call(Intrinsic::Sqrt, {read(squares, i)}); }, {"b"});
  return toType(norm, typeOf(v));
}

std::vector<ParameterInfo> convParameters(const std::vector<ParameterInfo>& spatial,
                                          std::int64_t in, std::int64_t out) {
  return std::vector<ParameterInfo>{extent("n", 1, "batch")} + spatial +
         std::vector<ParameterInfo>{extent("ci", in, "input channels"),
                                    extent("co", out, "output channels")} +
         kWindow;
}

ParameterInfo height(std::int64_t value) {
  return extent("h", value, "input height");
}
ParameterInfo width(std::int64_t value) {
  return extent("w", value, "input width");
}

/// The window's parameters with other defaults.
std::vector<ParameterInfo> window(std::int64_t k, std::int64_t s, std::int64_t p) {
  std::vector<ParameterInfo> result = kWindow;
  result[0].byDefault = k;
  result[1].byDefault = s;
  result[2].byDefault = p;
  return result;
}

/// All operators, without what every one of them takes.
std::vector<Entry> plainEntries() {
  const std::vector<ParameterInfo> mnk = {extent("m", 512, "rows"), extent("n", 512, "columns"),
                                          extent("k", 512, "summed extent")};
  const std::vector<ParameterInfo> batch = {extent("n", 1, "batch")};
  return {
      {{"matmul", "C[m,n] = A[m,k] B[k,n]",
        mnk + kEpilogue +
            std::vector<ParameterInfo>{{"const_b", 1,
                                        "0: B changes between runs, so it is not packed beforehand",
                                        0, 1, true}}},
       buildMatmul},
      {{"batch_matmul", "one matrix product per batch element",
        std::vector<ParameterInfo>{extent("b", 12, "batch"), extent("m", 128, "rows"),
                                   extent("n", 128, "columns"), extent("k", 64, "summed extent"),
                                   flag("nt", "1: the right matrix is stored as [n,k]")}},
       buildBatchMatmul},
      {{"conv1d", "1-d convolution, channels last",
        convParameters({extent("l", 256, "input length")}, 64, 128) + kEpilogue},
       buildConv1d},
      {{"conv2d", "2-d convolution, NHWC",
        convParameters({height(56), width(56)}, 64, 64) + kEpilogue +
            std::vector<ParameterInfo>{{"winograd", 0,
                                        "2 or 4: by Winograd's filtering, in tiles of so many "
                                        "results on a side; the kernel is given transformed",
                                        0, 4, true}}},
       buildConv2d},
      {{"conv3d", "3-d convolution, NDHWC",
        convParameters({extent("d", 16, "input depth"), height(14), width(14)}, 256, 256) +
            kEpilogue},
       buildConv3d},
      {{"depthwise_conv2d", "2-d convolution of each channel by itself, NHWC",
        batch + std::vector<ParameterInfo>{height(112), width(112), extent("c", 32, "channels")} +
            kWindow + kEpilogue},
       buildDepthwise},
      {{"grouped_conv2d", "2-d convolution within groups of channels, NHWC",
        convParameters({height(56), width(56)}, 64, 128) +
            std::vector<ParameterInfo>{extent("dil", 1, "dilation"), extent("g", 4, "groups")} +
            kEpilogue},
       buildGrouped},
      {{"dilated_conv2d", "2-d convolution with a spread kernel, NHWC",
        convParameters({height(14), width(14)}, 256, 256) +
            std::vector<ParameterInfo>{extent("dil", 2, "dilation")} + kEpilogue},
       buildDilated},
      {{"transposed_conv2d", "2-d transposed convolution, NHWC",
        batch +
            std::vector<ParameterInfo>{height(4), width(4), extent("ci", 512, "input channels"),
                                       extent("co", 256, "output channels")} +
            window(4, 2, 1) + kEpilogue},
       buildTransposed},
      {{"softmax",
        "softmax of each row",
        {extent("m", 512, "rows"), extent("n", 512, "row length")}},
       buildSoftmax},
      {{"norm",
        "Euclidean norm of each batch element",
        {extent("b", 1, "batch"), extent("m", 256, "rows"), extent("n", 256, "columns")}},
       buildNorm},
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = [] {
    std::vector<Entry> all = plainEntries();
    for (Entry& entry : all) {
      const bool isProduct = entry.info.name != "softmax" && entry.info.name != "norm";
      entry.info.parameters = entry.info.parameters + kHalfTypes;
      if (isProduct) entry.info.parameters = entry.info.parameters + kByteTypes;
    }
    return all;
  }();
  return kEntries;
}

} // namespace

const std::vector<WorkloadInfo>& workloads() {
  static const std::vector<WorkloadInfo> kInfos = infosOf(entries());
  return kInfos;
}

bool isTaskSpec(std::string_view text) {
  return findNamed(entries(), text.substr(0, text.find(':'))) != nullptr;
}

Workload parseTaskSpec(std::string_view text) {
  const Spec spec = parseSpec(text);
  const Entry* entry = findNamed(entries(), spec.name);
  if (!entry) {
    throw InputError(fmt::format("'{}' is no operator; there are: {}", spec.name,
                                 fmt::join(namesOf(workloads()), ", ")));
  }
  const Values values = resolveParameters(spec, entry->info.parameters);
  try {
    Workload workload{specText(spec.name, entry->info.parameters, values),
                      ComputeDag::fromOutputs({entry->build(values)})};
    checkBounds(workload.dag);
    return workload;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", text, error.what()));
  }
}

std::vector<Workload> alternativesOf(const Workload& workload) {
  const Spec spec = parseSpec(workload.text);
  const Entry* entry = findNamed(entries(), spec.name);
  if (!entry || entry->build != buildConv2d) return {};
  const Values values = resolveParameters(spec, entry->info.parameters);
  if (values.at("k") != 3 || values.at("s") != 1 || values.at("winograd") != 0 ||
      typeOf(values) != kFloat32)
    return {};
  std::vector<Workload> found;
  for (const int tile : {2, 4})
    found.push_back(parseTaskSpec(fmt::format("{},winograd={}", workload.text, tile)));
  return found;
}

} // namespace nestwright
