"""The processor of a checkpoint: what turns texts and images into a model's inputs.

transformers' own loader, and what it lacks: processors that also take videos ask for
torchvision, although images need Pillow only.
"""

from __future__ import annotations

from typing import Any


def load_processor(source: str, config: Any, **options: Any) -> Any:
    """The processor of the checkpoint at `source`; without torchvision, of one that takes
    videos too, the part that reads images.

    config:  the model's configuration, as transformers reads it.
    options: what ``AutoProcessor.from_pretrained`` takes.
    Raises what transformers raises.
    """
    from transformers import AutoProcessor
    from transformers.utils import is_torchvision_available

    try:
        processor = AutoProcessor.from_pretrained(source, **options)
    except (ImportError, OSError, ValueError):
        kind = None if is_torchvision_available() else _with_videos(config)
        if kind is None:
            raise
        processor = _without_videos(kind).from_pretrained(source, **options)
    return _mended(processor)


def _with_videos(config: Any) -> Any:
    """The class of `config`'s processor if it takes videos too, else None."""
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    kind = PROCESSOR_MAPPING.get(type(config), None)
    takes_videos = kind is not None and "video_processor" in kind.get_attributes()
    return kind if takes_videos else None


def _without_videos(kind: Any) -> Any:
    """`kind`, whose video processor is not loaded: one that knows nothing stands for it."""
    attributes = list(kind.get_attributes())
    place = attributes.index("video_processor")
    others = [name for name in attributes if name != "video_processor"]
    reader: Any = type(
        kind.__name__, (kind,), {"get_attributes": classmethod(lambda cls: list(others))}
    )

    def arguments(cls: Any, *args: Any, **kwargs: Any) -> list[Any]:
        found: list[Any] = reader._get_arguments_from_pretrained(*args, **kwargs)
        found.insert(place, _no_videos())
        return found

    def check(self: Any, name: str, argument: Any) -> Any:
        if name == "video_processor":
            return type(argument)
        return kind.check_argument_for_proper_class(self, name, argument)

    return type(
        kind.__name__,
        (kind,),
        {
            "_get_arguments_from_pretrained": classmethod(arguments),
            "check_argument_for_proper_class": check,
        },
    )


def _no_videos() -> Any:
    """A video processor without settings: some processors look them up even for images."""
    from transformers.video_processing_utils import BaseVideoProcessor

    class NoVideos(BaseVideoProcessor):  # type: ignore[misc]
        def __getattr__(self, name: str) -> None:
            if name.startswith("_"):
                raise AttributeError(name)

    return NoVideos()


def _mended(processor: Any) -> Any:
    """`processor`, with what is wrong in transformers 5.24 put right.

    Fuyu's, without torchvision, cuts images into patches by numpy's methods, but hands
    them over as torch's tensors.
    """
    images: Any = getattr(processor, "image_processor", None)
    if type(images).__name__ == "FuyuImageProcessorPil":
        cut = images.patchify_image

        def patchify_image(image: Any, patch_size: Any = None) -> Any:
            import torch

            return torch.as_tensor(cut(image.numpy(), patch_size)).unsqueeze(0)

        images.patchify_image = patchify_image
    return processor
