"""The kernel's adapter of PIL."""

from __future__ import annotations

from pathlib import Path

import pytest
from adapted import fingerprint

Image = pytest.importorskip("PIL.Image")
PngInfo = pytest.importorskip("PIL.PngImagePlugin").PngInfo


def saved(folder: Path, form: str, **options: object) -> Path:
    """Return a file with a picture of 64 by 64 pixels."""
    path = folder / f"picture.{form}"
    picture = Image.radial_gradient("L").resize((64, 64)).convert("RGB")
    (picture.convert("P") if form == "gif" else picture).save(path, **options)
    return path


@pytest.mark.parametrize("form", ["png", "jpeg", "gif", "bmp", "tiff", "webp", "ppm"])
def test_a_picture_that_is_looked_at_is_not_read_by_that(tmp_path: Path, form: str) -> None:
    with Image.open(saved(tmp_path, form)) as picture:
        tiles = [*picture.tile]
        before = fingerprint(picture)
        assert (picture.tile, before) == (tiles, fingerprint(picture)) != ([], "")
        picture.load()
        assert fingerprint(picture) == before
        picture.putpixel((0, 0), 3 if form == "gif" else (1, 2, 3))
        assert fingerprint(picture) != before


def test_how_a_picture_is_to_be_read_can_be_told_yet(tmp_path: Path) -> None:
    with Image.open(saved(tmp_path, "jpeg")) as picture:
        assert fingerprint(picture)
        picture.draft("L", (16, 16))
        assert "in another way" in fingerprint(picture, unknown=True)
        assert picture.size < (64, 64)
        picture.load()
        assert fingerprint(picture)


def test_frames_are_told_apart(tmp_path: Path) -> None:
    frames = [Image.new("L", (4, 4), shade) for shade in (0, 100, 200)]
    frames[0].save(tmp_path / "a.tiff", save_all=True, append_images=frames[1:])
    with Image.open(tmp_path / "a.tiff") as picture:
        found = []
        for number in range(3):
            picture.seek(number)
            found.append(fingerprint(picture))
    assert len({*found}) == 3


def test_texts_and_notes_are_seen(tmp_path: Path) -> None:
    texts = PngInfo()
    texts.add_text("k", "v")
    with Image.open(saved(tmp_path, "png", pnginfo=texts)) as picture:
        with_text = fingerprint(picture)
        picture.note = 1
        assert fingerprint(picture) != with_text
    with Image.open(saved(tmp_path, "png")) as picture:
        assert fingerprint(picture) != with_text


def test_false_negative_of_exif_that_is_changed(tmp_path: Path) -> None:
    with Image.open(saved(tmp_path, "jpeg")) as picture:
        before = fingerprint(picture)
        picture.getexif()[271] = "maker"
        assert fingerprint(picture) == before  # to ask for it makes it
