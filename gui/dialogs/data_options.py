"""How one input is filled: from pictures, or from raw files."""

from __future__ import annotations

from math import isclose, prod
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from engine.errors import DataError
from engine.interop.arrays import RawOptions
from engine.interop.pictures import ImageOptions, check_options
from gui import format as form
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
        self._name = info.name
        self.tall, self.wide = QSpinBox(), QSpinBox()
        for edge, name in ((self.tall, self.tr("Height")), (self.wide, self.tr("Width"))):
            edge.setRange(0, 16_384)
            edge.setSpecialValueText(self.tr("as input"))
            edge.setAccessibleName(name)
            edge.setToolTip(name)
        self.crop = _combo((("none", self.tr("stretch")), ("center", self.tr("cover and cut the middle out"))))
        self.scale = _combo(tuple((value, text) for value, text in SCALES))
        self.mean, self.std = QLineEdit(), QLineEdit()
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
            (2, 0, self.tr("Pixel values"), self.scale),
            (2, 2, self.tr("Channels"), self.channels),
            (3, 0, self.tr("then minus mean"), self.mean),
            (3, 2, self.tr("divided by std"), self.std),
            (4, 0, self.tr("Layout"), self.layout_),
        )
        for row, column, title, field in rows:
            grid.addWidget(label(title), row, column)
            grid.addWidget(field, row, column + 1)
            field.setAccessibleName(title)

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
