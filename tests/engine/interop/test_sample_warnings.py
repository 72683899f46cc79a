"""Each doubt about samples: what raises it, and what like it doesn't. Photographs are those of a sample's pages and
pieces of natural pictures that the tests draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from engine.graph.types import TensorInfo
from engine.interop import sample_warnings as doubts
from engine.interop.pictures import ImageOptions, read_options
from engine.interop.samples import DataSource, load_samples
from engine.numerics.sample_statistics import moments_of, set_statistics
from engine.numerics.samples import SampleSet
from engine.paths import sample_models

IMAGENET = ImageOptions(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
X = TensorInfo("x", np.dtype(np.float32), (1, 3, 40, 48))
LAST = replace(X, shape=(1, 40, 48, 3))


def scene(seed: int, warm: float = 0.3) -> np.ndarray:
    """A picture with soft shapes, shadows and a little noise; redder than blue, as photographs are on average."""
    rng = np.random.default_rng(seed)
    light, colour = rng.integers(0, 256, (6, 7, 1)), rng.integers(-30, 30, (6, 7, 3))
    coarse = Image.fromarray(np.clip(light + colour, 0, 255).astype(np.uint8))
    values = np.asarray(coarse.resize((48, 40), Image.Resampling.BICUBIC), np.float32) + rng.normal(0, 2, (40, 48, 3))
    tint = np.array([1 + warm, 1, 1 - warm])
    return np.clip(values * tint * rng.uniform(0.6, 1.1), 0, 255).astype(np.uint8)


def sample_set(arrays) -> SampleSet:
    names = tuple(f"d.npy[{i}]" for i in range(len(arrays)))
    return SampleSet([{"x": a.astype(np.float32)[None]} for a in arrays], "d", names=names)


def planes(count=12, start=0, options=IMAGENET, order=1):
    """Scenes prepared as a model wants them."""
    rows = [
        ((scene(start + i)[..., ::order] / 255 - options.mean) / options.std).transpose(2, 0, 1) for i in range(count)
    ]
    return sample_set(rows)


def said(found) -> list[str]:
    return [str(text) for text in found]


@pytest.fixture
def folder(tmp_path):
    for i in range(12):
        Image.fromarray(scene(i)).save(tmp_path / f"{i:02}.png")
    return tmp_path


def promised(folder, options: ImageOptions) -> list[str]:
    source = DataSource("images", str(folder), images={"x": options})
    found = set_statistics(load_samples(source, [X]), [X])
    return said(doubts.promises(source, found, [X]))


# how many, which -----------------------------------------------------------------------------------------------------


def test_fewer_than_a_hundred():
    assert "Only 99 calibration" in said(doubts.few(sample_set([np.zeros(2)] * 99)))[0]
    assert said(doubts.few(sample_set([np.zeros(2)] * 100))) == []


def test_few_evaluation_samples_are_said():
    assert "Only 1 evaluation sample:" in said(doubts.sparse(sample_set([np.zeros(2)])))[0]
    assert "Only 7 evaluation samples:" in said(doubts.sparse(sample_set([np.zeros(2)] * 7)))[0]
    assert said(doubts.sparse(sample_set([np.zeros(2)] * 8))) == []


def test_overlap_is_found_by_content():
    one, other = planes(10), planes(10, start=8)
    seen = [set_statistics(s, [X]) for s in (one, other)]
    assert "2 of 10 evaluation samples" in said(doubts.overlap(*seen))[0]
    apart = set_statistics(planes(10, start=50), [X])
    assert said(doubts.overlap(seen[0], apart)) == []


# what preprocessing promises -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        replace(IMAGENET, scale=1.0),
        replace(IMAGENET, mean=(123.675, 116.28, 103.53), std=(58.395, 57.12, 57.375)),
        replace(IMAGENET, mean=(123.675, 116.28, 103.53)),
    ],
)
def test_scale_and_mean_that_do_not_go_together(folder, wrong):
    (sentence,) = promised(folder, wrong)
    assert "promise values near 0 and 1" in sentence


@pytest.mark.parametrize(
    "wrong", [ImageOptions(mean=(123.0, 117.0, 104.0)), ImageOptions(scale=1.0, mean=IMAGENET.mean)]
)
def test_a_mean_that_is_of_other_pixels_than_the_scale(folder, wrong):
    (sentence,) = promised(folder, wrong)
    assert "the given mean promises values around 0" in sentence


@pytest.mark.parametrize(
    "right",
    [
        IMAGENET,
        ImageOptions(),
        ImageOptions(scale=1.0),
        ImageOptions(scale=1.0, mean=(123.675, 116.28, 103.53), std=(58.395, 57.12, 57.375)),
        ImageOptions(mean=(0.5,), std=(0.5,)),
        ImageOptions(scale=1 / 127.5, mean=(1.0,), std=(1.0,)),
        ImageOptions(scale=1.0, mean=(123.0, 117.0, 104.0)),
        ImageOptions(mean=(0.485, 0.456, 0.406)),
    ],
)
def test_usual_preprocessing_raises_no_doubt(folder, right):
    assert promised(folder, right) == []


def test_channels_against_the_order_of_the_mean(folder):
    warm = replace(IMAGENET, mean=(0.60, 0.45, 0.32))
    assert promised(folder, warm) == []
    (sentence,) = promised(folder, replace(warm, channels="BGR"))
    assert "RGB or BGR" in sentence
    assert promised(folder, replace(warm, channels="BGR", mean=(0.32, 0.45, 0.60))) == []


def test_white_pages_prepared_as_their_model_was_trained_raise_no_doubt():
    """Channels in blue-green-red order with a mean in the other: meant so, and pages say nothing against it."""
    path = sample_models() / "page_orientation" / "calibration"
    info = TensorInfo("x", np.dtype(np.float32), (1, 3, 224, 224))
    source = DataSource("images", str(path), images=read_options(path))
    samples = load_samples(source, [info], limit=16)
    found = set_statistics(samples, [info])
    assert said(doubts.promises(source, found, [info])) == []
    assert said(doubts.unlike(samples, found, [info])) == []


ARRAYS = DataSource("arrays", "d.npy")


def test_layout_is_seen_in_the_order_of_values():
    pixels = [((scene(i) / 255 - IMAGENET.mean) / IMAGENET.std) for i in range(10)]
    grey = [np.repeat(p[..., :1], 3, 2) for p in pixels]
    for colour in (pixels, grey):
        interleaved = sample_set([p.reshape(3, 40, 48) for p in colour])
        right = sample_set([p.transpose(2, 0, 1) for p in colour])
        assert "wants NCHW" in said(doubts.promises(ARRAYS, set_statistics(interleaved, [X]), [X]))[0]
        assert said(doubts.promises(ARRAYS, set_statistics(right, [X]), [X])) == []
        planar = sample_set([p.transpose(2, 0, 1).reshape(40, 48, 3) for p in colour])
        assert "wants NHWC" in said(doubts.promises(ARRAYS, set_statistics(planar, [LAST]), [LAST]))[0]
        assert said(doubts.promises(ARRAYS, set_statistics(sample_set(colour), [LAST]), [LAST])) == []
    noise = sample_set([np.random.default_rng(i).standard_normal((40, 48, 3)) for i in range(10)])
    assert said(doubts.promises(ARRAYS, set_statistics(noise, [LAST]), [LAST])) == []


def test_sets_that_were_prepared_in_two_ways():
    calibration = set_statistics(planes(12), [X])
    raw = set_statistics(sample_set([scene(100 + i).transpose(2, 0, 1) for i in range(12)]), [X])
    assert "different ways" in said(doubts.apart(calibration, raw, [X]))[0]
    swapped = set_statistics(planes(12, 100, order=-1), [X])
    assert "opposite order" in said(doubts.apart(calibration, swapped, [X]))[0]
    assert said(doubts.apart(calibration, set_statistics(planes(12, 100), [X]), [X])) == []
    strange = planes(12, 100)
    strange.feeds[3]["x"][:] *= 1000
    assert said(doubts.apart(calibration, set_statistics(strange, [X]), [X])) == []  # one is not the whole set
    assert said(doubts.apart(calibration, set_statistics(planes(3, 100, order=-1), [X]), [X])) == []  # too few to say


# one unlike the others -----------------------------------------------------------------------------------------------


def test_a_sample_unlike_the_others_is_named():
    good = planes(24)
    assert said(doubts.unlike(good, set_statistics(good, [X]), [X])) == []
    for place, change in ((5, lambda a: a * 60 + 100), (17, lambda a: a * 40)):
        feeds = [dict(feed) for feed in good.feeds]
        feeds[place]["x"] = change(feeds[place]["x"])
        odd = replace(good, feeds=feeds)
        sentence = said(doubts.unlike(odd, set_statistics(odd, [X]), [X]))[0]
        assert sentence.startswith(f"d.npy[{place}] is unlike the others")
    several = replace(good, feeds=[{"x": f["x"] * (90 if i in (3, 9) else 1)} for i, f in enumerate(good.feeds)])
    assert "2 samples" in said(doubts.unlike(several, set_statistics(several, [X]), [X]))[1]
    few = replace(good, feeds=feeds[14:19], names=())
    assert said(doubts.unlike(few, set_statistics(few, [X]), [X])) == []


def test_ids_of_tokens_are_never_unlike():
    ids = TensorInfo("x", np.dtype(np.int64), (1, 5))
    feeds = [{"x": np.full((1, 5), 3 if i else 9_000_000)} for i in range(20)]
    samples = SampleSet(feeds, "ids")
    assert said(doubts.unlike(samples, set_statistics(samples, [ids]), [ids])) == []


def test_a_sample_that_alone_sets_the_ranges_is_named():
    rng = np.random.default_rng(0)
    spans = {f"t{i}": np.sort(rng.uniform(-3, 3, (30, 2)), axis=1) for i in range(8)}
    samples = sample_set([np.zeros(1)] * 30)
    assert said(doubts.widening(samples, spans)) == []
    for name in ("t1", "t4", "t6"):
        spans[name][11] = (-40, 55)
    assert doubts.widens(spans).tolist() == [3 if i == 11 else 0 for i in range(30)]
    sentence = said(doubts.widening(samples, spans))[0]
    assert sentence.startswith("d.npy[11] alone makes 3 of 8")
    spans["t6"][11] = (-1, 1)
    spans["t4"][11] = (-1, 1)
    assert said(doubts.widening(samples, spans)) == []  # one activation is no pattern
    assert said(doubts.widening(samples, {"t": np.full((30, 2), (np.inf, -np.inf))})) == []


def test_statistics_are_those_of_numpy():
    values = np.random.default_rng(0).standard_normal((5, 1, 3, 40, 48)).astype(np.float16) * 30
    samples = SampleSet([{"x": v} for v in values], "d")
    found = set_statistics(samples, [replace(X, dtype=np.dtype(np.float16))])
    wide = values.astype(np.float64)
    for column, read in enumerate((np.min, np.max, np.mean, np.std)):
        np.testing.assert_allclose(found.moments["x"][:, column], [read(v) for v in wide], rtol=1e-6)
    overall = found.overall("x")
    np.testing.assert_allclose(overall, (wide.min(), wide.max(), wide.mean(), wide.std()), rtol=1e-6)
    np.testing.assert_allclose(found.channels["x"], wide.mean(axis=(1, 3, 4)), rtol=1e-5, atol=1e-6)
    assert moments_of(np.zeros((0, 3), np.float32)) == (0, 0, 0, 0)
