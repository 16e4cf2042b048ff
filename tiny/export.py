"""Write the ONNX graphs of a tiny checkpoint beside it: python tiny/export.py FOLDER.

FOLDER is a LLaVA checkpoint as transformers saves it: a CLIP tower, a Llama decoder. Written
are `vision.onnx`, `decoder.onnx` and `onnx.json`, which names every file that the runtime reads
with its hash. The graphs hold no weights: each points into `model.safetensors`, so that
the weights lie in the folder once. The same checkpoint gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
"""Old enough for every onnxruntime that a newcomer may have."""

WEIGHTS = "model.safetensors"
MASKED = -1e9
TYPES = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT, "BF16": TensorProto.BFLOAT16}
# These parts of a tensor's name differ between versions of transformers.
WRAPPERS = {"model", "vision_model", "language_model"}


class Weights:
    """The tensors of a safetensors file by their short name, as references into it."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size))
        header.pop("__metadata__", None)
        self._start = 8 + size
        self._entries = {
            ".".join(part for part in name.split(".") if part not in WRAPPERS): (name, entry)
            for name, entry in header.items()
        }

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def reference(self, name: str) -> onnx.TensorProto:
        """An initializer whose data are in the safetensors file."""
        full, entry = self._entries[name]
        first, last = entry["data_offsets"]
        tensor = TensorProto(name=full, data_type=TYPES[entry["dtype"]], dims=entry["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        place = {"location": WEIGHTS, "offset": self._start + first, "length": last - first}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        return tensor


class Graph:
    """Nodes, constants and weights of one graph; every method returns the name of its result."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, outputs: int | str = 1, **attributes: Any) -> Any:
        """A node; with several outputs their names."""
        number = len(self.nodes)
        if isinstance(outputs, str):
            names = [outputs]
        else:
            names = [f"{kind}_{number}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, f"{kind}_{number}", **attributes))
        return names[0] if len(names) == 1 else names

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        array = np.asarray(value, dtype)
        digest = hashlib.sha256(array.tobytes()).hexdigest()[:12]
        name = f"constant_{array.dtype}_{'x'.join(map(str, array.shape))}_{digest}"
        self.initializers[name] = numpy_helper.from_array(array, name)
        return name

    def weight(self, name: str) -> str:
        """A weight in single precision; the runtime folds the cast when it loads the graph."""
        tensor = self.weights.reference(name)
        if tensor.name not in self.initializers:
            self.initializers[tensor.name] = tensor
            if tensor.data_type != TensorProto.FLOAT:
                self.op("Cast", tensor.name, outputs=f"{tensor.name}.float", to=TensorProto.FLOAT)
        return tensor.name if tensor.data_type == TensorProto.FLOAT else f"{tensor.name}.float"

    def linear(self, x: str, *names: str) -> str:
        """[.., in] -> [.., out]; of several layers side by side."""
        matrices = [self.weight(f"{name}.weight") for name in names]
        matrix = self.op("Concat", *matrices, axis=0) if names[1:] else matrices[0]
        x = self.op("MatMul", x, self.op("Transpose", matrix, perm=[1, 0]))
        if f"{names[0]}.bias" not in self.weights:
            return x
        biases = [self.weight(f"{name}.bias") for name in names]
        return self.op("Add", x, self.op("Concat", *biases, axis=0) if names[1:] else biases[0])

    def layer_norm(self, x: str, name: str, epsilon: float) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def rms_norm(self, x: str, name: str, epsilon: float) -> str:
        square = self.op("Pow", x, self.constant(2, np.float32))
        mean = self.op("ReduceMean", square, axes=[-1], keepdims=1)
        root = self.op("Sqrt", self.op("Add", mean, self.constant(epsilon, np.float32)))
        return self.op("Mul", self.op("Div", x, root), self.weight(f"{name}.weight"))

    def gelu(self, x: str) -> str:
        erf = self.op("Erf", self.op("Div", x, self.constant(np.sqrt(2), np.float32)))
        whole = self.op("Mul", x, self.op("Add", erf, self.constant(1, np.float32)))
        return self.op("Mul", whole, self.constant(0.5, np.float32))

    def sigmoid_gate(self, x: str, scale: float = 1.0) -> str:
        """x * sigmoid(scale * x): SiLU, or CLIP's quick GELU."""
        inner = x if scale == 1.0 else self.op("Mul", x, self.constant(scale, np.float32))
        return self.op("Mul", x, self.op("Sigmoid", inner))

    def heads(self, x: str, count: int, size: int) -> str:
        """[B, T, count * size] -> [B, count, T, size]."""
        split = self.op("Reshape", x, self.constant([0, 0, count, size]))
        return self.op("Transpose", split, perm=[0, 2, 1, 3])

    def attend(self, q: str, k: str, v: str, size: int, mask: str | None = None) -> str:
        """Scaled dot-product attention, the heads put together again: [B, T, count * size]."""
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Mul", scores, self.constant(size**-0.5, np.float32))
        if mask:
            scores = self.op("Add", scores, mask)
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        mixed = self.op("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.op("Reshape", mixed, self.constant([0, 0, -1]))

    def model(self, inputs: list[Any], outputs: list[Any], name: str) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes, name, inputs, outputs, list(self.initializers.values())
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="tiny/export.py",
        )


def vision_graph(weights: Weights, config: dict[str, Any]) -> onnx.ModelProto:
    """pixel_values [N, 3, P, P] -> image_features [N, tokens, D]: the tower and the projector."""
    vision, g = config["vision_config"], Graph(weights)
    count, width, epsilon = (
        vision[k] for k in ("num_attention_heads", "hidden_size", "layer_norm_eps")
    )
    pixels, patch = vision["image_size"], vision["patch_size"]
    x = g.op(
        "Conv",
        "pixel_values",
        g.weight("vision_tower.embeddings.patch_embedding.weight"),
        kernel_shape=[patch, patch],
        strides=[patch, patch],
    )
    x = g.op("Transpose", g.op("Reshape", x, g.constant([0, 0, -1])), perm=[0, 2, 1])
    number = g.op("Shape", "pixel_values", start=0, end=1)
    first = g.op("Concat", number, g.constant([1, width]), axis=0)
    first = g.op("Expand", g.weight("vision_tower.embeddings.class_embedding"), first)
    x = g.op("Concat", first, x, axis=1)
    x = g.op("Add", x, g.weight("vision_tower.embeddings.position_embedding.weight"))
    x = g.layer_norm(x, "vision_tower.pre_layrnorm", epsilon)
    for i in range(vision["num_hidden_layers"]):
        layer = f"vision_tower.encoder.layers.{i}"
        y = g.layer_norm(x, f"{layer}.layer_norm1", epsilon)
        y = g.linear(y, *(f"{layer}.self_attn.{name}_proj" for name in "qkv"))
        q, k, v = g.op("Split", y, g.constant([width] * 3), outputs=3, axis=-1)
        size = width // count
        y = g.attend(*(g.heads(part, count, size) for part in (q, k, v)), size)
        x = g.op("Add", x, g.linear(y, f"{layer}.self_attn.out_proj"))
        y = g.linear(g.layer_norm(x, f"{layer}.layer_norm2", epsilon), f"{layer}.mlp.fc1")
        x = g.op("Add", x, g.linear(g.sigmoid_gate(y, 1.702), f"{layer}.mlp.fc2"))
    # The class token is not shown to the decoder (vision_feature_select_strategy "default").
    x = g.op("Slice", x, g.constant([1]), g.constant([2**31]), g.constant([1]))
    x = g.gelu(g.linear(x, "multi_modal_projector.linear_1"))
    g.op("Identity", g.linear(x, "multi_modal_projector.linear_2"), outputs="image_features")
    number_of_tokens = (pixels // patch) ** 2
    out_width = config["text_config"]["hidden_size"]
    return g.model(
        [_value("pixel_values", TensorProto.FLOAT, ["images", 3, pixels, pixels])],
        [_value("image_features", TensorProto.FLOAT, ["images", number_of_tokens, out_width])],
        "vision",
    )


def decoder_graph(weights: Weights, config: dict[str, Any]) -> onnx.ModelProto:
    """One pass of the decoder over T new tokens after P kept ones, S = P + T.

    input_ids, position_ids [B, T]; attention_mask [B, S], 0 where there is padding;
    image_features [M, D] and the places of their tokens, image_places [M, 2] (row, column
    of input_ids); past.I.key and .value [B, H, P, size] ->
    logits [B, V] of the last token; present.I.key and .value [B, H, S, size].
    """
    text, g = config["text_config"], Graph(weights)
    count, width, epsilon = (
        text[k] for k in ("num_attention_heads", "hidden_size", "rms_norm_eps")
    )
    size, layers = text["head_dim"], text["num_hidden_layers"]
    tokens = g.weight("embed_tokens.weight")
    x = g.op("Gather", tokens, "input_ids", axis=0)
    x = g.op("ScatterND", x, "image_places", "image_features")

    # A token sees what stands at or before its place and is no padding.
    kept = g.op("Shape", "past.0.key", start=2, end=3)
    whole = g.op("Shape", "attention_mask", start=1, end=2)
    zero, one = g.constant(0), g.constant(1)
    end = g.op("Squeeze", whole, g.constant([0]))
    rows = g.op("Range", g.op("Squeeze", kept, g.constant([0])), end, one)
    columns = g.op("Range", zero, end, one)
    earlier = g.op("LessOrEqual", columns, g.op("Unsqueeze", rows, g.constant([1])))
    real = g.op("Unsqueeze", g.op("Cast", "attention_mask", to=TensorProto.BOOL), g.constant([1]))
    seen = g.op("Unsqueeze", g.op("And", earlier, real), g.constant([1]))
    mask = g.op("Where", seen, g.constant(0, np.float32), g.constant(MASKED, np.float32))

    theta = text["rope_parameters"]["rope_theta"]
    rates = 1.0 / theta ** (np.arange(0, size, 2, dtype=np.float32) / np.float32(size))
    places = g.op("Cast", "position_ids", to=TensorProto.FLOAT)
    angles = g.op("Mul", g.op("Unsqueeze", places, g.constant([1, 3])), g.constant(rates, "f4"))
    angles = g.op("Concat", angles, angles, axis=-1)
    cos, sin = g.op("Cos", angles), g.op("Sin", angles)

    def turned(y: str) -> str:
        left, right = g.op("Split", y, g.constant([size // 2] * 2), outputs=2, axis=-1)
        crossed = g.op("Concat", g.op("Neg", right), left, axis=-1)
        return g.op("Add", g.op("Mul", y, cos), g.op("Mul", crossed, sin))

    for i in range(layers):
        layer = f"layers.{i}"
        y = g.rms_norm(x, f"{layer}.input_layernorm", epsilon)
        y = g.linear(y, *(f"{layer}.self_attn.{name}_proj" for name in "qkv"))
        parts = g.op("Split", y, g.constant([count * size] * 3), outputs=3, axis=-1)
        q, k, v = (g.heads(part, count, size) for part in parts)
        k = g.op("Concat", f"past.{i}.key", turned(k), axis=2, outputs=f"present.{i}.key")
        v = g.op("Concat", f"past.{i}.value", v, axis=2, outputs=f"present.{i}.value")
        y = g.attend(turned(q), k, v, size, mask)
        x = g.op("Add", x, g.linear(y, f"{layer}.self_attn.o_proj"))
        y = g.rms_norm(x, f"{layer}.post_attention_layernorm", epsilon)
        y = g.linear(y, f"{layer}.mlp.gate_proj", f"{layer}.mlp.up_proj")
        sizes = g.constant([text["intermediate_size"]] * 2)
        gate, up = g.op("Split", y, sizes, outputs=2, axis=-1)
        y = g.op("Mul", g.sigmoid_gate(gate), up)
        x = g.op("Add", x, g.linear(y, f"{layer}.mlp.down_proj"))
    x = g.op("Gather", x, g.constant(-1), axis=1)
    x = g.rms_norm(x, "norm", epsilon)
    head = "embed_tokens" if text["tie_word_embeddings"] else "lm_head"
    g.op("Identity", g.linear(x, head), outputs="logits")

    whole_number = TensorProto.INT64
    inputs = [
        _value("input_ids", whole_number, ["batch", "new"]),
        _value("position_ids", whole_number, ["batch", "new"]),
        _value("attention_mask", whole_number, ["batch", "all"]),
        _value("image_features", TensorProto.FLOAT, ["image_tokens", width]),
        _value("image_places", whole_number, ["image_tokens", 2]),
    ]
    outputs = [_value("logits", TensorProto.FLOAT, ["batch", text["vocab_size"]])]
    for i in range(layers):
        for kind in ("key", "value"):
            shapes = [["batch", count, length, size] for length in ("kept", "all")]
            inputs.append(_value(f"past.{i}.{kind}", TensorProto.FLOAT, shapes[0]))
            outputs.append(_value(f"present.{i}.{kind}", TensorProto.FLOAT, shapes[1]))
    return g.model(inputs, outputs, "decoder")


def _value(name: str, kind: int, shape: list[Any]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


EXPECTED = {
    ("model_type",): "llava",
    ("vision_feature_layer",): -1,
    ("vision_feature_select_strategy",): "default",
    ("projector_hidden_act",): "gelu",
    ("vision_config", "model_type"): "clip_vision_model",
    ("vision_config", "hidden_act"): "quick_gelu",
    ("text_config", "model_type"): "llama",
    ("text_config", "hidden_act"): "silu",
    ("text_config", "attention_bias"): False,
    ("text_config", "mlp_bias"): False,
    ("text_config", "rope_parameters", "rope_type"): "default",
}
PICTURES = {"do_resize": True, "do_center_crop": False, "do_rescale": True, "do_normalize": True}


def check(config: dict[str, Any], processor: dict[str, Any]) -> None:
    """ValueError for a setting that the graphs or the runtime do not follow."""
    for path, wanted in EXPECTED.items():
        value: Any = config
        for key in path:
            value = value[key]
        if value != wanted:
            raise ValueError(
                f"config.json: {'.'.join(path)} is {value!r}; only {wanted!r} is exported"
            )
    text = config["text_config"]
    if text["num_key_value_heads"] != text["num_attention_heads"]:
        raise ValueError("config.json: grouped key-value heads are not exported")
    for key, wanted in PICTURES.items():
        if processor[key] != wanted:
            raise ValueError(f"processor_config.json: {key} is not {wanted}")


def manifest(folder: Path, config: dict[str, Any], processor: dict[str, Any]) -> dict[str, Any]:
    """What the runtime must know besides the graphs, and the hash of each of its files."""
    generation = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    ends = generation["eos_token_id"]
    names = ("model.safetensors", "tokenizer.json", "vision.onnx", "decoder.onnx")
    return {
        "schema": 1,
        "image": {
            "size": [processor["size"]["width"], processor["size"]["height"]],
            "resample": processor["resample"],
            "scale": processor["rescale_factor"],
            "mean": processor["image_mean"],
            "std": processor["image_std"],
        },
        "image_token": config["image_token_index"],
        "image_tokens": config["image_seq_length"],
        "pad_token": generation["pad_token_id"],
        "end_tokens": ends if isinstance(ends, list) else [ends],
        "context": config["text_config"]["max_position_embeddings"],
        "max_new_tokens": generation["max_new_tokens"],
        "files": {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names},
    }


def export(folder: Path) -> None:
    """Write graphs and manifest into `folder`."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    processor = json.loads((folder / "processor_config.json").read_text(encoding="utf-8"))
    check(config, processor["image_processor"])
    weights = Weights(folder / WEIGHTS)
    for name, graph in (("vision", vision_graph), ("decoder", decoder_graph)):
        path = folder / f"{name}.onnx"
        path.write_bytes(graph(weights, config).SerializeToString(deterministic=True))
        onnx.checker.check_model(str(path), full_check=True)
    text = json.dumps(manifest(folder, config, processor["image_processor"]), indent=1)
    (folder / "onnx.json").write_text(f"{text}\n", encoding="utf-8")
    added = sum((folder / n).stat().st_size for n in ("vision.onnx", "decoder.onnx", "onnx.json"))
    print(f"{folder}: graphs and onnx.json, {added / 1000:.0f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-verify", action="store_true", help="do not compare with transformers")
    args = parser.parse_args()
    try:
        export(args.folder)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{args.folder}: {type(error).__name__}: {error}")
    if not args.no_verify:
        from verify import verify

        verify(args.folder)


if __name__ == "__main__":
    main()
