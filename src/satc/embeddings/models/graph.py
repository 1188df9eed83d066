"""The network of a model as an ONNX graph, built here from its weights.

Weights of linear layers are stored as 8-bit integers with a scale for every 64 of them, and the
processor multiplies integers: more than twice as fast as floating point. The activations are
rounded in the same way, each token by itself. So the vector of a text does not depend on the other
texts in its batch, as it would with one scale for a whole batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.models.architectures import Layer, Linear, Transformer
from satc.errors import DataError

BLOCK = 64  # weights that share a scale; with more, other texts change the last digits
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
        values, scales = rounded(weight)
        return self.node(
            "MatMulNBits",
            x,
            self.constant(values),
            self.constant(scales),
            domain=_MICROSOFT,
            K=weight.shape[1],
            N=weight.shape[0],
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,  # multiply 8-bit integers
        )[0]

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


def rounded(weight: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return a weight as integers with zero at 128, in blocks, and the scale of each block."""
    n_outputs, n_inputs = weight.shape
    n_blocks = -(-n_inputs // BLOCK)
    padded = np.zeros((n_outputs, n_blocks * BLOCK), dtype=np.float32)
    padded[:, :n_inputs] = weight
    blocks = padded.reshape(n_outputs, n_blocks, BLOCK)
    scales = (np.abs(blocks).max(axis=2) / 127).astype(np.float32)
    steps = blocks / np.where(scales > 0, scales, 1)[:, :, None]
    return (np.round(steps) + 128).astype(np.uint8), scales
