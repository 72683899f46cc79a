"""Well-known networks with published latencies, as hand-made netlists."""

from __future__ import annotations

from collections.abc import Callable

from netlist import Netlist

from engine.fusion.types import Network


def vgg(batch: int, plan: str) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = "x"
    for word in plan.split():
        t = net.pool(t, 2, 2) if word == "M" else net.conv(t, int(word))
    t = net.flatten(t)
    for width, after in ((4096, ("Relu",)), (4096, ("Relu",)), (1000, ())):
        t = net.linear(t, width, after)
    return net.network()


def vgg16(batch: int) -> Network:
    return vgg(batch, "64 64 M 128 128 M 256 256 256 M 512 512 512 M 512 512 512 M")


def vgg19(batch: int) -> Network:
    return vgg(batch, "64 64 M 128 128 M 256 256 256 256 M 512 512 512 512 M 512 512 512 512 M")


def alexnet(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.pool(net.conv("x", 64, 11, 4, pad=2), 3, 2)
    t = net.pool(net.conv(t, 192, 5), 3, 2)
    t = net.pool(net.conv(net.conv(net.conv(t, 384), 256), 256), 3, 2)
    t = net.flatten(t)
    for width, after in ((4096, ("Relu",)), (4096, ("Relu",)), (1000, ())):
        t = net.linear(t, width, after)
    return net.network()


def resnet(batch: int, blocks: tuple[int, ...], bottleneck: bool) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.pool(net.conv("x", 64, 7, 2), 3, 2, 1)
    for stage, (width, count) in enumerate(zip((64, 128, 256, 512), blocks, strict=True)):
        for block in range(count):
            stride = 2 if stage and not block else 1
            out = width * 4 if bottleneck else width
            short = t
            if net.shape(t)[1] != out or stride > 1:
                short = net.conv(t, out, 1, stride, after=())
            if bottleneck:
                t = net.conv(net.conv(t, width, 1), width, 3, stride)
                t = net.conv(t, out, 1, plus=short)
            else:
                t = net.conv(net.conv(t, width, 3, stride), width, plus=short)
    return net.network(net.linear(net.flatten(net.average(t)), 1000))


def resnet18(batch: int) -> Network:
    return resnet(batch, (2, 2, 2, 2), False)


def resnet50(batch: int) -> Network:
    return resnet(batch, (3, 4, 6, 3), True)


def resnet101(batch: int) -> Network:
    return resnet(batch, (3, 4, 23, 3), True)


def resnet152(batch: int) -> Network:
    return resnet(batch, (3, 8, 36, 3), True)


def mobilenetv1(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.conv("x", 32, 3, 2)
    for width, stride in (
        (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1), (512, 1), (512, 1),
        (1024, 2), (1024, 1),
    ):  # fmt: skip
        channels = net.shape(t)[1]
        t = net.conv(net.conv(t, channels, 3, stride, group=channels), width, 1)
    return net.network(net.linear(net.flatten(net.average(t)), 1000))


def mobilenetv2(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.conv("x", 32, 3, 2)
    for grow, width, count, first in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for block in range(count):
            stride, channels, source = first if not block else 1, net.shape(t)[1], t
            hidden = channels * grow
            t = net.conv(t, hidden, 1) if grow > 1 else t
            t = net.conv(t, hidden, 3, stride, group=hidden)
            t = net.conv(t, width, 1, after=(), plus=source if stride == 1 and channels == width else "")
    t = net.conv(t, 1280, 1)
    return net.network(net.linear(net.flatten(net.average(t)), 1000))


def squeezenet10(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.pool(net.conv("x", 96, 7, 2, pad=0), 3, 2, up=True)
    for squeeze, expand, pool in (
        (16, 64, False), (16, 64, False), (32, 128, True), (32, 128, False), (48, 192, False), (48, 192, False),
        (64, 256, True), (64, 256, False),
    ):  # fmt: skip
        s = net.conv(t, squeeze, 1)
        t = net.concat(net.conv(s, expand, 1), net.conv(s, expand, 3))
        t = net.pool(t, 3, 2, up=True) if pool else t
    return net.network(net.average(net.conv(t, 1000, 1)))


def vdsr(batch: int) -> Network:
    """20 convolutions of 64 channels on a picture of 256 x 256."""
    net = Netlist(x=(batch, 1, 256, 256))
    t = net.conv("x", 64, 3)
    for _ in range(18):
        t = net.conv(t, 64, 3)
    return net.network(net.conv(t, 1, 3, after=()))


def squeezenet11(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.pool(net.conv("x", 64, 3, 2, pad=0), 3, 2, up=True)
    for squeeze, expand, pool in (
        (16, 64, False), (16, 64, True), (32, 128, False), (32, 128, True), (48, 192, False), (48, 192, False),
        (64, 256, False), (64, 256, False),
    ):  # fmt: skip
        s = net.conv(t, squeeze, 1)
        t = net.concat(net.conv(s, expand, 1), net.conv(s, expand, 3))
        t = net.pool(t, 3, 2, up=True) if pool else t
    return net.network(net.average(net.conv(t, 1000, 1)))


def googlenet(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224))
    t = net.pool(net.conv("x", 64, 7, 2), 3, 2, up=True)
    t = net.pool(net.conv(net.conv(t, 64, 1), 192), 3, 2, up=True)
    table = (
        (64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), (),
        (192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64),
        (112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128), (),
        (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128),
    )  # fmt: skip
    for row in table:
        if not row:
            t = net.pool(t, 3, 2, up=True)
            continue
        a, b1, b2, c1, c2, d = row
        t = net.concat(
            net.conv(t, a, 1),
            net.conv(net.conv(t, b1, 1), b2),
            net.conv(net.conv(t, c1, 1), c2),
            net.conv(net.pool(t, 3, 1, 1), d, 1),
        )
    return net.network(net.linear(net.flatten(net.average(t)), 1000))


def efficientnet_b0(batch: int, *, swish_apart: bool = False) -> Network:
    """With or without Sigmoid and Mul of each Swish as kernels of their own."""
    net = Netlist(x=(batch, 3, 224, 224))

    def swished(source: str, *shape: int, **more: int) -> str:
        t = net.conv(source, *shape, after=() if swish_apart else ("Swish",), **more)
        return net.elementwise("Mul", t, net.elementwise("Sigmoid", t)) if swish_apart else t

    t = swished("x", 32, 3, 2)
    for grow, width, count, first, size in (
        (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ):  # fmt: skip
        for block in range(count):
            stride, channels, source = first if not block else 1, net.shape(t)[1], t
            hidden = channels * grow
            if grow > 1:
                t = swished(t, hidden, 1)
            t = swished(t, hidden, size, stride, group=hidden)
            gate = swished(net.average(t), max(1, channels // 4), 1)
            gate = net.conv(gate, hidden, 1, after=("Sigmoid",))
            t = net.elementwise("Mul", t, gate)
            same = stride == 1 and channels == width
            t = net.conv(t, width, 1, after=(), plus=source if same else "")
    t = swished(t, 1280, 1)
    return net.network(net.linear(net.flatten(net.average(t)), 1000))


def deit_small(batch: int) -> Network:
    net = Netlist(x=(batch, 3, 224, 224), class_token=(batch, 1, 384))
    t = net.conv("x", 384, 16, 16, pad=0, after=())
    t = net.transpose(net.add_reshape(t, (batch, 384, 196)), 0, 2, 1)
    t = net.concat("class_token", t)
    return encoder(net, t, heads=6, layers=12)


def bert_base(batch: int) -> Network:
    """Twelve layers of 768 on 128 tokens, without the embedding."""
    return encoder(Netlist(x=(batch, 128, 768)), "x", heads=12, layers=12)


def encoder(net: Netlist, t: str, *, heads: int, layers: int) -> Network:
    batch, tokens, width = net.shape(t)
    head = width // heads
    for _ in range(layers):
        normed = net.norm(t)
        q, k, v = (
            net.transpose(net.add_reshape(net.linear(normed, width), (batch, tokens, heads, head)), *order)
            for order in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
        )
        scores = net.softmax(net.matmul(q, k))
        joined = net.transpose(net.matmul(scores, v), 0, 2, 1, 3)
        t = net.elementwise("Add", net.linear(net.add_reshape(joined, (batch, tokens, width)), width), t)
        hidden = net.linear(net.norm(t), 4 * width, ("Gelu",))
        t = net.elementwise("Add", net.linear(hidden, width), t)
    return net.network(net.linear(net.norm(t), 1000))


ZOO: dict[str, Callable[[int], Network]] = {
    "vgg16": vgg16,
    "vgg19": vgg19,
    "alexnet": alexnet,
    "resnet18": resnet18,
    "resnet50": resnet50,
    "resnet101": resnet101,
    "resnet152": resnet152,
    "mobilenetv1": mobilenetv1,
    "squeezenet11": squeezenet11,
    "googlenet": googlenet,
    "efficientnet_b0": efficientnet_b0,
    "deit_small": deit_small,
}
