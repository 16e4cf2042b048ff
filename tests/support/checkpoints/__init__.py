"""Tiny random checkpoints of every architecture that the presets load with transformers.

Each is made from a config, without a download, within a second: ``make_NAME(folder)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from tests.support.checkpoints import (
    cohere,
    deepseek,
    gemma,
    glm,
    idefics,
    llava,
    meta,
    mistral,
    more,
    papers,
    qwen,
    timm_towers,
)


@dataclass(frozen=True, slots=True)
class Architecture:
    """A class of models.

    make:        writes a checkpoint into a folder.
    model_type:  what its ``config.json`` says.
    max_images:  the most images that one prompt may hold; None for any number.
    min_images:  1 where no question is answered without an image.
    alone:       True where a batch would change answers, so that none is made.
    needs:       libraries without which transformers does not make its processor.
    broken_in:   the version of transformers that cannot compute it, and why.
    """

    make: Callable[[Path], None]
    model_type: str
    max_images: int | None = None
    min_images: int = 0
    alone: bool = False
    needs: tuple[str, ...] = ()
    broken_in: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        return self.make.__name__.removeprefix("make_")

    @property
    def missing(self) -> str:
        """Why it cannot be made here; "" if it can."""
        absent = [library for library in self.needs if find_spec(library) is None]
        if absent:
            return f"transformers loads no {self.name} without {' and '.join(absent)}"
        if self.broken_in and version("transformers").startswith(self.broken_in[0]):
            return (
                f"transformers {self.broken_in[0]} cannot compute {self.name}: {self.broken_in[1]}"
            )
        return ""


TORCHVISION = ("torchvision",)

ARCHITECTURES = (
    # The two papers'
    Architecture(llava.make_llava, "llava"),
    Architecture(papers.make_blip2_opt, "blip-2", 1, 1),
    Architecture(papers.make_blip2_t5, "blip-2", 1, 1),
    Architecture(papers.make_instructblip_vicuna, "instructblip", 1, 1),
    Architecture(papers.make_instructblip_t5, "instructblip", 1, 1),
    Architecture(papers.make_idefics, "idefics"),
    Architecture(papers.make_fuyu, "fuyu", 1),
    # Today's
    Architecture(llava.make_llava_next, "llava_next"),
    Architecture(llava.make_llava_onevision, "llava_onevision"),
    Architecture(idefics.make_idefics2, "idefics2"),
    Architecture(idefics.make_idefics3, "idefics3"),
    Architecture(idefics.make_smolvlm, "smolvlm", needs=("num2words",)),
    Architecture(qwen.make_qwen2_vl, "qwen2_vl"),
    Architecture(qwen.make_qwen2_5_vl, "qwen2_5_vl"),
    Architecture(qwen.make_qwen3_vl, "qwen3_vl"),
    Architecture(qwen.make_qwen3_vl_moe, "qwen3_vl_moe"),
    Architecture(qwen.make_qwen3_5, "qwen3_5"),
    Architecture(qwen.make_internvl, "internvl"),
    Architecture(gemma.make_gemma3, "gemma3"),
    Architecture(gemma.make_gemma4, "gemma4"),
    Architecture(timm_towers.make_gemma3n, "gemma3n", needs=("timm",)),
    Architecture(gemma.make_paligemma, "paligemma", min_images=1),
    Architecture(mistral.make_pixtral, "llava", needs=TORCHVISION),
    Architecture(mistral.make_mistral3, "mistral3", needs=TORCHVISION),
    Architecture(meta.make_mllama, "mllama"),
    Architecture(
        meta.make_llama4,
        "llama4",
        needs=TORCHVISION,
        broken_in=("5.24", "its forward pass asks the language model for image_outputs"),
    ),
    Architecture(cohere.make_aya_vision, "aya_vision"),
    Architecture(cohere.make_cohere2_vision, "cohere2_vision", needs=TORCHVISION),
    Architecture(glm.make_glm4v, "glm4v"),
    Architecture(glm.make_glm4v_moe, "glm4v_moe"),
    Architecture(deepseek.make_deepseek_vl, "deepseek_vl"),
    Architecture(deepseek.make_deepseek_vl_hybrid, "deepseek_vl_hybrid"),
    Architecture(deepseek.make_janus, "janus"),
    Architecture(more.make_ovis2, "ovis2"),
    Architecture(more.make_aria, "aria"),
    Architecture(more.make_emu3, "emu3", alone=True),
    Architecture(more.make_minicpmv4_6, "minicpmv4_6"),
    Architecture(more.make_lfm2_vl, "lfm2_vl", needs=TORCHVISION),
    Architecture(more.make_molmo2, "molmo2", needs=TORCHVISION),
    Architecture(timm_towers.make_perception_lm, "perception_lm", needs=("timm", "torchvision")),
    Architecture(more.make_git, "git", 1),
    Architecture(more.make_kosmos2, "kosmos-2", 1, alone=True),
)
