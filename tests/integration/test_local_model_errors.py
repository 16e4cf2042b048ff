"""What is wrong with a local model is said before the samples: exit 4, and not one weight loaded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="local models need torch")
pytest.importorskip("transformers", reason="local models need transformers")

import torch
import transformers

from pytest_mmreason.models import checkpoint
from tests.support.benchmarks import read_records
from tests.support.checkpoints.papers import make_blip2_opt
from tests.support.local import llava, loads, offline, one_thread, write_shown  # noqa: F401
from tests.support.project import Project
from tests.support.runs import flat, statuses

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def mine(project: Project, llava: Path) -> Path:  # noqa: F811
    """A checkpoint that a test may spoil, in ``mine``; images to ask it about in ``shown``."""
    write_shown(project.path / "shown", 3, several=2)
    folder = project.path / "mine"
    shutil.copytree(llava, folder)
    return folder


def run(project: Project, spec: str = "hf:mine", *args: object) -> pytest.RunResult:
    short = "--mm-param=max_tokens=4"
    return project.run_plain(f"--mm-model={spec}", "--mm-benchmark=shown", short, *args)


def refused(project: Project, spec: str = "hf:mine", *args: object) -> str:
    """The message of a run that ends before its first sample."""
    result = run(project, spec, *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "collected" not in result.stdout.str()
    return " ".join(result.stderr.str().split())


def edit(path: Path, **fields: Any) -> None:
    """Change fields of a JSON file; None takes one out."""
    content = json.loads(path.read_text(encoding="utf-8")) | fields
    kept = {key: value for key, value in content.items() if value is not None}
    path.write_text(json.dumps(kept), encoding="utf-8")


def write_text_model(folder: Path) -> None:
    """A language model alone, in the place of the vision-language model."""
    from transformers import LlamaConfig, LlamaForCausalLM

    from tests.support.checkpoints.pieces import TEXT, byte_tokenizer, token_ids

    shutil.rmtree(folder)
    tokenizer = byte_tokenizer()
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(**TEXT, **token_ids(tokenizer))).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def no_template(folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()


def mute_template(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("Hello.", encoding="utf-8")


def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def no_image_processor(folder: Path) -> None:
    for path in folder.glob("*processor_config.json"):
        path.unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "config.json").unlink(), "mine holds no config.json"),
        (lambda f: (f / "model.safetensors").unlink(), "mine holds no weights (*.safetensors)"),
        (no_template, "its processor (LlavaProcessor) has no chat template"),
        (mute_template, "its chat template does not show what it is given"),
        (no_tokenizer, "hf:mine: tokenizer.json is missing from"),
        (no_image_processor, "hf:mine: processor_config.json is missing from"),
        (
            lambda f: edit(f / "config.json", model_type="llava_from_tomorrow"),
            f"a model of type 'llava_from_tomorrow', which transformers {transformers.__version__} does not know",
        ),
        (
            lambda f: edit(f / "config.json", model_type=None),
            f"a model without a model_type, which transformers {transformers.__version__} does not know",
        ),
        (
            lambda f: edit(
                f / "config.json", model_type="own", auto_map={"AutoConfig": "own.Config"}
            ),
            "own is loaded by code that comes with the checkpoint. Read it in",
        ),
        (lambda f: edit(f / "config.json", model_type="clip"), "has no class that answers questions with CLIP"),
        (write_text_model, "Llama (llama) is a text-only model and cannot be sent images; --mm-images=none"),
    ],
)  # fmt: skip
def test_checkpoint_that_cannot_be_used(
    project: Project,
    mine: Path,
    loads: list[str],  # noqa: F811
    spoil: Callable[[Path], None],
    message: str,
) -> None:
    spoil(mine)
    assert message in refused(project)
    assert loads == []


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("hf:", [], "--mm-model=hf:: write hf:REPO_OR_DIR"),
        ("hf:./absent", [], "hf:absent: there is no folder"),
        ("hf:some/repository", [], "some/repository is not in the cache"),
        ("hf:some/repository@v2", [], "hf download some/repository --revision v2"),
        ("hf:mine", ["--mm-param=temprature=1"], "--mm-param temprature: no generation parameter of hf:mine. Did you mean 'temperature'"),
        ("hf:mine", ["--mm-device=cuda:7"], "--mm-device=cuda:7: not on this machine"),
        ("hf:mine", ["--mm-device=gpu"], "--mm-device is 'gpu', not one of auto, cpu, cuda, cuda:N, mps"),
        ("hf:mine", ["--mm-dtype=float8"], "--mm-dtype is 'float8', not one of auto, float32"),
        ("hf:mine", ["--mm-batch-size=0"], "--mm-batch-size is 0; at least 1 is needed; or auto"),
        ("hf:mine", ["--mm-batch-size=many"], "--mm-batch-size is 'many', not a whole number; or auto"),
    ],
)  # fmt: skip
def test_option_that_cannot_be_used(
    project: Project, mine: Path, spec: str, options: list[str], message: str
) -> None:
    assert message in refused(project, spec, *options)


def test_error_is_the_same_under_workers(project: Project, mine: Path) -> None:
    no_template(mine)
    assert "has no chat template" in refused(project, "hf:mine", "-n2")


def test_nothing_is_looked_at_where_nothing_will_run(project: Project, mine: Path) -> None:
    no_template(mine)
    assert run(project, "hf:mine", "--collect-only").ret == 0


def test_missing_libraries_are_told_with_the_command_that_installs_them(
    project: Project, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = ("torch", "transformers")
    monkeypatch.setattr(checkpoint, "find_spec", lambda n: None if n in hidden else find_spec(n))
    told = refused(project)
    assert "needs torch and transformers" in told
    assert "pip install 'pytest-mmreason[hf]'" in told


def test_text_only_model_answers_questions_without_images(project: Project, mine: Path) -> None:
    write_text_model(mine)
    result = run(project, "hf:mine", "--mm-images=none", "--mm-output=out", "--mm-batch-size=3")
    assert result.ret == 0
    assert set(statuses(read_records(project.path / "out")).values()) == {"scored"}
    assert "hf:mine has no chat template: the prompt is sent as it stands" in flat(result)


def test_several_images_for_a_model_of_one_are_an_error_of_their_sample(
    project: Project, mine: Path
) -> None:
    shutil.rmtree(mine)
    make_blip2_opt(mine)
    result = run(project, "hf:mine", "--mm-output=out")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    records = read_records(project.path / "out")
    assert statuses(records) == {"s0": "scored", "s1": "scored", "s2": "model_error"}
    reason = (
        "hf:mine takes one image at a time, and this sample's prompt has 2. --mm-images=concat "
        "joins the images of a sample; or ask a model that takes several, or let --mm-max-errors "
        "bear such samples: they are left out of the means"
    )
    assert records[2]["reason"] == reason
    assert records[2]["attempts"] == 0
    assert run(project, "hf:mine", "--mm-output=out", "--mm-images=concat").ret == 0
    assert set(statuses(read_records(project.path / "out")).values()) == {"scored"}


def test_weights_that_cannot_be_loaded_stop_the_run_at_the_first_answer(
    project: Project, mine: Path
) -> None:
    path = mine / "model.safetensors"
    content = path.read_bytes()
    assert b'"dtype":"F32"' in content
    path.write_bytes(content.replace(b'"dtype":"F32"', b'"dtype":"F99"'))
    result = run(project)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "its weights cannot be loaded" in flat(result)
    assert "FAIL hf:mine: its weights cannot be loaded" in flat(result)


def rename_weights(folder: Path, **names: str | None) -> None:
    """Save the weights under other names; None takes one out. ``__`` stands for a dot."""
    from safetensors.torch import load_file, save_file

    renamed = {old.replace("__", "."): new for old, new in names.items()}
    weights = load_file(folder / "model.safetensors")
    assert set(renamed) <= set(weights), sorted(weights)
    kept = {renamed.get(key, key): tensor for key, tensor in weights.items()}
    kept.pop(None, None)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


HEAD, NORM = "language_model__lm_head__weight", "language_model__model__norm__weight"


def test_checkpoint_that_lacks_much_of_the_model_is_not_evaluated(
    project: Project, mine: Path
) -> None:
    rename_weights(mine, **{HEAD: None})
    result = run(project, "hf:mine", "--mm-output=out")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "hf:mine: the checkpoint lacks lm_head.weight, which transformers made at random" in flat(result)  # fmt: skip
    assert "scored" not in statuses(read_records(project.path / "out")).values()


def test_checkpoint_that_lacks_a_little_is_evaluated_and_it_is_said(
    project: Project, mine: Path
) -> None:
    rename_weights(mine, **{NORM: None})
    result = run(project)
    assert result.ret == 0
    assert "note: hf:mine: the checkpoint lacks model.language_model.norm.weight" in flat(result)


def write_repository(cache: Path, folder: Path) -> None:
    """The hub's cache as a download of `folder` leaves it."""
    repository = cache / "models--some--repository"
    snapshot = repository / "snapshots" / COMMIT
    shutil.copytree(folder, snapshot)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT, encoding="utf-8")


def test_repository_is_pinned_to_its_commit(
    project: Project,
    mine: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from huggingface_hub import constants

    cache = project.path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    write_repository(cache, mine)
    result = run(project, "hf:some/repository")
    assert result.ret == 0
    assert "hf:some/repository · 0123456 · cpu · float32" in flat(result)
    pinned = run(project, f"hf:some/repository@{COMMIT}")
    assert "3 responses from the cache" in flat(pinned)
    assert "is not in the cache" in refused(project, "hf:some/repository@v2")


OWN_CONFIG = """
from transformers import LlavaConfig

class Config(LlavaConfig):
    model_type = "own"
"""
OWN_MODEL = """
from transformers import LlavaForConditionalGeneration

from .own_config import Config

class Model(LlavaForConditionalGeneration):
    config_class = Config
"""


def test_code_of_a_checkpoint_runs_only_when_asked_and_then_it_is_said(
    project: Project, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mine / "own_config.py").write_text(OWN_CONFIG, encoding="utf-8")
    (mine / "own_model.py").write_text(OWN_MODEL, encoding="utf-8")
    classes = {"AutoConfig": "own_config.Config", "AutoModelForImageTextToText": "own_model.Model"}
    edit(mine / "config.json", model_type="own", auto_map=classes)
    rename_weights(mine, **{HEAD: "lm_head.weight"})
    assert "--mm-trust-remote-code runs it" in refused(project)
    monkeypatch.setattr(
        "transformers.dynamic_module_utils.HF_MODULES_CACHE", str(project.path / "modules")
    )
    result = run(project, "hf:mine", "--mm-trust-remote-code")
    assert result.ret == 0
    assert "note: hf:mine runs code that came with it (--mm-trust-remote-code)" in flat(result)


def test_device_is_chosen_by_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_mmreason.models.loading import choose_devices

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_devices("auto") == choose_devices("cuda") == ["cuda:0", "cuda:1"]
    assert choose_devices("cuda:1") == ["cuda:1"]
    assert choose_devices("cpu") == ["cpu"]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert choose_devices("auto") == choose_devices("mps") == ["mps"]
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert choose_devices("auto") == ["cpu"]
