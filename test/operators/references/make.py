"""Computes the files beside it from the definitions in the papers: NumPy 2.4, SciPy 1.17.

Nothing here is a translation of csiflow: spectra come from numpy.fft, distributions of velocities from an
exact solver (scipy.optimize.nnls), calibrations from array expressions.
"""

import json

import numpy as np
from scipy.optimize import nnls

C = 299792458.0
rng = np.random.default_rng(12)


def numbers(values, digits=17):
    """Complex arrays become pairs; floats with so many digits."""
    values = np.asarray(values)
    if np.iscomplexobj(values):
        values = np.stack([values.real, values.imag], axis=-1)
    return json.loads(json.dumps(values.tolist()), parse_float=lambda text: float(f"{float(text):.{digits}g}"))


def save(name, content):
    with open(f"{name}.json", "w") as out:
        json.dump(content, out, separators=(",", ":"))
        out.write("\n")


# Widar 3.0: a body at `body` that moves at `velocity`, between the ends of four links. Channels are sums of the direct
# path and the path by way of the body, whose length changes as it moves; powers of 0.32 s.
rate, frames, mhz = 200, 64, 5320.0
body, velocity = np.array([1.8, 2.3, 1.0]), np.array([0.9, -0.5, 0.0])
ends = np.array([[[0, 0, 1], [4, 0, 1.2]], [[4, 0, 1], [4, 4, 1.2]], [[4, 4, 1], [0, 4, 1.2]], [[0, 0, 1], [4, 4, 1.2]]])
carriers = (mhz + np.array([0.3125, 0.625])) * 1e6
# The body is at `body` in the middle of the window.
at = body + velocity * ((np.arange(frames) - frames / 2) / rate)[:, None]
length = np.linalg.norm(at[None] - ends[:, :1], axis=2) + np.linalg.norm(at[None] - ends[:, 1:], axis=2)
direct = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
wave = lambda metres: np.exp(-2j * np.pi * metres[..., None] * carriers / C)
csi = 3 * wave(direct)[:, None] + wave(length) + 0.02 * (rng.normal(size=(4, frames, 2)) + 1j * rng.normal(size=(4, frames, 2)))
csi = np.round(csi, 4).astype(np.complex64)

# Hertz for a metre per second, along x and y: the rate at which the path becomes shorter, over the wavelength.
nudge = 1e-6 * np.eye(3)[:2]
path = lambda point: np.linalg.norm(point - ends[:, 0], axis=1) + np.linalg.norm(point - ends[:, 1], axis=1)
axes = np.stack([(path(body - d) - path(body + d)) / 2e-6 for d in nudge], axis=1) * mhz * 1e6 / C

taper = np.exp(-0.5 * ((np.arange(frames) - frames / 2) / (frames / 4)) ** 2)
still = csi.astype(complex) - csi.astype(complex).mean(axis=1, keepdims=True)
power = (np.abs(np.fft.fft(still * taper[:, None], 2 * frames, axis=1)) ** 2).sum(axis=2)
power = np.fft.fftshift(power, axes=1)
above = np.maximum(0, power - np.median(power, axis=1, keepdims=True))
spectra = above / above.sum(axis=1, keepdims=True)

# Every velocity shows as a Gaussian lobe around its frequency, which aliases beyond the ends of the spectrum.
bins, limit, sparsity = 20, 2.0, 0.01
grid = ((2 * np.arange(bins) + 1) / bins - 1) * limit
vx, vy = np.meshgrid(grid, grid)
step, width = rate / (2 * frames), 4 * rate / (frames * 2 * np.sqrt(2) * np.pi)
hertz = (np.arange(2 * frames) - frames) * step
rows = []
for x, y in axes:
    away = (hertz[:, None] - (x * vx + y * vy).ravel()[None] + rate / 2) % rate - rate / 2
    lobe = np.exp(-0.5 * (away / width) ** 2)
    rows.append(lobe / lobe.sum(axis=0))
A, b = np.concatenate(rows), spectra.ravel()
# min |Ax - b|^2 / 2 + sparsity sum(x), x >= 0: with A'(Ax - b) + sparsity = 0 for what is not zero, least squares
# with b moved by a c for which A'c = -sparsity. Columns of A sum to 1 for each link, so c is a constant.
moved = b - sparsity / len(ends)
x, _ = nnls(A, moved, maxiter=100_000)
profile = x / x.sum()
fit = 1 - np.sum((A @ x - b) ** 2) / np.sum(b**2)
# The trunk: the densest cluster of shares, and the mean of those around it.
points = np.stack([vx.ravel(), vy.ravel()], axis=1)
close = lambda deviation: np.exp(-0.5 * np.sum((points[:, None] - points[None]) ** 2, axis=2) / deviation**2)
near = np.where(profile > 0, close(0.2) @ profile, -1)
weights = close(0.5)[np.argmax(near)] * profile
trunk = weights @ points / weights.sum()
print("velocity", trunk, "of", velocity[:2], "fit", fit, "shares", np.sort(profile)[::-1][:6])
save(
    "body-velocity",
    {
        "rate_hz": rate,
        "centre_mhz": mhz,
        "body": numbers(body[:2]),
        "velocity": numbers(velocity[:2]),
        "ends": numbers(ends),
        # [link, frame, subcarrier, (re, im)]
        "csi": numbers(csi, 7),
        "hertz_per_metre": numbers(axes, 12),
        "spectra": numbers(spectra, 15),
        "trunk": numbers(trunk),
        "fit": float(fit),
    },
)

# Calibration: three receive antennas, two streams, six subcarriers, packets with random gains, offsets and slopes; the
# third antenna's phase is another in each packet; the first one is silent in a few.
shape, k = (40, 3, 2, 6), np.array([-3, -2, -1, 1, 2, 3])
room = (rng.normal(size=shape[2:]) + 1j * rng.normal(size=shape[2:]) + 3) * np.array([1.0, 1.4, 0.8])[:, None, None]
turn = np.exp(1j * np.array([0.7, 0.0, -2.0]))[:, None, None]
packet = (1 + rng.random(40)) * np.exp(1j * rng.uniform(-np.pi, np.pi, 40))
slope = np.exp(1j * k * rng.normal(0, 0.2, 40)[:, None])
csi = 20 * room * turn * packet[:, None, None, None] * slope[:, None, None]
csi = csi + 0.2 * (rng.normal(size=shape) + 1j * rng.normal(size=shape))
csi[:, 2] *= np.exp(1j * rng.uniform(-np.pi, np.pi, 40))[:, None, None]
csi[[3, 20, 21], 0] = 0
csi = np.round(csi, 2).astype(np.complex64)
exact = csi.astype(complex)
amplitude = np.where(exact == 0, np.nan, np.abs(exact))
relative = amplitude / np.nanmean(amplitude, axis=(1, 2, 3), keepdims=True)
response = np.nanmean(relative, axis=0)
reference = int(np.argmax(response.sum(axis=(1, 2))))
against = (exact * exact[:, [reference]].conj()).sum(axis=(2, 3))
direction = np.divide(against, np.abs(against), out=np.zeros_like(against), where=against != 0).mean(axis=0)
phase = np.where(np.abs(direction) > 0.5, np.angle(direction), np.nan)
print("phase", phase, "of 0.7, 0, -2; steadiness", np.abs(direction))
corrected = exact[-1] / np.maximum(0.1, response) * np.exp(-1j * np.nan_to_num(phase))[:, None, None]
save(
    "calibrate",
    {
        # [frame, rx, tx, subcarrier, (re, im)]
        "csi": numbers(csi, 7),
        "response": numbers(response),
        "reference": reference,
        "phase": [None if np.isnan(one) else float(one) for one in phase],
        "corrected_last": numbers(corrected),
    },
)
