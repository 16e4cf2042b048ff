"""Images: found, opened, normalised and encoded safely, just before a call needs them."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mmreason.errors import DataError
from pytest_mmreason.sample import ImageRef, JoinedRef

if TYPE_CHECKING:
    from PIL import Image

MAX_ENCODED_BYTES = 10_000_000
"""Largest image that is sent as it is; base64 makes a third more of it on the wire."""

PASSED_THROUGH = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",  # a phone's JPEG that carries a depth map or preview after the photo
    "WEBP": "image/webp",
}
"""Formats that every OpenAI-compatible endpoint reads."""

_ORIENTATION = 0x0112
_JPEG_QUALITY = 92


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """An image ready to be sent.

    data, mime:  the bytes that are sent and their type, taken from the content.
    size:        [width, height] in pixels, upright, of the original.
    sent:        [width, height] in pixels of `data`.
    sha256:      hash of the original file.
    parts:       the images that it was joined of; none if it comes from one file.
    recoded:     `data` has lost detail, though perhaps no pixel: it was too heavy as it was.
    """

    path: str
    data: bytes
    mime: str
    size: tuple[int, int]
    sent: tuple[int, int]
    sha256: str
    parts: tuple[LoadedImage, ...] = ()
    recoded: bool = False

    @property
    def data_url(self) -> str:
        """The image as a ``data:`` URL."""
        return f"data:{self.mime};base64,{base64.b64encode(self.data).decode('ascii')}"

    def pil(self) -> Image.Image:
        """The image as an RGB :class:`PIL.Image.Image` of its own."""
        from PIL import Image

        with Image.open(io.BytesIO(self.data)) as image:
            return image.convert("RGB")

    def describe_files(self) -> list[dict[str, Any]]:
        """What the record keeps of each file that it comes from."""
        return [part.describe() for part in self.parts] or [self.describe()]

    def describe(self) -> dict[str, Any]:
        """What the record keeps of it."""
        description: dict[str, Any] = {
            "path": self.path,
            "sha256": self.sha256,
            "size": list(self.size),
        }
        if self.sent != self.size:
            description["sent"] = list(self.sent)
        if self.recoded:
            description["recoded"] = f"JPEG, quality {_JPEG_QUALITY}"
        return description


def embedded(file: str, start: int, text: bytes) -> ImageRef:
    """An image that lies as the base64 `text` in a file, from the byte `start` on.

    Its path tells the content, so that it stays what it is where the file is renamed or
    rewritten. Where it lies is told by the root alone, which no row of a benchmark decides.
    """
    digest = hashlib.sha256(_unwrapped(text)).hexdigest()[:32]
    return ImageRef(f"{_BY_CONTENT}{digest}", f"{file}#base64={start},{len(text)}")


_BY_CONTENT = "base64:"
_EMBEDDED = re.compile(r"(.+)#base64=(\d+),(\d+)", re.DOTALL)


def _unwrapped(text: bytes) -> bytes:
    """Base64 on one line. Lists as Python writes them may hold "\\n" as two characters."""
    return text.replace(b"\\n", b"").translate(None, b"\r\n\t ")


def resolve(ref: ImageRef) -> Path:
    """The file that `ref` names, which must lie below its root even through symlinks.

    Raises DataError for URLs, absolute paths, paths out of the folder and missing files.
    """
    if "://" in ref.path or ref.path.startswith("data:"):
        raise DataError(f"image {ref.path!r} is a URL; images must be files below {ref.root}")
    if "\0" in ref.path or Path(ref.path).is_absolute():
        raise DataError(f"image {ref.path!r} is not a path below {ref.root}")
    path = Path(ref.root, ref.path)
    try:
        if _leads_elsewhere(ref):
            path = path.resolve()
            if not path.is_relative_to(Path(ref.root).resolve()):
                link = link_out(ref)
                why = f": {told_link(ref.root, link)}" if link else ""
                raise DataError(f"image {ref.path!r} lies outside {ref.root}{why}")
        if not path.is_file():
            raise DataError(f"image {ref.path!r} is missing below {ref.root}")
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(f"image {ref.path!r} below {ref.root}: {error}") from None
    return path


def _leads_elsewhere(ref: ImageRef) -> bool:
    """True if there is a ``..`` or a symlink on the way from the root to the file."""
    way = Path(ref.path)
    return ".." in way.parts or any(Path(ref.root, step).is_symlink() for step in _steps(way))


def _steps(way: Path) -> list[Path]:
    """A relative path and those of its parents below the root, the longest first."""
    return [way, *way.parents][:-1]


def link_out(ref: ImageRef) -> str:
    """The link on the way to `ref` that leads out of its root, as a path below it; "" if none does."""
    root, way = Path(ref.root), Path(ref.path)
    if way.is_absolute() or ".." in way.parts:
        return ""
    try:
        for step in reversed(_steps(way)):
            link = root / step
            if link.is_symlink() and not link.resolve().is_relative_to(root.resolve()):
                return step.as_posix()
    except (OSError, ValueError, RuntimeError):  # a name that is too long, or links in a ring
        pass
    return ""


def told_link(root: str, link: str) -> str:
    """What a link below `root` that leads out of it is, and what to do about it."""
    return (
        f"{link} is a link to {Path(root, link).resolve()}, and no link may lead out of the folder; "
        "put the files there themselves, or name or link the folder that holds all of them"
    )


def read(ref: ImageRef) -> bytes:
    """The bytes of the file that `ref` names; DataError if they cannot be read."""
    inside = _EMBEDDED.fullmatch(ref.root) if ref.path.startswith(_BY_CONTENT) else None
    try:
        if inside:
            return _decoded(Path(inside[1]), int(inside[2]), int(inside[3]))
        return resolve(ref).read_bytes()
    except OSError as error:
        where = f" from {ref.root}" if inside else ""
        raise DataError(f"image {ref.path!r} cannot be read{where}: {error}") from None


def content_hash(ref: ImageRef) -> str | None:
    """What only images with the same content have in common; None for one that cannot be read."""
    if ref.path.startswith(_BY_CONTENT) and _EMBEDDED.fullmatch(ref.root):
        return ref.path
    try:
        return hashlib.sha256(read(ref)).hexdigest()
    except DataError:
        return None


def _decoded(path: Path, start: int, length: int) -> bytes:
    """The image in `length` bytes of a file from `start` on; OSError if they are no base64."""
    with path.open("rb") as file:
        file.seek(start)
        text = file.read(length)
    try:
        return base64.b64decode(_unwrapped(text), validate=True)
    except ValueError as error:
        raise OSError(f"no base64 there: {error}") from None


def load(
    ref: ImageRef, max_bytes: int = MAX_ENCODED_BYTES, original: bytes | None = None
) -> LoadedImage:
    """Read, check and encode the image that `ref` names; `original` is its file, if at hand.

    PNG, JPEG and WebP are sent byte for byte where nothing is to be changed. Other
    formats, an EXIF orientation, transparency (laid on white) and unusual colour modes
    are turned into an upright opaque PNG, and images above `max_bytes` are made smaller.

    Raises DataError naming the file for what cannot be read whole: a truncated or empty
    file, a file that is no image, an animation, a decompression bomb.
    """
    if original is None:
        original = read(ref)
    with _opened(ref, original) as image:
        loaded = _normalise(ref, original, image, max_bytes)
    return loaded


@contextlib.contextmanager
def _opened(ref: ImageRef, original: bytes) -> Iterator[Image.Image]:
    """The image that a file holds; whatever is wrong with it raises DataError naming the file."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(original)) as image:
            # Pillow warns where we refuse. Its warning is not made an error here: filters
            # belong to the whole process, and this runs in threads.
            if Image.MAX_IMAGE_PIXELS and image.width * image.height > Image.MAX_IMAGE_PIXELS:
                raise Image.DecompressionBombError
            yield image
    except UnidentifiedImageError:
        what = "is empty" if not original else "is not an image that Pillow can read"
        raise DataError(f"image {ref.path!r} {what} (in {ref.root})") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DataError(
            f"image {ref.path!r} is larger than {Image.MAX_IMAGE_PIXELS:,} pixels; make it smaller"
        ) from None
    except DataError:
        raise
    except Exception as error:  # Pillow's decoders raise many kinds on damaged files
        raise DataError(f"image {ref.path!r} is damaged: {type(error).__name__}: {error}") from None


def _normalise(ref: ImageRef, original: bytes, image: Image.Image, max_bytes: int) -> LoadedImage:
    from PIL import ImageOps

    mime = PASSED_THROUGH.get(image.format or "")
    if getattr(image, "n_frames", 1) > 1 and image.format != "MPO":
        raise DataError(
            f"image {ref.path!r} is an animation or has several pages; give one picture"
        )
    image.load()
    rotated = image.getexif().get(_ORIENTATION, 1) not in {0, 1}
    transparent = image.has_transparency_data
    if mime and not rotated and not transparent and image.mode in {"RGB", "L", "P", "1"}:
        upright, data = image, original
    else:
        upright = _opaque(ImageOps.exif_transpose(image))
        data, mime = _encoded(upright, "PNG"), "image/png"
    size = sent = upright.size
    lossy = False
    if len(data) > max_bytes:
        # A photograph stays one: as a PNG of the same weight it would be far smaller.
        lossy = image.format in {"JPEG", "MPO", "WEBP"}
        data, mime, sent = _shrink(_opaque(upright), max_bytes, "JPEG" if lossy else "PNG")
    return LoadedImage(
        path=ref.path,
        data=data,
        mime=mime,
        size=size,
        sent=sent,
        sha256=hashlib.sha256(original).hexdigest(),
        recoded=lossy,
    )


def load_shown(ref: ImageRef, files: Mapping[ImageRef, bytes]) -> LoadedImage:
    """What is sent for `ref`: one image, or several as one; `files` holds some that were read.

    Raises DataError as :func:`load` does.
    """
    if not isinstance(ref, JoinedRef):
        return load(ref, original=files.get(ref))
    parts = [load(file, original=files.get(file), max_bytes=sys.maxsize) for file in ref.files]
    return _joined(ref, parts, MAX_ENCODED_BYTES)


def _joined(ref: JoinedRef, parts: Sequence[LoadedImage], max_bytes: int) -> LoadedImage:
    """`parts` side by side in their own sizes, tops aligned, on white (InfiMM-Eval, C.1)."""
    from PIL import Image

    size = (sum(part.size[0] for part in parts), max(part.size[1] for part in parts))
    if Image.MAX_IMAGE_PIXELS and size[0] * size[1] > Image.MAX_IMAGE_PIXELS:
        raise DataError(
            f"images {ref.path!r} side by side are larger than {Image.MAX_IMAGE_PIXELS:,} pixels; "
            "make them smaller, or send them with --mm-images=separate"
        )
    canvas = Image.new("RGB", size, "white")
    left = 0
    for part in parts:
        canvas.paste(part.pil(), (left, 0))
        left += part.size[0]
    data, mime, sent = _encoded(canvas, "PNG"), "image/png", size
    lossy = False
    if len(data) > max_bytes:
        # A JPEG is at most 65,535 pixels wide.
        lossy = max(size) < 65_500 and all(part.mime != "image/png" for part in parts)
        data, mime, sent = _shrink(canvas, max_bytes, "JPEG" if lossy else "PNG")
    digest = hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest()
    # The record tells of the files: what was done to the whole was done to each.
    scale = sent[0] / size[0]
    light = tuple(
        replace(
            part,
            data=b"",
            sent=(max(1, round(part.size[0] * scale)), max(1, round(part.size[1] * scale))),
            recoded=lossy,
        )
        for part in parts
    )
    return LoadedImage(ref.path, data, mime, size, sent, digest, light, lossy)


def _opaque(image: Image.Image) -> Image.Image:
    """`image` as 8-bit RGB, transparency laid on white."""
    from PIL import Image

    if image.mode.startswith(("I", "F")):
        # Pillow clips deep greys to 8 bit instead of scaling them.
        deep = image.convert("F")
        low, high = deep.getextrema()
        top = 65535.0 if image.mode.startswith("I;16") else float(max(high, 1))  # type: ignore[arg-type]
        bottom = 0.0 if float(low) >= 0 else float(low)  # type: ignore[arg-type]
        scale = 255.0 / ((top - bottom) or 1.0)
        return deep.point(lambda v: v * scale - bottom * scale).convert("L").convert("RGB")
    if not image.has_transparency_data:
        flat = image.convert("RGB")
        if image.mode not in {"RGB", "P"}:
            flat.info.pop("icc_profile", None)  # made for the mode that the image had
        return flat
    rgba = image.convert("RGBA")
    white = Image.new("RGBA", rgba.size, "white")
    return Image.alpha_composite(white, rgba).convert("RGB")


def _encoded(image: Image.Image, kind: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **({"quality": _JPEG_QUALITY} if kind == "JPEG" else {}))
    return buffer.getvalue()


def _shrink(image: Image.Image, max_bytes: int, kind: str) -> tuple[bytes, str, tuple[int, int]]:
    """`image` as a `kind` of at most `max_bytes`, at the largest scale that the search finds."""
    from PIL import Image

    scale = 1.0
    data = _encoded(image, kind)
    while len(data) > max_bytes:
        scale *= min(0.95, (max_bytes / len(data)) ** 0.5)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        smaller = image.resize(size, Image.Resampling.LANCZOS)
        data = _encoded(smaller, kind)
        if size == (1, 1):
            break
    final = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return data, PASSED_THROUGH[kind], final


def thumbnail(ref: ImageRef, side: int) -> bytes:
    """The image that `ref` names as an upright, opaque WebP, neither side above `side` pixels.

    Of an animation, its first frame. Raises DataError as :func:`load` does.
    """
    from PIL import ImageOps

    with _opened(ref, read(ref)) as image:
        image.draft("RGB", (side, side))  # a JPEG is decoded at about the size that is wanted
        if image.mode in {"RGB", "RGBA", "L", "LA"}:  # small first: the rest is then cheap
            image.thumbnail((side, side))
        small = _opaque(ImageOps.exif_transpose(image))
        small.thumbnail((side, side))
        small.info.clear()  # neither profile nor EXIF data goes along
        buffer = io.BytesIO()
        small.save(buffer, "WEBP", quality=60, method=2)
    return buffer.getvalue()


def describe_unopened(refs: Iterable[ImageRef]) -> list[Mapping[str, Any]]:
    """What the record keeps of images that the run did not need to open."""
    return [{"path": file.path} for ref in refs for file in ref.files]
