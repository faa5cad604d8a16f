"""
The channel of one link: images of the walls, a diffuse tail, and a body that scatters and obstructs. Metres; fields are
complex, time dependence exp(+j w t).
"""

import itertools

import numpy as np

from foreign.walker import JOINTS

LIGHT = 299_792_458.0
CARRIER_HZ, SPACING_HZ = 2.437e9, 312_500.0
# Carriers of a legacy long training field of 20 MHz.
TONES = np.array([*range(-26, 0), *range(1, 27)])
WAVE = LIGHT / CARRIER_HZ
NUMBER = 2 * np.pi / WAVE
NEAREST_M = 0.2

# Relative permittivity and conductivity in S/m: ITU-R P.2040-3, table 3, at 2.437 GHz.
MATERIALS = {
    "concrete": (5.24, 0.0462 * 2.437**0.7822), "brick": (3.91, 0.0238 * 2.437**0.16),
    "plasterboard": (2.73, 0.0085 * 2.437**0.9395), "wood": (1.99, 0.0047 * 2.437**1.0718),
    "glass": (6.31, 0.0036 * 2.437**1.3394), "floorboard": (3.66, 0.0044 * 2.437**1.3515),
}
WALLS, FLOORS, CEILINGS = ("concrete", "brick", "plasterboard", "wood", "glass"), ("concrete", "floorboard"), ("concrete", "plasterboard")
# Muscle (Gabriel and others 1996), at normal incidence.
BODY = -abs((1 - np.sqrt(52.7 - 12.8j)) / (1 + np.sqrt(52.7 - 12.8j)))
# Half axes of the trunk that obstructs: across and along the heading.
ACROSS_M, ALONG_M = 0.22, 0.13
# Parts of the body as cylinders: between which joints, and the radius.
PARTS = (
    *(((f"{side}_{upper}",), (f"{side}_{lower}",), radius) for side in ("left", "right") for upper, lower, radius in (
        ("shoulder", "elbow", 0.045), ("elbow", "wrist", 0.035), ("hip", "knee", 0.07), ("knee", "ankle", 0.05))),
    (("left_hip", "right_hip"), ("left_shoulder", "right_shoulder"), 0.15),
)
HEAD_M = 0.09
SLICE_M = 0.06


def permittivity(material):
    relative, conductivity = MATERIALS[material]
    return relative - 1j * conductivity * 17.98 / 2.437


def fresnel(epsilon, cosine, parallel):
    """Reflection of a half space, for the electric field across or parallel to the plane of incidence."""
    root = np.sqrt(epsilon - (1 - cosine**2))
    if parallel:
        return (epsilon * cosine - root) / (epsilon * cosine + root)
    return (cosine - root) / (cosine + root)


def pattern(direction):
    """A vertical half-wave dipole, 1 across its axis. Direction: unit vectors [..., 3]."""
    z = np.clip(direction[..., 2], -0.999, 0.999)
    return np.cos(np.pi / 2 * z) / np.sqrt(1 - z**2)


def integrals(x):
    """C(x) - j S(x): Abramowitz and Stegun 7.3.32 and 7.3.33, to 0.002."""
    size = np.abs(x)
    f = (1 + 0.926 * size) / (2 + 1.792 * size + 3.104 * size**2)
    g = 1 / (2 + 4.142 * size + 3.492 * size**2 + 6.670 * size**3)
    turn = np.exp(-0.5j * np.pi * size**2)
    return np.sign(x) * (0.5 - 0.5j + (1j * f - g) * turn)


class Room:
    """Size and materials of a room, drawn once: four walls, floor and ceiling."""

    def __init__(self, size, rng):
        self.size = np.array(size)
        names = [*rng.choice(WALLS, 4), rng.choice(FLOORS), rng.choice(CEILINGS)]
        self.materials = [str(name) for name in names]
        self.epsilon = [permittivity(name) for name in names]

    def images(self, order):
        """Reflections at each axis, up to a total number; the sign says at which wall the last one is."""
        return [counts for counts in itertools.product(range(-order, order + 1), repeat=3) if sum(map(abs, counts)) <= order]

    def image(self, point, counts):
        """Where a point appears after reflections: Allen and Berkley 1979."""
        counts = np.array(counts)
        return np.where(counts % 2 == 0, counts * self.size + point, (counts + 1) * self.size - point)

    def corners(self, start, end):
        """The folded path [K, 3] whose unfolded form is straight: its ends and its points on walls."""
        shares = {0.0, 1.0}
        for axis, length in enumerate(self.size):
            low, high = sorted((start[axis], end[axis]))
            planes = [plane * length for plane in range(-3, 5) if low < plane * length < high]
            shares |= {(plane - start[axis]) / (end[axis] - start[axis]) for plane in planes}
        points = start + np.array(sorted(shares))[:, None] * (end - start)
        points = np.mod(points, 2 * self.size)
        return np.minimum(points, 2 * self.size - points)

    def loss(self, counts, direction):
        """Product of the reflections of a path; direction: of the unfolded path, [..., 3]."""
        loss = np.ones(direction.shape[:-1], complex)
        for axis, count in enumerate(counts):
            cosine = np.abs(direction[..., axis])
            # Walls alternate: with an odd number of reflections, the wall of the sign is hit once more.
            for wall, times in ((0, (abs(count) + (count < 0)) // 2), (1, (abs(count) + (count > 0)) // 2)):
                for _ in range(times):
                    loss = loss * fresnel(self.epsilon[2 * axis + wall], cosine, axis == 2)
        return loss


class Tail:
    """
    Diffuse paths: single scatterers anywhere in the room, behind each of which the wave has taken a further detour. Powers
    fall exponentially with the excess delay, with a time constant of 10 to 25 ns (IEEE 802.11 TGn channels B and C have
    15 and 30 ns), and fade like Rayleigh's. Together they are 0 to 6 dB weaker than free space.
    """

    def __init__(self, room, transmitter, receiver, count, rng):
        self.places = rng.uniform(0.1, room.size - 0.1, (count, 3))
        direct = np.linalg.norm(receiver - transmitter)
        decay = LIGHT * rng.uniform(10e-9, 25e-9)
        legs = np.linalg.norm(self.places - transmitter, axis=1) + np.linalg.norm(receiver - self.places, axis=1)
        self.lengths = legs + rng.exponential(decay / 2, count)
        fading = rng.normal(size=count) + 1j * rng.normal(size=count)
        shape = fading * np.exp((direct - self.lengths) / (2 * decay))
        level = 10 ** (-rng.uniform(0, 6) / 20) * WAVE / (4 * np.pi * direct)
        self.fields = level * shape / np.sqrt(np.sum(np.abs(shape) ** 2))


class Body:
    """A walker at many times. Weight: 0 to 1 in the door."""

    def __init__(self, walker, times):
        joints, self.places, self.headings, self.weight = walker.at(times)
        self.top = joints[:, JOINTS.index("nose"), 2] + 0.13
        self.head = joints[:, JOINTS.index("nose")] - [0, 0, -0.03]
        self.parts = []
        for upper, lower, radius in PARTS:
            start, end = (joints[:, [JOINTS.index(name) for name in names]].mean(axis=1) for names in (upper, lower))
            self.parts.append((start, end, radius))

    def blocked(self, start, end, before, after):
        """
        Share of the field that the trunk removes from a straight part of a path, [T]: a screen from the floor to the
        head, as wide as it looks from there. Fresnel's integral over both directions (ITU-R P.526, 4.1).
        @param before, after: lengths of the path before and after this part
        """
        along = end - start
        flat = np.hypot(along[0], along[1])
        if flat < 0.05:
            return 0
        direction = along[:2] / flat
        relative = self.places - start[:2]
        share = relative @ direction / flat
        aside = relative @ [-direction[1], direction[0]]
        whole = np.linalg.norm(along)
        near = np.maximum(NEAREST_M, before + share * whole)
        far = np.maximum(NEAREST_M, after + (1 - share) * whole)
        scale = np.sqrt(2 / WAVE * (1 / near + 1 / far))
        turn = self.headings - np.arctan2(direction[1], direction[0])
        half = np.hypot(ACROSS_M * np.cos(turn), ALONG_M * np.sin(turn))
        height = start[2] + share * along[2]
        across = integrals(scale * (aside + half)) - integrals(scale * (aside - half))
        upright = integrals(scale * (self.top - height)) - integrals(scale * -height)
        between = (share > 0) & (share < 1)
        return between * self.weight * 0.5j * across * upright


def echo(place, axis, radius, step, source, sink):
    """
    Field [T] and length [T] of the reflection by a slice of a conducting cylinder, from physical optics: a whole cylinder of
    length L has the cross-section k a L^2 cos(b/2) at a bistatic angle b. Without an axis: a sphere, pi a^2.
    """
    to_source, to_sink = source - place, sink - place
    near, far = (np.maximum(NEAREST_M, np.linalg.norm(to, axis=1)) for to in (to_source, to_sink))
    inward, outward = to_source / near[:, None], to_sink / far[:, None]
    middle = inward + outward
    if axis is None:
        bulge = np.linalg.norm(middle, axis=1)
        root = np.sqrt(np.pi) * radius
    else:
        bulge = np.linalg.norm(middle - np.sum(middle * axis, axis=1)[:, None] * axis, axis=1)
        root = np.sqrt(NUMBER * radius * bulge / 2) * step
    field = BODY * WAVE / (4 * np.pi) * root / np.sqrt(4 * np.pi) / (near * far)
    return field, near + far - radius * bulge, inward, outward


class Link:
    """A transmitter and a receiver in a room. @param tail: number of diffuse paths"""

    def __init__(self, room, transmitter, receiver, tail, rng):
        self.room, self.ends = room, (np.array(transmitter), np.array(receiver))
        self.fields, self.lengths, self.corners = [], [], []
        for counts in room.images(2):
            self.add_image(counts)
        tail = Tail(room, *self.ends, tail, rng)
        for place, field, length in zip(tail.places, tail.fields, tail.lengths):
            self.add(field, length, np.array([self.ends[0], place, self.ends[1]]))
        rotation = np.exp(-2j * np.pi * np.outer(self.lengths, CARRIER_HZ + TONES * SPACING_HZ) / LIGHT)
        self.paths = np.array(self.fields)[:, None] * rotation

    def add(self, field, length, corners):
        self.fields.append(field)
        self.lengths.append(length)
        self.corners.append(corners)

    def add_image(self, counts):
        source = self.room.image(self.ends[0], counts)
        along = self.ends[1] - source
        length = np.linalg.norm(along)
        direction = along / length
        field = WAVE / (4 * np.pi * length) * pattern(direction) ** 2 * self.room.loss(counts, direction)
        self.add(field, length, self.room.corners(source, self.ends[1]))

    def empty(self):
        """Response of the empty room, [52]."""
        return self.paths.sum(axis=0)

    def respond(self, body):
        """Response [T, 52] with a body in the room."""
        return self.obstructed(body) + self.echoes(body)

    def obstructed(self, body):
        passed = np.ones((len(body.weight), len(self.corners)), complex)
        for index, corners in enumerate(self.corners):
            lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
            for part, (start, end) in enumerate(zip(corners, corners[1:])):
                before, after = lengths[:part].sum(), lengths[part + 1:].sum()
                passed[:, index] *= 1 - body.blocked(start, end, before, after)
        return passed @ self.paths

    def echoes(self, body):
        fields, lengths = [], []
        single = [counts for counts in self.room.images(1) if any(counts)]
        # Direct, and by way of one wall between the body and either end.
        ways = [((0, 0, 0), 0), *itertools.product(single, (0, 1))]
        for place, axis, radius, step in slices(body):
            for counts, mirrored in ways:
                ends = [self.room.image(end, counts) if mirrored == index else end for index, end in enumerate(self.ends)]
                field, length, inward, outward = echo(place, axis, radius, step, *ends)
                loss = self.room.loss(counts, inward if mirrored == 0 else outward)
                fields.append(body.weight * field * loss * pattern(inward) * pattern(outward))
                lengths.append(length)
        return spread(np.array(fields), np.array(lengths))


def slices(body):
    """Centres, axes, radii and lengths of all slices of a body: the head is a sphere."""
    yield body.head, None, HEAD_M, None
    for start, end, radius in body.parts:
        along = end - start
        length = np.linalg.norm(along, axis=1)
        count = int(np.ceil(length.mean() / SLICE_M))
        for share in (np.arange(count) + 0.5) / count:
            yield start + share * along, along / length[:, None], radius, length / count


def spread(fields, lengths):
    """Sum of paths [P, T] over the carriers, [T, 52]: each carrier turns the one before by its spacing."""
    low = CARRIER_HZ + TONES[0] * SPACING_HZ
    turned = (fields * np.exp(-2j * np.pi * low / LIGHT * lengths)).astype(np.complex64)
    step = np.exp(-2j * np.pi * SPACING_HZ / LIGHT * lengths).astype(np.complex64)
    out = np.empty((fields.shape[1], TONES[-1] - TONES[0] + 1), complex)
    for column in range(out.shape[1]):
        out[:, column] = turned.sum(axis=0)
        turned *= step
    return out[:, TONES - TONES[0]]
