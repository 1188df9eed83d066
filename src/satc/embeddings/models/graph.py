"""The network of a model as an ONNX graph, built here from its weights.

The factors of linear layers are rounded to integers, and the processor multiplies integers: more
than twice as fast as floating point. Each token is rounded with a scale of its own, its largest
number. So the vector of a text does not depend on the other texts in its batch, as it would with
one scale for a whole batch. Weights have 7 bits: processors without VNNI add two products in 16
bits, which overflow with 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.models.architectures import Layer, Linear, Transformer
from satc.errors import DataError

LARGEST = 63  # of the integers of a weight
STEPS = 127  # of a token, in each direction
_MICROSOFT = "com.microsoft"  # the operators of onnxruntime beyond the standard
_GELU = {"gelu": "BiasGelu", "gelu_new": "FastGelu", "gelu_pytorch_tanh": "FastGelu"}


def network_graph(network: Transformer, *, integers: bool = True) -> bytes:
    """Return the graph from embedded tokens to the last hidden state.

    Its inputs are ``tokens`` (texts x tokens x dimensions: the sums of the vectors of words and
    positions), ``mask`` (texts x tokens: 1, and 0 for padding) and, for MPNet, ``distances``.
    """
    graph = _Graph(network, integers)
    x = graph.norm("tokens", network.norm)
    for layer in network.layers:
        x = graph.layer(x, layer)
    return graph.serialised(x)


class _Graph:
    def __init__(self, network: Transformer, integers: bool) -> None:
        self.network = network
        self.integers = integers
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def layer(self, x: str, layer: Layer) -> str:
        attended = self.attention(self.linear(x, layer.qkv.weight), layer.qkv.bias)
        x = self.add_norm(attended, x, layer.attention_out, layer.attention_norm)
        raised = self.activation(self.linear(x, layer.up.weight), layer.up.bias)
        return self.add_norm(raised, x, layer.down, layer.out_norm)

    def attention(self, qkv: str, bias: NDArray[np.float32]) -> str:
        parts = np.array([len(bias) // 3] * 3, dtype=np.int64)
        q, k, v = self.node("Split", qkv, self.constant(parts), n_outputs=3, axis=-1)
        further = ["distances"] if self.network.relative is not None else []
        inputs = (q, k, v, self.constant(bias), "mask", *further)
        heads = self.network.n_heads
        return self.node("MultiHeadAttention", *inputs, domain=_MICROSOFT, num_heads=heads)[0]

    def add_norm(self, x: str, skipped: str, linear: Linear, norm: Linear) -> str:
        inputs = [self.constant(one) for one in (norm.weight, norm.bias, linear.bias)]
        return self.node(
            "SkipLayerNormalization",
            self.linear(x, linear.weight),
            skipped,
            *inputs,
            domain=_MICROSOFT,
            epsilon=self.network.epsilon,
        )[0]

    def norm(self, x: str, norm: Linear) -> str:
        inputs = (self.constant(norm.weight), self.constant(norm.bias))
        epsilon = self.network.epsilon
        return self.node("LayerNormalization", x, *inputs, axis=-1, epsilon=epsilon)[0]

    def activation(self, x: str, bias: NDArray[np.float32]) -> str:
        name = self.network.activation
        if name in _GELU:
            return self.node(_GELU[name], x, self.constant(bias), domain=_MICROSOFT)[0]
        if name == "relu":
            return self.node("Relu", *self.node("Add", x, self.constant(bias)))[0]
        raise DataError(f"the activation must be {', '.join(_GELU)} or relu, but is {name!r}")

    def linear(self, x: str, weight: NDArray[np.float32]) -> str:
        """Multiply by a weight (outputs x inputs), without its bias."""
        if not self.integers:
            return self.node("MatMul", x, self.constant(weight.T))[0]
        return self.integer_product(x, *rounded(weight))

    def integer_product(self, x: str, weight: NDArray[np.int8], scales: NDArray[np.float32]) -> str:
        step, zero = np.float32(1 / STEPS), np.uint8(128)
        fixed = [self.constant(np.array(one)) for one in (step, zero, np.float32(1e-30))]
        largest = self.node("ReduceMax", *self.node("Abs", x), axes=[-1], keepdims=1)
        largest = self.node("Max", *largest, fixed[2])  # not zero
        steps = self.node("QuantizeLinear", *self.node("Div", x, *largest), *fixed[:2])
        inputs = (*steps, self.constant(weight.T), fixed[0], self.constant(scales), fixed[1])
        product = self.node("MatMulIntegerToFloat", *inputs, domain=_MICROSOFT)
        return self.node("Mul", *product, *largest)[0]

    def constant(self, array: NDArray[Any]) -> str:
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind: str, *inputs: str, n_outputs: int = 1, **options: Any) -> list[str]:
        from onnx import helper

        outputs = [f"value_{len(self.nodes)}_{i}" for i in range(n_outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, **options))
        return outputs

    def serialised(self, x: str) -> bytes:
        from onnx import TensorProto, helper

        floating, n = TensorProto.FLOAT, self.network.words.shape[1]
        info = helper.make_tensor_value_info
        inputs = [info("tokens", floating, ["texts", "tokens", n])]
        inputs.append(info("mask", TensorProto.INT32, ["texts", "tokens"]))
        if self.network.relative is not None:
            shape = [1, self.network.n_heads, "tokens", "tokens"]
            inputs.append(info("distances", floating, shape))
        outputs = [info(x, floating, ["texts", "tokens", n])]
        graph = helper.make_graph(self.nodes, "network", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        return bytes(model.SerializeToString())


def rounded(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return a weight (outputs x inputs) as integers, and the scale of each output.

    >>> rounded(np.array([[0.25, -1.0], [0.0, 0.0]], dtype=np.float32))[0].tolist()
    [[16, -63], [0, 0]]
    """
    scales = (np.abs(weight).max(axis=1) / LARGEST).astype(np.float32)
    steps = weight / np.where(scales > 0, scales, 1)[:, None]
    return np.round(steps).astype(np.int8), scales
