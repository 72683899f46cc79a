"""How one input is filled: from pictures, or from raw files."""

from __future__ import annotations

from math import isclose, prod
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from engine.errors import DataError
from engine.interop.arrays import RawOptions
from engine.interop.pictures import ImageOptions, check_options
from gui import format as form
from gui.dialogs.pixel_norm import NORMS, PixelNorm, ends, norm_of, norms_for
from gui.i18n import text as translated
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.graph.types import TensorInfo

SCALES = ((1 / 255, "÷ 255"), (1.0, "× 1"), (1 / 127.5, "÷ 127.5"))
DTYPES = ("float32", "float16", "float64", "uint8", "int8", "int16", "int32", "int64", "bool")


class BadInputError(Exception):
    """A field whose text can't be read; the message is for people and names the field."""


class ImageForm(QWidget):
    """Resize, crop, scale, mean, std, order of channels and layout of one input."""

    def __init__(self, info: TensorInfo) -> None:
        super().__init__()
        self._name, self._whole = info.name, info.dtype.kind in "ui"
        self.tall, self.wide = QSpinBox(), QSpinBox()
        for edge, name in ((self.tall, self.tr("Height")), (self.wide, self.tr("Width"))):
            edge.setRange(0, 16_384)
            edge.setSpecialValueText(self.tr("as input"))
            edge.setAccessibleName(name)
            edge.setToolTip(name)
        self.crop = _combo((("none", self.tr("stretch")), ("center", self.tr("cover and cut the middle out"))))
        self.scale = _combo(tuple((value, text) for value, text in SCALES))
        self.norm = _combo((*((n.key, self._title(n)) for n in norms_for(whole=self._whole)), ("own", self.tr("own"))))
        self.mean, self.std = QLineEdit(), QLineEdit()
        self.formula = label(role="caption")
        self.channels = _combo((("RGB", "RGB"), ("BGR", "BGR"), ("GRAY", self.tr("grey"))))
        self.layout_ = _combo((("NCHW", "NCHW"), ("NHWC", "NHWC")))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        grid.addWidget(_heading(info), 0, 0, 1, 4)
        size = QHBoxLayout()
        size.setSpacing(6)
        size.addWidget(self.tall)
        size.addWidget(label("×"))
        size.addWidget(self.wide)
        grid.addWidget(label(self.tr("Resize to")), 1, 0)
        grid.addLayout(size, 1, 1)
        rows = (
            (1, 2, self.tr("Shape"), self.crop),
            (2, 0, self.tr("Channels"), self.channels),
            (2, 2, self.tr("Layout"), self.layout_),
            (3, 0, self.tr("Normalisation"), self.norm),
            (3, 2, self.tr("Pixel values"), self.scale),
            (4, 0, self.tr("then minus mean"), self.mean),
            (4, 2, self.tr("divided by std"), self.std),
        )
        for row, column, title, field in rows:
            grid.addWidget(label(title), row, column)
            grid.addWidget(field, row, column + 1)
            field.setAccessibleName(title)
        grid.addWidget(self.formula, 5, 1, 1, 3)
        self._connect()

    def _connect(self) -> None:
        self._order = str(self.channels.currentData())
        """The channels that mean and std were written for."""
        self.norm.activated.connect(lambda _: self._on_norm())
        self.channels.activated.connect(lambda _: self._on_channels())
        for combo in (self.scale, self.channels):
            combo.currentIndexChanged.connect(lambda _: self._recognise())
        for field in (self.mean, self.std):
            field.textChanged.connect(lambda _: self._recognise())

    def _title(self, norm: PixelNorm) -> str:
        titles = {
            "unit": self.tr("0 … 1"),
            "imagenet": self.tr("ImageNet mean and std"),
            "signed": self.tr("−1 … 1"),
            "bytes": self.tr("0 … 255, pixels as they are"),
        }
        return titles[norm.key]

    def _on_norm(self) -> None:
        chosen = next((norm for norm in NORMS if norm.key == self.norm.currentData()), None)
        if chosen is not None:
            self._fill(chosen)
        else:
            self.mean.setFocus()
            self.mean.selectAll()

    def _on_channels(self) -> None:
        """The mean of red stays that of red, if the numbers are those of a known normalisation."""
        before, self._order = self._order, str(self.channels.currentData())
        norm = self._norm(before)
        if norm is not None and self._order != "GRAY":
            self._fill(norm)

    def _fill(self, norm: PixelNorm) -> None:
        mean, std = norm.in_order(str(self.channels.currentData()))
        _choose(self.scale, norm.scale)
        self.mean.setText(", ".join(map(repr, mean)))
        self.std.setText(", ".join(map(repr, std)))
        self._order = str(self.channels.currentData())
        self._recognise()

    def _norm(self, channels: str) -> PixelNorm | None:
        try:
            return norm_of(self.options(), channels, whole=self._whole)
        except BadInputError:
            return None

    def _recognise(self) -> None:
        """Name what the fields say now, and say what pixels become."""
        norm = self._norm(str(self.channels.currentData()))
        _choose(self.norm, norm.key if norm is not None else "own")
        try:
            low, high = ends(self.options(), whole=self._whole)
        except BadInputError:
            self.formula.clear()
            return
        words = self.tr("(pixel {scale} − mean) ÷ std; pixels from 0 to 255 become {low} to {high}")
        self.formula.setText(words.format(scale=self.scale.currentText(), low=_figure(low), high=_figure(high)))

    def take(self, options: ImageOptions) -> None:
        """Show these options."""
        height, width = options.resize or (0, 0)
        self.tall.setValue(height)
        self.wide.setValue(width)
        _choose(self.crop, options.crop)
        known = [i for i in range(self.scale.count()) if isclose(self.scale.itemData(i), options.scale, rel_tol=1e-6)]
        if not known:
            self.scale.addItem(f"× {options.scale:.6g}", options.scale)
        self.scale.setCurrentIndex(known[0] if known else self.scale.count() - 1)
        self.mean.setText(", ".join(map(repr, options.mean)))
        self.std.setText(", ".join(map(repr, options.std)))
        _choose(self.channels, options.channels)
        _choose(self.layout_, options.layout)
        self._order = options.channels
        self._recognise()

    def shown(self) -> tuple[object, ...]:
        """What the fields hold now, readable or not."""
        size = self.tall.value(), self.wide.value()
        choices = tuple(combo.currentIndex() for combo in (self.crop, self.scale, self.channels, self.layout_))
        return (*size, *choices, self.mean.text(), self.std.text())

    def options(self) -> ImageOptions:
        """What is set.

        Raises:
            BadInputError: mean or std are no numbers, one of them is missing, or std is not positive.
        """
        height, width = self.tall.value(), self.wide.value()
        std = _numbers(self.std, self.tr("{input}: std must be numbers, such as 0.229, 0.224, 0.225"), self._name)
        if any(value == 0 for value in std):
            raise BadInputError(self.tr("{input}: std must not be 0").format(input=self._name))
        made = ImageOptions(
            resize=(height, width) if height and width else None,
            crop=self.crop.currentData(),
            mean=_numbers(self.mean, self.tr("{input}: mean must be numbers, such as 0.485, 0.456, 0.406"), self._name),
            std=std,
            scale=float(self.scale.currentData()),
            channels=self.channels.currentData(),
            layout=self.layout_.currentData(),
        )
        try:
            check_options(made, self._name)
        except DataError as error:
            raise BadInputError(translated(error.text)) from error
        return made


class RawForm(QWidget):
    """Type and shape of what a file without a header holds."""

    def __init__(self, info: TensorInfo) -> None:
        super().__init__()
        self._info = info
        self.dtype = _combo(tuple((name, name) for name in DTYPES))
        self.shape = QLineEdit()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(3, 1)
        grid.addWidget(_heading(info), 0, 0, 1, 4)
        for column, title, field in ((0, self.tr("Type"), self.dtype), (2, self.tr("Shape"), self.shape)):
            grid.addWidget(label(title), 1, column)
            grid.addWidget(field, 1, column + 1)
            field.setAccessibleName(title)

    def take(self, options: RawOptions) -> None:
        """Show these options."""
        _choose(self.dtype, options.dtype)
        self.shape.setText(form.dims(options.shape or self._info.shape))

    def options(self) -> RawOptions:
        """What is set.

        Raises:
            BadInputError: the shape is no list of sizes, or holds another number of values than the input.
        """
        name = self._info.name
        try:
            words = self.shape.text().replace("×", " ").replace("x", " ").replace(",", " ").split()
            shape = tuple(int(word) for word in words)
        except ValueError:
            raise BadInputError(self.tr("{input}: write the shape as 1×3×224×224").format(input=name)) from None
        if any(size < 1 for size in shape) or prod(shape) != self._info.elements:
            raise BadInputError(
                self.tr("{input}: the shape must hold {count} values, as the input does").format(
                    input=name, count=form.integer(self._info.elements)
                )
            )
        return RawOptions(str(self.dtype.currentData()), shape)


def _heading(info: TensorInfo) -> QWidget:
    return label(f"{info.name}   {info.dtype.name} {form.dims(info.shape)}", "strong")


def _figure(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _combo(choices: tuple[tuple[object, str], ...]) -> QComboBox:
    made = QComboBox()
    for key, title in choices:
        made.addItem(title, key)
    return made


def _choose(combo: QComboBox, key: object) -> None:
    combo.setCurrentIndex(max(0, combo.findData(key)))


def _numbers(field: QLineEdit, problem: str, name: str) -> tuple[float, ...]:
    try:
        found = tuple(float(word) for word in field.text().replace(",", " ").split())
    except ValueError:
        found = ()
    if not found:
        raise BadInputError(problem.format(input=name))
    return found
