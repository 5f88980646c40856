#include "core/support/openmp.h"
#include "tests/bench/peers.h"

#include <dnnl.hpp>
#include <fmt/format.h>

namespace nestwright::bench {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

using Type = dnnl::memory::data_type;
constexpr auto kType = Type::f32;

/// Of the left factor, of the weights, and of the result and what is added to it.
struct Types {
  Type data = kType, weights = kType, result = kType;
};

Types typesOf(FactorType type) {
  switch (type) {
  case FactorType::BFloat16:
    return {Type::bf16, Type::bf16, Type::bf16};
  case FactorType::Int8:
    return {Type::u8, Type::s8, Type::s32};
  case FactorType::Float32:
    break;
  }
  return {};
}

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// The tensor at `data`, in the layout that the primitive asks for: copied if it is another.
dnnl::memory inLayout(void* data, const Desc& given, const Desc& wanted) {
  dnnl::memory source(given, engine(), data);
  if (given == wanted) return source;
  dnnl::memory result(wanted, engine());
  dnnl::stream stream(engine());
  dnnl::reorder(source, result).execute(stream, source, result);
  stream.wait();
  return result;
}

using Arguments = std::unordered_map<int, dnnl::memory>;

/// A contender that executes the primitive with one set of arguments per input set.
template <class Primitive, class Descriptor>
Contender contender(const Descriptor& descriptor, std::vector<Arguments> arguments, int threads) {
  struct Prepared {
    Primitive primitive;
    dnnl::stream stream;
    std::vector<Arguments> arguments;
  };
  auto prepared = std::make_shared<Prepared>(
      Prepared{Primitive(descriptor), dnnl::stream(engine()), std::move(arguments)});
  return {"oneDNN", descriptor.impl_info_str(),
          [prepared, threads](std::size_t set) {
            omp_set_num_threads(threads);
            prepared->primitive.execute(prepared->stream, prepared->arguments[set]);
            prepared->stream.wait();
          },
          [prepared](std::size_t set) {
            return prepared->arguments[set].at(DNNL_ARG_DST).get_data_handle();
          },
          std::string_view(descriptor.impl_info_str()).starts_with("ref")};
}

/// Arguments with a source and a result for every input set; `more` adds to each.
template <class Descriptor>
std::vector<Arguments>
argumentsOf(const InputSets& inputs, const Descriptor& descriptor, const std::string& source,
            const std::function<void(std::size_t, Arguments&)>& more = nullptr) {
  std::vector<Arguments> all(inputs.size());
  for (std::size_t set = 0; set < inputs.size(); ++set) {
    all[set].emplace(DNNL_ARG_SRC,
                     dnnl::memory(descriptor.src_desc(), engine(), inputs.data(set, source)));
    all[set].emplace(DNNL_ARG_DST, dnnl::memory(descriptor.dst_desc(), engine()));
    if (more) more(set, all[set]);
  }
  return all;
}

} // namespace

std::string oneDnnText() {
  const dnnl::version_t* v = dnnl::version();
  return fmt::format("oneDNN {}.{}.{}", v->major, v->minor, v->patch);
}

bool oneDnnHas(FactorType type) {
  const int needed = static_cast<int>(dnnl::cpu_isa::avx512_core);
  return type != FactorType::BFloat16 ||
         (static_cast<int>(dnnl::get_effective_cpu_isa()) & needed) == needed;
}

Contender oneDnnMatmul(const InputSets& inputs, const MatmulShape& shape, int threads) {
  omp_set_num_threads(threads);
  const bool batched = shape.batch > 1;
  const auto dims = [&](std::int64_t rows, std::int64_t columns) {
    return batched ? Dims{shape.batch, rows, columns} : Dims{rows, columns};
  };
  const Tag plain = batched ? Tag::abc : Tag::ab;
  const Types types = typesOf(shape.type);
  const Desc weights(dims(shape.k, shape.n), types.weights, plain);
  const Desc wanted(dims(shape.k, shape.n), types.weights,
                    shape.constantWeights ? Tag::any : plain);
  const dnnl::matmul::primitive_desc descriptor(
      dnnl::matmul::desc(Desc(dims(shape.m, shape.k), types.data, plain), wanted,
                         Desc(dims(shape.m, shape.n), types.result, plain)),
      engine());
  return contender<dnnl::matmul>(
      descriptor,
      argumentsOf(inputs, descriptor, batched ? "X" : "A",
                  [&](std::size_t set, Arguments& arguments) {
                    void* data = inputs.data(set, batched ? "Y" : "B");
                    arguments.emplace(DNNL_ARG_WEIGHTS,
                                      inLayout(data, weights, descriptor.weights_desc()));
                  }),
      threads);
}

Contender oneDnnInnerProduct(const InputSets& inputs, const MatmulShape& shape, int threads) {
  omp_set_num_threads(threads);
  const Types types = typesOf(shape.type);
  const Desc weights({shape.n, shape.k}, types.weights, Tag::ba);
  const dnnl::inner_product_forward::primitive_desc descriptor(
      dnnl::inner_product_forward::desc(dnnl::prop_kind::forward_inference,
                                        Desc({shape.m, shape.k}, types.data, Tag::ab),
                                        Desc({shape.n, shape.k}, types.weights, Tag::any),
                                        Desc({shape.m, shape.n}, types.result, Tag::ab)),
      engine());
  return contender<dnnl::inner_product_forward>(
      descriptor,
      argumentsOf(inputs, descriptor, "A",
                  [&](std::size_t set, Arguments& arguments) {
                    arguments.emplace(DNNL_ARG_WEIGHTS, inLayout(inputs.data(set, "B"), weights,
                                                                 descriptor.weights_desc()));
                  }),
      threads);
}

Contender oneDnnConv(const InputSets& inputs, const ConvShape& shape, int threads) {
  omp_set_num_threads(threads);
  const std::int64_t pad = shape.kernel / 2, k = shape.kernel;
  const Dims dims =
      shape.depthwise ? Dims{shape.outputs, 1, 1, k, k} : Dims{shape.outputs, shape.inputs, k, k};
  const Types types = typesOf(shape.type);
  const Desc weights(dims, types.weights, shape.depthwise ? Tag::hwigo : Tag::hwio);
  const Desc data({1, shape.inputs, shape.size, shape.size}, types.data, Tag::nhwc);
  const Desc result({1, shape.outputs, shape.size, shape.size}, types.result, Tag::nhwc);
  const Desc bias = shape.biasAndRelu ? Desc({shape.outputs}, types.result, Tag::x) : Desc();
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, data,
      Desc(dims, types.weights, Tag::any), bias, result, {1, 1}, {pad, pad}, {pad, pad});
  dnnl::primitive_attr attributes;
  dnnl::post_ops operations;
  if (shape.biasAndRelu) operations.append_eltwise(1.f, dnnl::algorithm::eltwise_relu, 0.f, 0.f);
  attributes.set_post_ops(operations);
  const dnnl::convolution_forward::primitive_desc descriptor(desc, attributes, engine());
  return contender<dnnl::convolution_forward>(
      descriptor,
      argumentsOf(inputs, descriptor, "data",
                  [&](std::size_t set, Arguments& arguments) {
                    arguments.emplace(
                        DNNL_ARG_WEIGHTS,
                        inLayout(inputs.data(set, "kernel"), weights, descriptor.weights_desc()));
                    if (shape.biasAndRelu)
                      arguments.emplace(DNNL_ARG_BIAS,
                                        dnnl::memory(bias, engine(), inputs.data(set, "bias")));
                  }),
      threads);
}

Contender oneDnnSoftmax(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                        int threads) {
  omp_set_num_threads(threads);
  const dnnl::softmax_forward::primitive_desc descriptor(
      dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference,
                                  Desc({rows, columns}, kType, Tag::ab), 1),
      engine());
  return contender<dnnl::softmax_forward>(descriptor, argumentsOf(inputs, descriptor, "A"),
                                          threads);
}

Contender oneDnnNorm(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                     int threads) {
  omp_set_num_threads(threads);
  const dnnl::reduction::primitive_desc descriptor(
      dnnl::reduction::desc(dnnl::algorithm::reduction_norm_lp_sum,
                            Desc({rows, columns}, kType, Tag::ab), Desc({rows, 1}, kType, Tag::ab),
                            2.f, 0.f),
      engine());
  return contender<dnnl::reduction>(descriptor, argumentsOf(inputs, descriptor, "A"), threads);
}

Contender oneDnnNormByMatmul(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                             int threads) {
  omp_set_num_threads(threads);
  const Desc column({rows, columns, 1}, kType, Tag::abc);
  dnnl::primitive_attr attributes;
  dnnl::post_ops operations;
  operations.append_eltwise(1.f, dnnl::algorithm::eltwise_sqrt, 0.f, 0.f);
  attributes.set_post_ops(operations);
  const dnnl::matmul::primitive_desc descriptor(
      dnnl::matmul::desc(Desc({rows, 1, columns}, kType, Tag::abc), column,
                         Desc({rows, 1, 1}, kType, Tag::abc)),
      attributes, engine());
  Contender result = contender<dnnl::matmul>(
      descriptor,
      argumentsOf(inputs, descriptor, "A",
                  [&](std::size_t set, Arguments& arguments) {
                    arguments.emplace(DNNL_ARG_WEIGHTS,
                                      dnnl::memory(column, engine(), inputs.input(set, "A")));
                  }),
      threads);
  result.standIn = true;
  return result;
}

} // namespace nestwright::bench
