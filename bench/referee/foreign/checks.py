"""Checks the physics of scenes.py against closed forms and bounds. Run from bench/referee: python -m foreign.checks"""

import sys

import numpy as np

from foreign import channel
from foreign.channel import Body, Link, Room, TONES, WAVE
from foreign.receiver import RATE_HZ, Receiver
from foreign.walker import Walker

SIZE = [5.0, 4.0, 2.6]
ENDS = [0.1, 0.5, 1.0], [4.9, 3.2, 1.4]
failed = []


def report(name, value, low, high, unit):
    print(f"{'ok  ' if low <= value <= high else 'FAIL'} {name}: {value:.3g} {unit} ({low:g} to {high:g})")
    if not low <= value <= high:
        failed.append(name)


def room_of(index):
    return Room(SIZE, np.random.default_rng(index))


def link_of(room, tail=0, ends=ENDS):
    return Link(room, *ends, tail, np.random.default_rng(7))


def free_space():
    room = room_of(0)
    room.epsilon = [1 + 0j] * 6
    along = np.array(ENDS[1]) - ENDS[0]
    length = np.linalg.norm(along)
    expected = WAVE / (4 * np.pi * length) * channel.pattern(along / length) ** 2
    level = 20 * np.log10(np.abs(link_of(room).empty()) / expected)
    report("free space, largest deviation of a carrier", np.abs(level).max(), 0, 1e-9, "dB")


def normal_incidence():
    """Concrete reflects 39 % of the field at right angles: (1 - n) / (1 + n)."""
    value = abs(channel.fresnel(channel.permittivity("concrete"), 1.0, False))
    report("concrete at right angles", value, 0.39, 0.41, "")
    angle = np.arctan(np.sqrt(3.66))
    report("no reflection at Brewster's angle", abs(channel.fresnel(3.66, np.cos(angle), True)), 0, 1e-9, "")


def reciprocity():
    room, walker = room_of(1), Walker(SIZE, np.random.default_rng(1))
    body = Body(walker, np.arange(10, 20, 0.5))
    there, back = link_of(room), link_of(room, ends=ENDS[::-1])
    difference = np.abs(there.respond(body) - back.respond(body)) / np.abs(there.empty())
    report("ends exchanged, largest difference", difference.max(), 0, 1e-4, "of the field")


def knife_edge():
    """The loss behind one edge of a wide, high screen against the approximation of ITU-R P.526, equation 31."""
    deviations = []
    for v in np.arange(-0.5, 3, 0.1):
        field = 1 - 0.5j * (channel.integrals(np.array(60.0)) - channel.integrals(np.array(-v))) * (1 - 1j)
        loss = -20 * np.log10(np.abs(field))
        deviations.append(abs(loss - (6.9 + 20 * np.log10(np.sqrt((v - 0.1) ** 2 + 1) + v - 0.1))))
    report("knife edge, largest deviation from ITU-R P.526", np.max(deviations), 0, 0.5, "dB")


def cross_section():
    """Slices of a cylinder, seen from far away, add up to k a L^2."""
    far, radius, count, length = 1e4, 0.15, 10, 0.6
    node = np.array([far, 0, 0])
    fields, lengths = zip(*(
        channel.echo(np.array([[0, 0, z]]), np.array([[0, 0, 1.0]]), radius, length / count, node, node)[:2]
        for z in (np.arange(count) - 4.5) * length / count))
    found = np.abs(channel.spread(np.array(fields), np.array(lengths)))[0, 26] / abs(channel.BODY)
    sigma = (found * far**2 * np.sqrt(4 * np.pi) * 4 * np.pi / WAVE) ** 2
    report("cylinder, cross-section over k a L^2", 10 * np.log10(sigma / (channel.NUMBER * radius * length**2)), -0.2, 0.2, "dB")


def walkers():
    """Doppler and level of what moves, with and without diffuse paths, of ten walkers."""
    for tail in (0, 30):
        beyond, levels = [], []
        for seed in range(10):
            walker = Walker(SIZE, np.random.default_rng(seed))
            times = np.arange(8, 28, 1 / 400)
            link = link_of(room_of(seed), tail)
            response = link.respond(Body(walker, times))[:, 26]
            speeds = np.linalg.norm(np.diff(walker.joints, axis=0), axis=2).max() * 100
            moved = response - response.mean()
            power = np.abs(np.fft.fft(moved * np.hanning(len(moved)))) ** 2
            shift = np.abs(np.fft.fftfreq(len(moved), 1 / 400))
            beyond.append(power[shift > 2 * speeds / WAVE].sum() / power.sum())
            levels.append(10 * np.log10(np.mean(np.abs(moved) ** 2) / np.mean(np.abs(link.empty()) ** 2)))
        report(f"{tail} diffuse paths: power beyond 2 v / wavelength", np.max(beyond), 0, 0.01, "of what moves")
        report(f"{tail} diffuse paths: moving over static, median", float(np.median(levels)), -30, -5, "dB")
        print(f"     of ten links: {', '.join(f'{level:.0f}' for level in sorted(levels))} dB")


def receivers():
    """The SNR of amplitudes that arrive from an empty room, after 8 bits, against the one that was drawn."""
    deviations = []
    for seed in range(10):
        link, rng = link_of(room_of(seed), 30), np.random.default_rng(seed)
        receiver = Receiver(1, link.empty(), rng)
        times, numbers = receiver.times(60, rng)
        packets = receiver.records(np.tile(link.empty(), (len(times), 1)), numbers, rng)
        values = packets["values"][:, TONES % 64].astype(float)
        shapes = np.hypot(values[..., 0], values[..., 1])
        shapes /= np.sqrt(np.mean(shapes**2, axis=1, keepdims=True))
        snr = -10 * np.log10(2 * np.mean(shapes.var(axis=0)))
        rounding = 2 / 12 / 20**2
        deviations.append(abs(snr + 10 * np.log10(receiver.noise / receiver.level + rounding)))
        report("packets in a minute", len(times) / 60 / RATE_HZ, 0.975, 1, "of those sent")
    report("SNR of amplitudes, largest deviation from the drawn one", np.max(deviations), 0, 1.5, "dB")


def gaits():
    walker = Walker(SIZE, np.random.default_rng(3))
    speeds = np.linalg.norm(np.diff(walker.places, axis=0), axis=1) * 100
    report("fastest walk", speeds.max(), 0.5, 1.5, "m/s")
    report("lowest ankle", walker.joints[:, 15:, 2].min(), 0.03, 0.12, "m")
    report("fastest joint", np.linalg.norm(np.diff(walker.joints, axis=0), axis=2).max() * 100, 1, 7, "m/s")


for check in (free_space, normal_incidence, reciprocity, knife_edge, cross_section, gaits, walkers, receivers):
    check()
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
