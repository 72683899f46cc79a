"""Walking through the graph by keys: up and down along the edges, left and right along a row."""

from __future__ import annotations

from PySide6.QtCore import Qt

from gui.views.graph_arrange import Arrangement
from gui.views.graph_cards import Picture


def step_from(picture: Picture, arrangement: Arrangement, card: int, key: Qt.Key) -> int | None:
    """The card that a key leads to; None for other keys and where the way ends.

    Down goes to the consumer that stands nearest below, up to the producer nearest above. Home and End go to the
    first and the last card.
    """
    count = len(picture.cards)
    if not count:
        return None
    if key == Qt.Key.Key_Home or (card < 0 and key in (Qt.Key.Key_Down, Qt.Key.Key_Up)):
        return 0
    if key == Qt.Key.Key_End:
        return count - 1
    if card < 0:
        return None
    boxes = arrangement.cards
    here = boxes[card]
    if key == Qt.Key.Key_Down:
        after = [b for a, b in picture.edges if a == card]
        return min(after, key=lambda b: (boxes[b].y, abs(boxes[b].middle - here.middle)), default=None)
    if key == Qt.Key.Key_Up:
        before = [a for a, b in picture.edges if b == card]
        return max(before, key=lambda a: (boxes[a].y, -abs(boxes[a].middle - here.middle)), default=None)
    row = [i for i, box in enumerate(boxes) if abs(box.y - here.y) < here.height]
    if key == Qt.Key.Key_Right:
        return min((i for i in row if boxes[i].x > here.x), key=lambda i: boxes[i].x, default=None)
    if key == Qt.Key.Key_Left:
        return max((i for i in row if boxes[i].x < here.x), key=lambda i: boxes[i].x, default=None)
    return None
