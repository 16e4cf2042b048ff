"""Images arrive upright, opaque and in a type that endpoints read, or are refused by name."""

from __future__ import annotations

import hashlib
import io
import random
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_mmreason import imaging
from pytest_mmreason.errors import DataError
from pytest_mmreason.imaging import LoadedImage, load, load_shown, resolve
from pytest_mmreason.sample import ImageRef, JoinedRef

SIZE = (24, 16)


def encode(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def loaded(folder: Path, data: bytes, name: str = "a.png", **options: Any) -> LoadedImage:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return load(ImageRef(name, str(folder)), **options)


def refusal(folder: Path, data: bytes, name: str = "a.png") -> str:
    with pytest.raises(DataError) as caught:
        loaded(folder, data, name)
    assert repr(name) in str(caught.value)
    return str(caught.value)


def pixel(image: LoadedImage, at: tuple[int, int] = (0, 0)) -> Any:
    sent = Image.open(io.BytesIO(image.data))
    assert sent.size == image.sent
    return sent.convert("RGB").getpixel(at)


@pytest.mark.parametrize(
    "kind, mime", [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")]
)
@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a"])
def test_type_comes_from_the_content_and_the_bytes_stay_untouched(
    tmp_path: Path, kind: str, mime: str, name: str
) -> None:
    data = encode(Image.new("RGB", SIZE, "red"), kind)
    image = loaded(tmp_path, data, name)
    assert (image.data, image.mime, image.size, image.sent) == (data, mime, SIZE, SIZE)
    assert image.data_url.startswith(f"data:{mime};base64,")
    assert image.pil().mode == "RGB" and image.pil().size == SIZE
    assert image.describe() == {
        "path": name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": [24, 16],
    }


@pytest.mark.parametrize("mode", ["L", "1", "P"])
def test_plain_grey_bilevel_and_palette_pngs_pass_through(tmp_path: Path, mode: str) -> None:
    data = encode(Image.new("RGB", SIZE, "white").convert(mode), "PNG")
    image = loaded(tmp_path, data)
    assert image.data == data
    assert pixel(image) == (255, 255, 255)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_transparency_is_laid_on_white(tmp_path: Path, kind: str) -> None:
    picture = Image.new("RGBA", SIZE, (255, 0, 0, 0))
    picture.putpixel((0, 0), (0, 0, 255, 255))
    options = {"lossless": True} if kind == "WEBP" else {}
    image = loaded(tmp_path, encode(picture, kind, **options))
    assert image.mime == "image/png"
    assert (pixel(image), pixel(image, (5, 5))) == ((0, 0, 255), (255, 255, 255))


@pytest.mark.parametrize("mode, colour", [("P", 0), ("L", 0), ("RGB", (0, 0, 0)), ("1", 0)])
def test_a_transparent_colour_is_laid_on_white_too(tmp_path: Path, mode: str, colour: Any) -> None:
    picture = Image.new(mode, SIZE, colour)
    image = loaded(tmp_path, encode(picture, "PNG", transparency=colour))
    assert pixel(image) == (255, 255, 255)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_deep_greys_are_scaled_and_not_clipped(tmp_path: Path, kind: str) -> None:
    picture = Image.new("I;16", SIZE)
    picture.putpixel((0, 0), 65535)
    picture.putpixel((1, 0), 32768)
    image = loaded(tmp_path, encode(picture, kind))
    assert pixel(image, (0, 0)) == (255, 255, 255)
    assert pixel(image, (1, 0)) in {(127, 127, 127), (128, 128, 128)}
    assert pixel(image, (2, 0)) == (0, 0, 0)


def test_float_greys_are_scaled_from_their_own_range(tmp_path: Path) -> None:
    picture = Image.new("F", SIZE, -4.0)
    picture.putpixel((0, 0), 12.0)
    image = loaded(tmp_path, encode(picture, "TIFF"))
    assert (pixel(image), pixel(image, (3, 3))) == ((255, 255, 255), (0, 0, 0))


def test_cmyk_becomes_rgb_without_a_profile_that_is_for_inks(tmp_path: Path) -> None:
    picture = Image.new("CMYK", SIZE, (0, 255, 255, 0))
    image = loaded(tmp_path, encode(picture, "JPEG", icc_profile=b"for inks"), "a.jpg")
    assert image.mime == "image/png"
    red, green, blue = pixel(image)
    assert red > 240 and green < 15 and blue < 15
    assert "icc_profile" not in Image.open(io.BytesIO(image.data)).info


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "GIF", "PPM", "ICO"])
def test_other_formats_become_png(tmp_path: Path, kind: str) -> None:
    image = loaded(tmp_path, encode(Image.new("RGB", (16, 16), "blue"), kind))
    assert (image.mime, image.sent, pixel(image)) == ("image/png", (16, 16), (0, 0, 255))


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "TIFF"])
def test_animations_and_many_pages_are_refused_by_name(tmp_path: Path, kind: str) -> None:
    frames = [Image.new("RGB", SIZE, colour) for colour in ("red", "blue")]
    data = encode(frames[0], kind, save_all=True, append_images=frames[1:])
    assert "animation or has several pages" in refusal(tmp_path, data)


def test_a_photo_with_a_preview_in_its_file_is_a_jpeg(tmp_path: Path) -> None:
    photo, preview = Image.new("RGB", SIZE, "red"), Image.new("RGB", (2, 2))
    data = encode(photo, "MPO", save_all=True, append_images=[preview])
    image = loaded(tmp_path, data, "a.jpg")
    assert (image.mime, image.data, image.size) == ("image/jpeg", data, SIZE)


@pytest.mark.parametrize("orientation, size", [(1, (24, 16)), (3, (24, 16)), (6, (16, 24))])
def test_photos_arrive_upright(tmp_path: Path, orientation: int, size: tuple[int, int]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encode(Image.new("RGB", SIZE, "red"), "JPEG", exif=exif)
    image = loaded(tmp_path, data, "a.jpg")
    assert image.size == image.sent == size
    assert image.pil().size == size
    assert Image.open(io.BytesIO(image.data)).getexif().get(0x0112, 1) == 1
    assert (image.data == data) == (orientation == 1)


def noise(width: int, height: int) -> Image.Image:
    return Image.frombytes("RGB", (width, height), random.Random(1).randbytes(3 * width * height))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP"])
def test_large_images_are_shrunk_below_the_limit_and_say_so(tmp_path: Path, kind: str) -> None:
    data = encode(noise(200, 100), kind)
    image = loaded(tmp_path, data, max_bytes=5_000)
    assert len(image.data) <= 5_000 < len(data)
    assert image.describe()["sent"] == list(image.sent)
    assert image.describe()["size"] == [200, 100]
    width, height = image.sent
    assert 0 < width < 200 and abs(width - 2 * height) <= 2
    assert pixel(image) is not None


def test_what_shrinks_by_better_packing_alone_keeps_its_size(tmp_path: Path) -> None:
    data = encode(Image.new("RGB", (200, 100), "red"), "PNG", compress_level=0)
    image = loaded(tmp_path, data, max_bytes=5_000)
    assert len(image.data) <= 5_000 and image.sent == (200, 100)
    assert "sent" not in image.describe() and "recoded" not in image.describe()


def test_a_photograph_that_lost_detail_alone_says_so(tmp_path: Path) -> None:
    data = encode(noise(200, 100), "JPEG", quality=100, subsampling=0)
    image = loaded(tmp_path, data, max_bytes=len(data) * 3 // 4)
    assert len(image.data) < len(data) and image.sent == (200, 100)
    assert image.describe()["recoded"] == "JPEG, quality 92"
    assert "recoded" not in loaded(tmp_path, data).describe()


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("factor", [1.5, 3])
def test_decompression_bombs_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float
) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", int(24 * 16 / factor))
    message = refusal(tmp_path, encode(Image.new("RGB", SIZE), "PNG"))
    assert "larger than" in message and "pixels" in message


PNG = encode(noise(40, 40), "PNG")


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "is empty"),
        (b"not an image at all", "is not an image that Pillow can read"),
        (PNG[: len(PNG) // 2], "is damaged"),
        (PNG[:40], "is not an image"),
        (encode(noise(40, 40), "JPEG")[:600], "is damaged"),
        (encode(noise(40, 40), "WEBP")[:300], "is damaged"),
        (PNG.replace(b"IDAT", b"IDAX"), "is not an image"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path: Path, data: bytes, words: str) -> None:
    assert words in refusal(tmp_path, data)


@pytest.mark.parametrize(
    "path, words",
    [
        ("../secret.png", "lies outside"),
        ("images/../../secret.png", "lies outside"),
        ("link.png", "lies outside"),
        ("linked/secret.png", "lies outside"),
        ("/etc/passwd", "is not a path below"),
        ("http://example.org/a.png", "is a URL"),
        ("file:///etc/passwd", "is a URL"),
        ("data:image/png;base64,AAAA", "is a URL"),
        ("gone.png", "is missing"),
        ("images", "is missing"),
        ("", "is missing"),
        ("a\0.png", "is not a path below"),
        ("x" * 5000, "below"),
        ("loop.png", "loop.png"),
    ],
)
def test_only_files_below_the_folder_are_opened(tmp_path: Path, path: str, words: str) -> None:
    folder = tmp_path / "made"
    (folder / "images").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop.png").symlink_to(folder / "loop.png")
    with pytest.raises(DataError) as caught:
        load(ImageRef(path, str(folder)))
    assert words in str(caught.value)
    assert repr(path) in str(caught.value)


@pytest.mark.parametrize("name", ["a b.png", "图/猫 1.png", "été.jpg", "a#?%20&.png", "~a.png"])
def test_any_file_name_works(tmp_path: Path, name: str) -> None:
    assert loaded(tmp_path, PNG, name).data == PNG


def test_links_within_the_folder_work(tmp_path: Path) -> None:
    (tmp_path / "b.png").write_bytes(PNG)
    (tmp_path / "a.png").symlink_to("b.png")
    assert resolve(ImageRef("a.png", str(tmp_path))).name == "b.png"


def side_by_side(folder: Path, *files: bytes) -> LoadedImage:
    for number, data in enumerate(files):
        (folder / f"{number}.png").write_bytes(data)
    refs = tuple(ImageRef(f"{number}.png", str(folder)) for number in range(len(files)))
    return load_shown(JoinedRef.of(refs), {})


def test_joined_images_stand_side_by_side_in_their_own_sizes_on_white(tmp_path: Path) -> None:
    red = encode(Image.new("RGB", (3, 5), "red"), "PNG")
    half = encode(Image.new("RGBA", (4, 2), (0, 0, 255, 0)), "PNG")
    blue = encode(Image.new("RGB", (2, 4), "blue"), "PNG")
    image = side_by_side(tmp_path, red, half, blue)
    assert (image.size, image.sent, image.mime) == ((9, 5), (9, 5), "image/png")
    colours = {"red": (255, 0, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}
    rows = ["rrrwwwwbb", "rrrwwwwbb", "rrrwwwwbb", "rrrwwwwbb", "rrrwwwwww"]
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            expected = next(c for name, c in colours.items() if name[0] == letter)
            assert pixel(image, (x, y)) == expected, (x, y)
    assert [part["path"] for part in image.describe_files()] == ["0.png", "1.png", "2.png"]
    assert [part["size"] for part in image.describe_files()] == [[3, 5], [4, 2], [2, 4]]
    assert image.describe_files()[0]["sha256"] == hashlib.sha256(red).hexdigest()


def test_joined_images_stand_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    lying = encode(Image.new("RGB", SIZE, "red"), "JPEG", exif=exif)
    image = side_by_side(tmp_path, lying, lying)
    assert image.size == (2 * SIZE[1], SIZE[0])


def test_joined_images_are_made_smaller_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = [random.Random(seed).randbytes(3 * 60 * 60) for seed in (1, 2)]
    files = [encode(Image.frombytes("RGB", (60, 60), data), "PNG") for data in noise]
    monkeypatch.setattr(imaging, "MAX_ENCODED_BYTES", 12_000)
    image = side_by_side(tmp_path, *files)
    assert len(image.data) <= 12_000
    assert image.size == (120, 60)
    assert image.sent[0] < 120 and abs(image.sent[0] - 2 * image.sent[1]) <= 1
    assert image.describe()["sent"] == list(image.sent)
    # The record holds the files, and says of each how much of it was seen.
    for part in image.describe_files():
        assert part["size"] == [60, 60]
        assert abs(part["sent"][0] - image.sent[0] / 2) <= 1


def test_joined_images_too_large_together_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = encode(Image.new("RGB", (30, 30), "red"), "PNG")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(DataError, match=r"'0.png \+ 1.png' side by side .*--mm-images=separate"):
        side_by_side(tmp_path, data, data)
    with pytest.raises(DataError, match=r"'1.png' is not an image"):
        side_by_side(tmp_path, data, b"text")


def thumbnail(folder: Path, data: bytes, side: int = 16) -> Image.Image:
    (folder / "a").write_bytes(data)
    small = imaging.thumbnail(ImageRef("a", str(folder)), side)
    image = Image.open(io.BytesIO(small))
    image.load()
    assert (image.format, image.mode) == ("WEBP", "RGB")
    assert not image.info.get("exif") and not image.info.get("icc_profile")
    return image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"])
def test_thumbnails_keep_shape_and_colour(tmp_path: Path, kind: str) -> None:
    image = thumbnail(tmp_path, encode(Image.new("RGB", (96, 48), "red"), kind))
    assert image.size == (16, 8)
    red, green, blue = image.getpixel((8, 4))  # type: ignore[misc]
    assert red > 230 and green < 30 and blue < 30


def test_thumbnails_are_upright_and_never_larger_than_the_picture(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = encode(Image.new("RGB", (96, 48), "red"), "JPEG", exif=exif)
    assert thumbnail(tmp_path, turned).size == (8, 16)
    assert thumbnail(tmp_path, encode(Image.new("RGB", (5, 3)), "PNG")).size == (5, 3)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_thumbnails_lay_transparency_on_white(tmp_path: Path, mode: str) -> None:
    clear = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    clear.paste((255, 0, 0, 255), (0, 0, 64, 32))
    image = thumbnail(tmp_path, encode(clear.convert(mode), "PNG"), 64)
    assert min(image.getpixel((32, 60))) > 240  # type: ignore[type-var,arg-type]


def test_pictures_without_a_thumbnail_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = encode(Image.new("RGB", (96, 48)), "PNG")
    for broken in (data[:60], b"", b"text"):
        with pytest.raises(DataError, match="'a'"):
            thumbnail(tmp_path, broken)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 96 * 48 - 1)
    with pytest.raises(DataError, match="'a' is larger than"):
        thumbnail(tmp_path, data)
