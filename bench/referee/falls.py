"""Simulates falls of human bodies with MuJoCo, as recorded motion for csiflow. How to run it: README.md beside this file."""

import argparse
import gzip
import json
import math
import os
import sys

import mujoco
import numpy as np

KINDS = ("trip", "slip", "faint", "sideways", "slide")
SECONDS, FPS, STEP = 4.5, 100, 0.001
GRAVITY = 9.81
STRIDE_S = 1.1
JOINTS = ("root", "chest", "neck", *(f"{side}_{joint}" for side in ("right", "left")
                                     for joint in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")))

# Hinges of each joint: axis, range in degrees, stiffness at full tone in units of weight times height per radian.
# Of the right side; on the left, rotations about x and z are mirrored. Positive about y: the distal part moves backward.
HINGES = {
    "chest": (("y", -20, 60, 0.5), ("x", -30, 30, 0.5), ("z", -40, 40, 0.3)),
    "neck": (("y", -50, 50, 0.05), ("x", -35, 35, 0.05)),
    "hip": (("y", -120, 20, 0.5), ("x", -40, 20, 0.4), ("z", -35, 35, 0.1)),
    "knee": (("y", 0, 140, 0.4),),
    "ankle": (("y", -25, 45, 0.35), ("x", -20, 20, 0.2)),
    "shoulder": (("y", -170, 50, 0.06), ("x", -150, 15, 0.06), ("z", -60, 60, 0.02)),
    "elbow": (("y", -145, 0, 0.04),),
}
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def hinges(joint, side=""):
    """The hinges of one joint, as MJCF. Damping is that of passive tissue."""
    text = ""
    for axis, low, high, stiffness in HINGES[joint]:
        if side == "left_" and axis != "y":
            low, high = -high, -low
        text += f"<joint name='{side}{joint}_{axis}' axis='{AXES[axis]}' range='{low} {high}' damping='{2 + 12 * stiffness}'/>"
    return text


def capsule(size, name, share, radius, start, end):
    """A limb of a body of this size (height, mass). Its ends are shares of the height; the radius is of a slim person."""
    height, mass = size
    ends = " ".join(f"{value * height:.4f}" for value in (*start, *end))
    radius *= math.sqrt(mass / height / 42)
    return f"<geom name='{name}' type='capsule' size='{radius:.4f}' fromto='{ends}' mass='{share * mass:.4f}'/>"


def leg(size, side, sign):
    h, mass = size
    foot = f"<geom name='{side}foot' type='box' size='{0.076 * h} {0.025 * h} {0.016 * h}' pos='{0.036 * h} 0 {-0.023 * h}' " \
           f"mass='{0.0145 * mass}' priority='1'/>"
    return f"<body name='{side}hip' pos='0 {sign * 0.055 * h} 0'>{hinges('hip', side)}" \
           f"{capsule(size, side + 'thigh', 0.1, 0.07, (0, 0, -0.03), (0, 0, -0.225))}" \
           f"<body name='{side}knee' pos='0 0 {-0.245 * h}'>{hinges('knee', side)}" \
           f"{capsule(size, side + 'shank', 0.0465, 0.05, (0, 0, -0.03), (0, 0, -0.22))}" \
           f"<body name='{side}ankle' pos='0 0 {-0.246 * h}'>{hinges('ankle', side)}{foot}</body></body></body>"


def arm(size, side, sign):
    h = size[0]
    return f"<body name='{side}shoulder' pos='0 {sign * 0.11 * h} {0.15 * h}'>{hinges('shoulder', side)}" \
           f"{capsule(size, side + 'upper', 0.028, 0.042, (0, 0, -0.02), (0, 0, -0.17))}" \
           f"<body name='{side}elbow' pos='0 0 {-0.186 * h}'>{hinges('elbow', side)}" \
           f"{capsule(size, side + 'fore', 0.016, 0.036, (0, 0, -0.01), (0, 0, -0.13))}" \
           f"<body name='{side}wrist' pos='0 0 {-0.146 * h}'>" \
           f"{capsule(size, side + 'hand', 0.006, 0.03, (0, 0, -0.02), (0, 0, -0.08))}</body></body></body>"


def motors(size):
    """One for each hinge; what it pulls to, and how strongly, is set during the fall."""
    text, weight = "", size[1] * GRAVITY
    for joint in HINGES:
        for side in ("",) if joint in ("chest", "neck") else ("right_", "left_"):
            for axis, _, _, stiffness in HINGES[joint]:
                limit = 0.25 * stiffness * weight * size[0]
                text += f"<general name='{side}{joint}_{axis}' joint='{side}{joint}_{axis}' biastype='affine' " \
                        f"forcelimited='true' forcerange='{-limit} {limit}'/>"
    return text


def humanoid(size):
    """MJCF of a body. Lengths are shares of the height and masses shares of the mass, both after Winter 2009."""
    h = size[0]
    excludes = "".join(f"<exclude body1='{trunk}' body2='{side}_shoulder'/>"
                       for side in ("right", "left") for trunk in ("root", "neck"))
    return f"""<mujoco><compiler angle="degree"/><option timestep="{STEP}" integrator="implicitfast"/>
<default><joint limited="true" armature="0.01"/><geom friction="0.8 0.02 0.002" solref="0.015 1"/></default>
<worldbody><geom name="floor" type="plane" size="20 20 1"/>
<body name="root" pos="0 0 {0.53 * h}"><freejoint name="free"/>
{capsule(size, "pelvis", 0.2115, 0.1, (0, -0.035, 0.02), (0, 0.035, 0.02))}{leg(size, "right_", -1)}{leg(size, "left_", 1)}
<body name="chest" pos="0 0 {0.13 * h}">{hinges("chest")}
{capsule(size, "thorax", 0.2855, 0.11, (0, -0.04, 0.08), (0, 0.04, 0.08))}{arm(size, "right_", -1)}{arm(size, "left_", 1)}
<body name="neck" pos="0 0 {0.145 * h}">{hinges("neck")}
{capsule(size, "head", 0.081, 0.085, (0, 0, 0.09), (0, 0, 0.11))}</body></body></body>
</worldbody><contact><exclude body1="root" body2="neck"/>{excludes}</contact><actuator>{motors(size)}</actuator></mujoco>"""


class Person:
    """A body whose muscles hold a posture as springs. Angles are in radians, by hinge."""

    def __init__(self, height, mass):
        self.model = mujoco.MjModel.from_xml_string(humanoid((height, mass)))
        self.data = mujoco.MjData(self.model)
        self.height, self.mass = height, mass
        names = [self.model.actuator(i).name for i in range(self.model.nu)]
        self.index = {name: i for i, name in enumerate(names)}
        self.angles = np.array([self.model.joint(name).qposadr[0] for name in names])
        stiffness = [next(hinge[3] for hinge in HINGES[name.split("_")[-2]] if hinge[0] == name[-1]) for name in names]
        self.stiffness = np.array(stiffness) * mass * GRAVITY * height
        self.arms = np.array([any(part in name for part in ("shoulder", "elbow", "neck")) for name in names])
        self.bodies = [self.model.body(name).id for name in JOINTS]
        self.feet = [self.model.geom(f"{side}_foot").id for side in ("right", "left")]

    def posture(self, **angles):
        """Targets of all hinges from those that differ from zero, in radians."""
        target = np.zeros(self.model.nu)
        for name, angle in angles.items():
            target[self.index[name]] = angle
        return target

    def stride(self, phase, speed):
        """Posture in a walk, at a phase in radians: the foot on the floor hardly moves."""
        swing = speed * STRIDE_S / (2 * math.pi * 0.49 * self.height)
        angles = {"chest_y": 0.04}
        for side, turn, sign in (("right", phase, -1), ("left", phase + math.pi, 1)):
            lift = max(0.0, math.cos(turn)) * min(1.0, speed)
            angles |= {f"{side}_hip_y": -swing * math.sin(turn) - 0.35 * lift, f"{side}_knee_y": 0.08 + 0.8 * lift,
                       f"{side}_ankle_y": -0.05, f"{side}_shoulder_y": 1.2 * swing * math.sin(turn),
                       f"{side}_shoulder_x": sign * 0.12, f"{side}_elbow_y": -0.35}
        return self.posture(**angles)

    def place(self, target, x):
        """Puts the body in a posture with its lowest foot on the floor."""
        self.data.qpos[:7] = (x, 0, 1, 1, 0, 0, 0)
        self.data.qpos[self.angles] = target
        mujoco.mj_forward(self.model, self.data)
        self.data.qpos[2] -= self.lowest(self.feet)
        mujoco.mj_forward(self.model, self.data)

    def lowest(self, geoms):
        """Height of the lowest point of these geoms above the floor, metres."""
        data, model, low = self.data, self.model, math.inf
        for geom in geoms:
            up, size = data.geom_xmat[geom].reshape(3, 3)[2], model.geom_size[geom]
            if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CAPSULE:
                reach = size[0] + abs(up[2]) * size[1]
            else:
                reach = np.abs(up) @ size
            low = min(low, data.geom_xpos[geom][2] - reach)
        return low

    def pull(self, target, tone):
        """Sets the springs of all muscles: targets, and tone of each from 0 (limp) to 1."""
        gain = self.stiffness * tone
        self.model.actuator_gainprm[:, 0] = gain
        self.model.actuator_biasprm[:, 1] = -gain
        self.model.actuator_biasprm[:, 2] = -0.12 * gain
        self.data.ctrl[:] = target

    def beyond(self):
        """The most by which a hinge is beyond its range, degrees; 0 if none is."""
        low, high = self.model.jnt_range[1:].T
        angles = self.data.qpos[7:]
        return math.degrees(max(0, np.max(low - angles), np.max(angles - high)))

    def velocity(self, body):
        """[6]: angular, rad/s, and linear, m/s, of a body in the room's axes."""
        out = np.zeros(6)
        mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, body, out, 0)
        return out

    def joints(self):
        """[15, 3]: x forward, y up, z right."""
        x, y, z = self.data.xpos[self.bodies].T
        return np.stack([x, z, -y], axis=1)


# Least and greatest speed of the walk, m/s, and seconds in which the muscles lose their tone.
SPEEDS = {"trip": (0.7, 1.5), "slip": (0.5, 1.5), "faint": (0, 0.8), "sideways": (0, 1.1), "slide": (0, 0)}
DECAYS = {"trip": (0.4, 1), "slip": (0.4, 1), "faint": (0.2, 2), "sideways": (0.4, 1.2), "slide": (2, 3)}


def draw(kind, rng):
    """What differs from one fall to the next."""
    height = rng.uniform(1.5, 1.95)
    mass = float(np.clip(rng.uniform(19, 33) * height**2, 45, 110))
    slowest, fastest = SPEEDS[kind]
    return {
        "kind": kind, "height": height, "mass": mass,
        "speed": 0.0 if rng.random() < 0.2 and slowest == 0 else rng.uniform(slowest, fastest),
        # Seconds until the fall begins, and until muscles have lost their tone from then on.
        "onset": rng.uniform(0.15, 0.45), "decay": rng.uniform(*DECAYS[kind]),
        "residual": rng.uniform(0.01, 0.08), "arms": rng.uniform(0.3, 1) if kind in ("trip", "slip", "sideways") else 0.0,
        "side": int(rng.choice([-1, 1])), "lean": rng.normal(0, 0.2, 2), "strength": rng.uniform(0.7, 1.3),
        "buckle": rng.uniform(0.9, 1.4) if kind == "slide" else rng.uniform(0.3, 1.1), "phase": rng.uniform(-0.5, 0.5),
    }


def reflex(person, fall, held):
    """Posture that the muscles pull to during the fall."""
    kind, side = fall["kind"], "left" if fall["side"] > 0 else "right"
    aim, spread = held.copy(), fall["strength"]

    def set_to(**angles):
        for name, angle in angles.items():
            aim[person.index[name]] = angle

    if kind == "trip":
        for each in ("right", "left"):
            set_to(**{f"{each}_shoulder_y": -1.4 * spread, f"{each}_elbow_y": -0.5})
        set_to(chest_y=0.35, neck_y=-0.4)
    elif kind == "slip":
        for each, sign in (("right", -1), ("left", 1)):
            set_to(**{f"{each}_shoulder_y": 0.5 * spread, f"{each}_shoulder_x": sign * 0.7 * spread, f"{each}_hip_y": -0.6})
        set_to(neck_y=0.4)
    elif kind == "sideways":
        set_to(**{f"{side}_shoulder_x": fall["side"] * 1.3 * spread, f"{side}_elbow_y": -0.3})
    else:
        for each in ("right", "left"):
            set_to(**{f"{each}_hip_y": -0.9 * fall["buckle"], f"{each}_knee_y": 1.6 * fall["buckle"],
                      f"{each}_ankle_y": -0.5 * fall["buckle"]})
        set_to(chest_y=0.2, neck_y=0.3)
    return aim


def disturb(person, fall, after, tone):
    """Forces on the body `after` seconds into the fall, and what is left of its balance."""
    data, kind, weight = person.data, fall["kind"], person.mass * GRAVITY
    body = person.model.body
    data.xfrc_applied[:] = 0
    pelvis, chest = body("root").id, body("chest").id
    if kind == "trip" and after < 0.45:
        foot = body(("left" if fall["side"] > 0 else "right") + "_ankle").id
        data.xfrc_applied[foot, :3] = np.clip(-400 * person.velocity(foot)[3:], -weight, weight)
        data.xfrc_applied[chest, 0] = 0.12 * weight * fall["strength"]
    if kind == "slip":
        person.model.geom_friction[person.feet, 0] = 0.04
        if after < 0.25:
            for side in ("right", "left"):
                data.xfrc_applied[body(f"{side}_ankle").id, 0] = 0.04 * weight * fall["strength"]
            data.xfrc_applied[chest, 0] = -0.08 * weight * fall["strength"]
    if kind == "sideways" and after < 0.3:
        data.xfrc_applied[chest, 1] = 0.3 * weight * fall["strength"] * fall["side"]
    if kind in ("faint", "slide"):
        # Balance: the trunk is kept near upright and the walk is braked, as long as there is tone.
        up = data.xmat[chest].reshape(3, 3)[:, 2]
        lean = np.cross(up, [fall["lean"][0], fall["lean"][1], 1])
        data.xfrc_applied[chest, 3:] = tone * (0.5 * weight * person.height * lean - 0.05 * weight * person.velocity(chest)[:3])
        data.xfrc_applied[pelvis, :2] = -3 * tone * person.mass * person.velocity(pelvis)[3:5]


def ease(share):
    """From 0 to 1 without a jump of speed."""
    share = min(1.0, max(0.0, share))
    return share * share * (3 - 2 * share)


def simulate(fall):
    """
    Joints [450, 15, 3] at 100 Hz. In each frame, the lowest point of the body, metres, and the most by which a hinge
    is beyond its range, degrees.
    """
    person = Person(fall["height"], fall["mass"])
    data, turn = person.data, 2 * math.pi / STRIDE_S
    # In the fall's first moment, the foot of `side` swings (trip) or has just landed in front (slip).
    start = {"trip": 0.0, "slip": 1.8}.get(fall["kind"], 0.6) + fall["phase"]
    start += (math.pi if fall["side"] > 0 else 0) - turn * fall["onset"]
    frames, lows, beyond = [], [], []
    parts = range(person.model.ngeom)[1:]
    for step in range(round(SECONDS / STEP)):
        time = step * STEP
        after = time - fall["onset"]
        if after < 0:
            before = data.qpos.copy()
            held = person.stride(start + turn * time, fall["speed"])
            person.place(held, fall["speed"] * time)
            data.qvel[:] = 0
            if step > 0:
                mujoco.mj_differentiatePos(person.model, data.qvel, STEP, before, data.qpos)
                data.qvel[2] = 0
            aim = reflex(person, fall, held)
        else:
            tone = 1 - ease(after / fall["decay"])
            muscles = np.maximum(fall["residual"], np.where(person.arms, max(tone, fall["arms"] * (after < 1.2)), tone))
            person.pull(held + ease(after / (0.35 if fall["arms"] else fall["decay"])) * (aim - held), muscles)
            disturb(person, fall, after, tone)
            mujoco.mj_step(person.model, data)
        if step % round(1 / (FPS * STEP)) == 0:
            frames.append(person.joints())
            lows.append(person.lowest(parts))
            beyond.append(person.beyond())
    frames = np.array(frames)
    return frames - frames[0, 0] * [1, 0, 1], np.array(lows), np.array(beyond)


def measure(fall, joints, lows, beyond):
    """Figures by which a fall is judged."""
    neck = joints[:, JOINTS.index("neck")]
    speeds = np.linalg.norm(np.diff(joints, axis=0), axis=2) * FPS
    feet = speeds[:, [JOINTS.index("right_ankle"), JOINTS.index("left_ankle")]]
    smooth = np.convolve(neck[:, 1], np.ones(3) / 3, "valid")
    falling = np.flatnonzero(neck[:, 1] < neck[0, 1] - 0.05)
    down = np.flatnonzero(neck[:, 1] > 0.45)
    return {
        "began_s": float(falling[0] / FPS) if len(falling) else math.nan,
        "descent_s": float((down[-1] - falling[0] + 1) / FPS) if len(falling) else math.nan,
        "peak_down_neck_v": float(-np.diff(smooth).min() * FPS),
        "fastest_joint_v": float(speeds.max()),
        "end_neckY": float(neck[-1, 1]), "end_rootY": float(joints[-1, 0, 1]), "lowest_m": float(lows.min()),
        "lowest_joint_m": float(joints[:, :, 1].min()),
        "beyond_deg": float(beyond.max()), "stance_v": float(feet[: int(fall["onset"] * FPS)].min(axis=1).mean()),
        "end_v": float(speeds[-30:].mean(axis=0).max()),
    }


def problem(figures):
    """Why this is not a fall to be kept, or None."""
    bounds = {"descent_s": (0.4, 2.5), "peak_down_neck_v": (1.5, 5), "fastest_joint_v": (0, 12), "end_neckY": (0, 0.4),
              "end_rootY": (0, 0.35), "lowest_m": (-0.03, 1), "lowest_joint_m": (0, 1), "end_v": (0, 0.15),
              "beyond_deg": (0, 10), "stance_v": (0, 0.8)}
    return next((name for name, (low, high) in bounds.items() if not low <= figures[name] <= high), None)


def write(folder, number, joints):
    head = ",".join(f"{joint}_{axis}" for joint in JOINTS for axis in "xyz")
    rows = [",".join(f"{value:.4f}" for value in frame.ravel()) for frame in joints]
    # No time in the file: the same seed gives the same bytes.
    with open(os.path.join(folder, f"fall_{number:03d}.csv.gz"), "wb") as file:
        file.write(gzip.compress("\n".join([head, *rows, ""]).encode("ascii"), mtime=0))


def one(seed, number, refused):
    """Joints of a fall, and what is known of it. Counts the attempts that are no falls, by kind and reason."""
    # Every fifth fall is held out: the shift gives it each kind in turn.
    kind = KINDS[(number + number // len(KINDS)) % len(KINDS)]
    for attempt in range(100):
        fall = draw(kind, np.random.default_rng([seed, number, attempt]))
        joints, lows, beyond = simulate(fall)
        figures = measure(fall, joints, lows, beyond)
        why = problem(figures)
        if why is None:
            lean = [round(float(value), 3) for value in fall["lean"]]
            return joints, {"id": number, **fall, "lean": lean, **{name: round(value, 3) for name, value in figures.items()}}
        refused[kind, why] = refused.get((kind, why), 0) + 1
    sys.exit(f"fall {number} ({kind}): none of 100 attempts is a fall; the last: {why} {figures}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="of recorded motion; falls are written to its ragdoll-falls/")
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = os.path.join(options.folder, "ragdoll-falls")
    os.makedirs(folder, exist_ok=True)
    runs, refused = [], {}
    for number in range(options.count):
        joints, run = one(options.seed, number, refused)
        write(folder, number, joints)
        runs.append(run)
    with open(os.path.join(folder, "meta.json"), "w", encoding="utf8") as file:
        json.dump({"fps": FPS, "up": "y", "unit": "m", "joints": JOINTS, "runs": runs}, file, indent=1)
    report(runs, refused)


def report(runs, refused):
    """The median of each figure, and its 5 and 95 % quantiles, by kind."""
    names = ("descent_s", "peak_down_neck_v", "fastest_joint_v", "end_neckY", "lowest_m", "beyond_deg", "stance_v", "end_v")
    print("| kind | falls | refused |", " | ".join(names), "|")
    print("|---|---|---|" + "---|" * len(names))
    for kind in KINDS:
        group = [run for run in runs if run["kind"] == kind]
        cells = []
        for name in names:
            low, middle, high = np.percentile([run[name] for run in group], [5, 50, 95])
            cells.append(f"{middle:.2f} ({low:.2f} to {high:.2f})")
        print(f"| {kind} | {len(group)} | {sum(n for (k, _), n in refused.items() if k == kind)} |", " | ".join(cells), "|")
    for (kind, why), count in sorted(refused.items()):
        print(f"refused, {kind}: {why} {count}", file=sys.stderr)


if __name__ == "__main__":
    main()
