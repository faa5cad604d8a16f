"""A person who walks between random places, as joints over time. Metres, seconds, radians; z points upward."""

import math

import numpy as np

RATE_HZ = 100
# In COCO order.
JOINTS = ("nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
          "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
          "right_ankle")
QUIET_S, WALK_S, EMPTY_S = 3, 60, 60
# Distance of waypoints from the walls, and of the two points before and behind the door from its wall.
MARGIN_M, DOOR_M = 0.5, 0.8
TURN_RATE = 2.5
# Step length over cadence, metres per step per minute (Sekiya and Nagasaki 1998).
WALK_RATIO = 0.0065
# Shares of the height (Drillis and Contini 1966).
THIGH, SHANK, ANKLE, UPPER_ARM, FOREARM = 0.245, 0.246, 0.039, 0.186, 0.146
TRUNK, NECK_TO_EYES, SHOULDER_HALF, HIP_HALF = 0.288, 0.118, 0.115, 0.05


def door(size, rng):
    """A point on a wall, and the direction into the room."""
    wall = int(rng.integers(4))
    along = rng.uniform(0.8, size[1 - wall // 2] - 0.8)
    x = (0.0, size[0])[wall % 2]
    y = (0.0, size[1])[wall % 2]
    inward = 1.0 if wall % 2 == 0 else -1.0
    if wall < 2:
        return np.array([x, along]), np.array([inward, 0.0])
    return np.array([along, y]), np.array([0.0, inward])


class Path:
    """Where the person is, and which way they face: they turn at a limited rate, and slow down for it."""

    def __init__(self, place, heading):
        self.place, self.heading = place.copy(), heading
        self.places, self.headings, self.speeds = [], [], []

    def step(self, speed):
        self.place = self.place + speed / RATE_HZ * np.array([math.cos(self.heading), math.sin(self.heading)])
        self.places.append(self.place)
        self.headings.append(self.heading)
        self.speeds.append(speed)

    def go(self, target, speed, reach, until=math.inf):
        """Walks to a target until it is `reach` metres away, or until a time."""
        while math.hypot(*(target - self.place)) > reach and len(self.places) < until * RATE_HZ:
            aim = math.atan2(*(target - self.place)[::-1])
            turn = math.remainder(aim - self.heading, 2 * math.pi)
            self.heading += max(-TURN_RATE / RATE_HZ, min(TURN_RATE / RATE_HZ, turn))
            self.step(speed * max(0.15, math.cos(turn)))


def walk(size, rng):
    """
    The path of a whole scene: enters, walks for a minute, leaves. Places [N, 2], headings [N], speeds [N] at RATE_HZ
    from QUIET_S on, and how far the person is inside the room [N]: 0 to 1 as they pass the door.
    """
    at, inward = door(size, rng)
    path = Path(at - DOOR_M * inward, math.atan2(inward[1], inward[0]))
    path.go(at + DOOR_M * inward, rng.uniform(0.5, 1.5), 0.1)
    while len(path.places) < WALK_S * RATE_HZ:
        target = np.array([rng.uniform(MARGIN_M, size[axis] - MARGIN_M) for axis in (0, 1)])
        path.go(target, rng.uniform(0.5, 1.5), 0.25, WALK_S)
    speed = rng.uniform(0.5, 1.5)
    path.go(at + DOOR_M * inward, speed, 0.15)
    path.go(at - DOOR_M * inward, speed, 0.1)
    places = np.array(path.places)
    inside = np.clip(((places - at) @ inward + 0.25) / 0.5, 0, 1)
    return places, np.unwrap(path.headings), smooth(np.array(path.speeds)), inside


def smooth(values, seconds=0.4):
    """Mean over a time, so that limbs swing without jumps."""
    width = round(seconds * RATE_HZ)
    return np.convolve(np.pad(values, (width // 2, width - 1 - width // 2), "edge"), np.ones(width) / width, "valid")


def gait(speeds, height):
    """
    Angles of both legs and arms, and the phase of the stride. A stiff stance leg swings about the ankle as an inverted
    pendulum; the swinging leg bends its knee. Angles from the vertical, forward positive, [N].
    """
    cadence = np.sqrt(60 * np.maximum(speeds, 0.02) / WALK_RATIO) / 60
    phase = np.pi * np.cumsum(cadence) / RATE_HZ
    length = 60 * WALK_RATIO * cadence
    swing = np.arcsin(np.clip(length / 2 / ((THIGH + SHANK) * height), 0, 0.6))
    limbs = {}
    for side, turn in (("left", phase), ("right", phase + np.pi)):
        hip = swing * np.sin(turn)
        bend = 0.06 + 0.9 * np.minimum(1, speeds) * np.maximum(0, np.cos(turn)) ** 2
        limbs[side] = {"hip": hip, "shank": hip - bend, "arm": -0.7 * hip, "forearm": 0.35 - 0.9 * hip}
    return limbs, phase


def skeleton(places, headings, speeds, height):
    """Joints [N, 17, 3] of a walker of a height."""
    limbs, phase = gait(speeds, height)
    forward = np.stack([np.cos(headings), np.sin(headings), np.zeros_like(headings)], axis=1)
    left = np.stack([-forward[:, 1], forward[:, 0], forward[:, 2]], axis=1)
    up = np.array([0.0, 0.0, 1.0])

    def hang(angle, length):
        return height * length * (np.sin(angle)[:, None] * forward - np.cos(angle)[:, None] * up)

    reach = [height * (THIGH * np.cos(one["hip"]) + SHANK * np.cos(one["shank"])) for one in limbs.values()]
    # The longer leg stands; the maximum is soft, so that the hips do not jerk at a step.
    top = ANKLE * height + 0.01 * np.logaddexp(reach[0] / 0.01, reach[1] / 0.01)
    pelvis = np.column_stack([places, top]) + 0.02 * np.sin(phase)[:, None] * left
    neck = pelvis + height * TRUNK * (0.05 * forward + up)
    eyes = neck + height * NECK_TO_EYES * (0.1 * forward + up)
    nose = eyes + 0.06 * forward - 0.03 * up
    joints = {"nose": nose}
    for side, sign in (("left", 1), ("right", -1)):
        limb = limbs[side]
        joints[f"{side}_eye"] = eyes + 0.04 * forward + sign * 0.03 * left
        joints[f"{side}_ear"] = eyes - 0.05 * forward + sign * 0.075 * left
        joints[f"{side}_shoulder"] = neck + sign * height * SHOULDER_HALF * left
        joints[f"{side}_elbow"] = joints[f"{side}_shoulder"] + hang(limb["arm"], UPPER_ARM) + sign * 0.05 * left
        joints[f"{side}_wrist"] = joints[f"{side}_elbow"] + hang(limb["forearm"], FOREARM)
        joints[f"{side}_hip"] = pelvis + sign * height * HIP_HALF * left
        joints[f"{side}_knee"] = joints[f"{side}_hip"] + hang(limb["hip"], THIGH)
        joints[f"{side}_ankle"] = joints[f"{side}_knee"] + hang(limb["shank"], SHANK)
    return np.stack([joints[name] for name in JOINTS], axis=1)


class Walker:
    """The only person of a scene."""

    def __init__(self, size, rng):
        self.height = rng.uniform(1.55, 1.92)
        self.places, self.headings, speeds, self.inside = walk(size, rng)
        self.joints = skeleton(self.places, self.headings, speeds, self.height)
        self.times = QUIET_S + np.arange(len(self.places)) / RATE_HZ
        self.seconds = self.times[-1] + EMPTY_S

    def at(self, times):
        """Joints [T, 17, 3], places [T, 2], headings [T] and how far inside [T] at times in seconds; 0 inside before and after."""
        def sample(values):
            flat = values.reshape(len(values), -1)
            columns = [np.interp(times, self.times, column) for column in flat.T]
            return np.stack(columns, axis=1).reshape(len(times), *values.shape[1:])

        there = np.interp(times, self.times, self.inside, left=0, right=0)
        return sample(self.joints), sample(self.places), sample(self.headings), there
