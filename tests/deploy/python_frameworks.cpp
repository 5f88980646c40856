/// Deployed libraries called from Python's frameworks, where they are installed: the same answers
/// as `nestwright run`, on the frameworks' own arrays.

#include "core/network/execution/executor.h"
#include "core/network/execution/stored_values.h"
#include "core/network/onnx/tensor_file.h"
#include "core/network/zoo/zoo.h"
#include "tests/deploy/array_bytes.h"
#include "tests/deploy/c_program.h"
#include "tests/deploy/python_with.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::python_frameworks_test {

using namespace deploy_test;

const QString kNetwork = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx");
const QString kHalf = QStringLiteral(NESTWRIGHT_TEST_DATA "/onnx/half_dense.onnx");
const QString kMatmul = QStringLiteral("matmul:m=48,n=64,k=40");

/// What every script begins with: the network's input and what it gives, and what is refused.
const QByteArray kBegin = R"PY(
import sys, threading
sys.path[:0] = ["net", "mm"]

def bytes_of(path):
    with open(path, "rb") as file:
        return bytearray(file.read())

def refused(error, words, call, *arguments):
    try:
        call(*arguments)
    except error as problem:
        assert words in str(problem), problem
    else:
        sys.exit("taken: " + words)

def at_once(call):
    """Of 100 threads, each its number."""
    gate, done = threading.Barrier(100), []
    def work(number):
        gate.wait()
        call(number)
        done.append(number)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 100
)PY";

const QByteArray kTorch = R"PY(
import torch
import net, mm

def read(path, shape):
    return torch.frombuffer(bytes_of(path), dtype=torch.float32).reshape(shape).clone()

x, expected = read("in.bin", net.INPUTS[0][1]), read("expected.bin", net.OUTPUTS[0][1])
assert torch.equal(torch.ops.net.run(x), expected)
with net.Network() as network:
    assert torch.equal(network(x), expected)
    out = torch.empty(net.OUTPUTS[0][1])
    assert network.run(x, out=out) is out and torch.equal(out, expected)

# The library gets the tensors' own memory.
library, seen = net._library, []
class Watched:
    def __getattr__(self, name):
        function = getattr(library, name)
        def watched(*arguments):
            if name == "net_run":
                seen.append([pointer.value for pointer in arguments[1:]])
            return function(*arguments)
        return watched
net._library = Watched()
y = torch.ops.net.run(x)
assert seen == [[x.data_ptr(), y.data_ptr()]], seen
net._library = library

run = torch.ops.net.run
refused(TypeError, "takes float32, not torch.float64", run, x.double())
refused(ValueError, "takes the shape", run, x[..., :1])
refused(ValueError, "is not contiguous", run, x.transpose(2, 3))
refused(ValueError, "requires a gradient", run, x.clone().requires_grad_())
refused(TypeError, "not a PyTorch tensor", mm.mm, torch.ones(48, 40), [1.0])
with torch.no_grad():
    assert torch.equal(run(x.clone().requires_grad_()), expected)
assert run(x.to("meta")).shape == expected.shape
refused(TypeError, "takes float32", run, x.double().to("meta"))

a, b = torch.randn(48, 40), torch.randn(40, 64)
c = torch.ops.mm.run(a, b)
assert torch.allclose(c, a @ b, atol=1e-4)
packed = torch.ops.mm.pack_B(b)
assert packed.dim() == 1 and torch.equal(torch.ops.mm.run(a, packed), c)
assert torch.equal(mm.mm(a, mm.pack("B", b)), c)
odd = torch.empty(48 * 40 + 1)[1:].view(48, 40)
assert odd.data_ptr() % 64 != 0 and torch.equal(torch.ops.mm.run(odd.copy_(a), b), c)
assert torch.ops.mm.pack_B(b.to("meta")).shape == packed.shape
refused(ValueError, "takes the shape", torch.ops.mm.run, a, packed[1:])
refused(ValueError, "what is packed is not the input A",
        mm.mm, mm.pack("B", b), b)

inputs = [torch.randn_like(x) for _ in range(100)]
wanted = [run(each) for each in inputs]
def shared(number):
    assert torch.equal(run(inputs[number]), wanted[number])
def own(number):
    with net.Network(threads=1) as network:
        assert torch.equal(network(inputs[number]), wanted[number])
at_once(shared)
at_once(own)
if hasattr(torch.library, "opcheck"):  # from 2.4 on: what torch.compile and torch.export ask for
    for operator, arguments in ((torch.ops.net.run, (x,)), (torch.ops.mm.run, (a, b))):
        results = torch.library.opcheck(operator.default, arguments)
        assert set(results.values()) == {"SUCCESS"}, results
)PY";

const QByteArray kLateTorch = R"PY(
sys.modules["numpy"] = None
import net
import torch
x = torch.frombuffer(bytes_of("in.bin"), dtype=torch.float32).reshape(net.INPUTS[0][1])
y = net.torch_operator()(x)
expected = torch.frombuffer(bytes_of("expected.bin"), dtype=torch.float32)
assert torch.equal(y.reshape(-1), expected)
refused(TypeError, "not a NumPy array", net.Network(), [1.0])
)PY";

const QByteArray kTvmFfi = R"PY(
import numpy as np
import tvm_ffi

def read(path, shape):
    return np.frombuffer(bytes_of(path), np.float32).reshape(shape)

import json
with open("net/MANIFEST.json") as file:
    manifest = json.load(file)
x = read("in.bin", manifest["inputs"][0]["shape"])
expected = read("expected.bin", manifest["outputs"][0]["shape"])
net, mm = tvm_ffi.load_module("net/libnet.so"), tvm_ffi.load_module("mm/libmm.so")
y = np.empty_like(expected)
assert net.net(x, y) is None and np.array_equal(y, expected)
def run(number):
    mine = np.empty_like(expected)
    net.net(x, mine)
    assert np.array_equal(mine, expected)
at_once(run)
random = np.random.default_rng(1)
a, b = random.random((48, 40), np.float32), random.random((40, 64), np.float32)
c, again, packed = np.empty((48, 64), np.float32), np.empty((48, 64), np.float32), np.empty(40 * 64, np.float32)
mm.mm(a, b, c)
assert np.allclose(c, a @ b, atol=1e-4)
mm.mm_pack_B(b, packed)
mm.mm(a, packed, again)
assert np.array_equal(c, again)
refused(TypeError, "takes 3 tensors", mm.mm, a, b)
refused(TypeError, "the input A of mm is no tensor", mm.mm, 1.0, b, c)
refused(TypeError, "the input B of mm takes float32", mm.mm, a, b.astype(np.float64), c)
refused(ValueError, "the input A of mm takes the shape (48, 40), not (48, 39)", mm.mm, np.ascontiguousarray(a[:, 1:]), b, c)
refused(ValueError, "overlaps", net.net, x, x.reshape(-1)[:expected.size].reshape(expected.shape))
)PY";

const QByteArray kOnnxRuntime = kOnnxSession + R"PY(
def read(path, shape):
    return np.frombuffer(bytes_of(path), np.float32).reshape(shape)

original = session(sys.argv[1])
# Several libraries of ours in one session.
ours = session("net/model.onnx", "net/libnet_onnxruntime.so", "half/libhalf_onnxruntime.so")
described = [[(port.name, port.type, port.shape) for port in ports]
             for one in (original, ours) for ports in (one.get_inputs(), one.get_outputs())]
assert described[:2] == described[2:], described
x = read("in.bin", ours.get_inputs()[0].shape)
name = ours.get_inputs()[0].name
expected = read("expected.bin", ours.get_outputs()[0].shape)
assert np.array_equal(ours.run(None, {name: x})[0], expected)
assert np.allclose(original.run(None, {name: x})[0], expected, rtol=1e-4, atol=1e-4)
def run(number):
    assert np.array_equal(ours.run(None, {name: x})[0], expected)
at_once(run)
refused(Exception, "INVALID_ARGUMENT", ours.run, None, {name: x[..., :1]})
refused(Exception, "is not a registered function/op", session, "net/model.onnx")
# float16 outside, float32 inside.
half = session("half/model.onnx", "half/libhalf_onnxruntime.so")
values = np.array([[-1.5, 0, 2, 3.25]], np.float16)
answer = half.run(None, {"x": values})[0]
weights = np.arange(12).reshape(4, 3) / 4
assert answer.dtype == np.float16 and np.array_equal(answer, (values @ weights).astype(np.float16))
import os
os.rename("net/net.weights", "net/gone")
refused(Exception, "net.weights cannot be opened", session, "net/model.onnx", "net/libnet_onnxruntime.so")
os.rename("net/gone", "net/net.weights")
)PY";

class PythonFrameworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    deployPacked();
    const QString database = file("net.nwdb");
    ProgramResult result = run({"tune", kNetwork, "--trials", "8", "--trials-per-round", "4",
                                "--repeats", "1", "--seed", "1", "--db", database});
    QVERIFY2(result.exitCode == 0, result.errors);
    result = run({"deploy", kNetwork, "--allow-naive", "--db", database, "-o", file("net"),
                  "--name", "net", "--onnxruntime", "--json"});
    QVERIFY2(result.exitCode == 0, result.errors);
    for (const char* name : {"libnet_onnxruntime.so", "model.onnx"})
      QVERIFY(QFile::exists(file("net/") + name));
    QCOMPARE(exportedNames(file("net/libnet_onnxruntime.so")), QStringList("RegisterCustomOps"));
    QCOMPARE(result.json().at("libraries").at(0).at("manifest").at("onnxruntime").at("operator"),
             "nestwright.net::net");
    result = run(
        {"deploy", kHalf, "--allow-naive", "-o", file("half"), "--name", "half", "--onnxruntime"});
    QVERIFY2(result.exitCode == 0, result.errors);
    result = run({"run", kNetwork, "--db", database, "--seed", "1", "--repeats", "1", "--save",
                  file("expected")});
    QVERIFY2(result.exitCode == 0, result.errors);
    const Network network = parseNetworkSpec(kNetwork.toStdString());
    QVERIFY(write(file("in.bin"), bytesOf(randomInputs(network, 1).front())));
    QVERIFY(write(file("expected.bin"),
                  bytesOf(readTensorFile(file("expected/output_0.pb").toStdString()))));
  }

  void pyTorchCallsIt() {
    const QStringList modules = {"torch"};
    const QString python = pythonWith(modules);
    if (python.isEmpty()) QSKIP(whyNoPython(modules));
    runs(python, kTorch);
  }

  /// Imported in the other order, and where NumPy is not there.
  void pyTorchMayComeLater() {
    const QStringList modules = {"torch"};
    const QString python = pythonWith(modules);
    if (python.isEmpty()) QSKIP(whyNoPython(modules));
    runs(python, kLateTorch);
  }

  void tvmFfiCallsIt() {
    const QStringList modules = {"tvm_ffi", "numpy"};
    const QString python = pythonWith(modules);
    if (python.isEmpty()) QSKIP(whyNoPython(modules));
    runs(python, kTvmFfi);
  }

  void onnxRuntimeCallsIt() {
    const QStringList modules = {"onnxruntime", "numpy"};
    const QString python = pythonWith(modules);
    if (python.isEmpty()) QSKIP(whyNoPython(modules));
    runs(python, kOnnxRuntime, {kNetwork});
  }

 private:
  QString file(const QString& name) const { return folder_.filePath(name); }

  /// The product by a program that wants B packed, as many of those that the search draws do.
  void deployPacked() const {
    for (int seed = 1; seed <= 30; ++seed) {
      const QString database = file(QStringLiteral("mm%1.nwdb").arg(seed));
      ProgramResult result = run({"tune", kMatmul, "--trials", "1", "--repeats", "1", "--seed",
                                  QString::number(seed), "--db", database});
      QVERIFY2(result.exitCode == 0, result.errors);
      result = run({"deploy", kMatmul, "--db", database, "-o", file("mm"), "--name", "mm",
                    "--force", "--json"});
      QVERIFY2(result.exitCode == 0, result.errors);
      const nlohmann::json manifest = result.json().at("libraries").at(0).at("manifest");
      if (!manifest.at("inputs").at(1).at("packed").is_null()) return;
    }
    QFAIL("none of the programs wants B packed");
  }

  void runs(const QString& python, const QByteArray& script,
            const QStringList& arguments = {}) const {
    QVERIFY(write(file("try.py"), kBegin + script));
    const ProgramResult ran = runIn(folder_.path(), python, QStringList{"try.py"} + arguments);
    QVERIFY2(ran.exitCode == 0, ran.errors);
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(PythonFrameworks)

} // namespace nestwright::python_frameworks_test

#include "python_frameworks.moc"
