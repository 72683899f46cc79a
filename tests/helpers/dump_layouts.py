"""The forward conversions of device layouts, written from their definition and used by nothing but tests."""

import numpy as np


def nc1hwc0(x, c0):
    n, c, h, w = x.shape
    c1 = -(-c // c0)
    padded = np.zeros((n, c1 * c0, h, w), x.dtype)
    padded[:, :c] = x
    return padded.reshape(n, c1, c0, h, w).transpose(0, 1, 3, 4, 2)


def fractal_nz(x, c0):
    *lead, h, w = x.shape
    h1, w1 = -(-h // 16), -(-w // c0)
    padded = np.zeros((*lead, h1 * 16, w1 * c0), x.dtype)
    padded[..., :h, :w] = x
    return np.moveaxis(padded.reshape(*lead, h1, 16, w1, c0), -2, -4)


def fractal_z_of_groups(x, c0, groups):
    """As GE's transfer of grouped weights defines it: element by element onto the diagonal of merged blocks."""
    n, c, d, h, w = x.shape
    each = n // groups
    merged = min(np.lcm(np.lcm(c, c0) // c, np.lcm(each, 16) // each), groups)
    c1, rows = -(-merged * c // c0), -(-merged * each // 16) * 16
    made = np.zeros((-(-groups // merged), d, c1, h, w, rows, c0), x.dtype)
    for g in range(groups):
        for a in range(each):
            for b in range(c):
                row, column = g % merged * each + a, g % merged * c + b
                made[g // merged, :, column // c0, :, :, row, column % c0] = x[g * each + a, b]
    return made.reshape(-1, rows // 16, 16, c0)


def fractal_z(x, c0):
    n, c, h, w = x.shape
    made = np.zeros((-(-c // c0) * h * w, -(-n // 16), 16, c0), x.dtype)
    for a in range(n):
        for b in range(c):
            for i in range(h):
                for j in range(w):
                    made[(b // c0 * h + i) * w + j, a // 16, a % 16, b % c0] = x[a, b, i, j]
    return made


def counting(shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
