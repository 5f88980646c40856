#include "tests/bench/peer_onednn.h"

#include <dnnl.hpp>
#include <omp.h>

#include <cstring>

namespace nestwright::bench {
namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::memory ones(const Desc& desc) {
  dnnl::memory memory(desc, engine());
  auto* data = static_cast<float*>(memory.get_data_handle());
  std::fill_n(data, desc.get_size() / sizeof(float), 1.f);
  return memory;
}

template <class Primitive, class Descriptor>
std::function<void()> runner(const Descriptor& primitive) {
  return [run = Primitive(primitive), stream = dnnl::stream(engine()),
          source = ones(primitive.src_desc()), weights = ones(primitive.weights_desc()),
          result = ones(primitive.dst_desc())]() mutable {
    run.execute(stream,
                {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}});
    stream.wait();
  };
}

} // namespace

std::function<void()> oneDnnMatmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  omp_set_num_threads(1);
  const auto type = dnnl::memory::data_type::f32;
  const dnnl::matmul::desc desc(Desc({m, k}, type, Tag::ab), Desc({k, n}, type, Tag::ab),
                                Desc({m, n}, type, Tag::ab));
  return runner<dnnl::matmul>(dnnl::matmul::primitive_desc(desc, engine()));
}

std::function<void()> oneDnnConv2d(std::int64_t size, std::int64_t inputs, std::int64_t outputs,
                                   std::int64_t kernel) {
  omp_set_num_threads(1);
  const auto type = dnnl::memory::data_type::f32;
  const std::int64_t pad = kernel / 2;
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      Desc({1, inputs, size, size}, type, Tag::nhwc),
      Desc({outputs, inputs, kernel, kernel}, type, Tag::any),
      Desc({1, outputs, size, size}, type, Tag::nhwc), {1, 1}, {pad, pad}, {pad, pad});
  return runner<dnnl::convolution_forward>(
      dnnl::convolution_forward::primitive_desc(desc, engine()));
}

} // namespace nestwright::bench
