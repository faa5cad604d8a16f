import { FREE, FREE_SIZE, mixAxes, mixDirection } from './free.js';
import type { Random } from '../shared/random.js';
import { Ellipsoids, type SemiAxes } from '../shared/reflector.js';

/**
 * A body as joints and ellipsoids. Lengths are shares of the height and radii are metres at 1.75 m,
 * after Boulic et al. 1990 and V. C. Chen, The Micro-Doppler Effect in Radar.
 */

/** Indices of the numbers of a pose in its array. Angles are in radians, lengths in metres. */
export const POSE = {
  /** Floor point below the pelvis. */
  x: 0,
  y: 1,
  /** Facing direction, counter-clockwise from the x axis. */
  heading: 2,
  /**
   * Height of the supporting surface: 0 for the floor, 0.45 for a bed. The body's lowest point touches it.
   */
  support: 3,
  /** Pitch of the whole body, forward (positive) or back, along the facing direction: +-pi/2 is lying. */
  pitch: 4,
  /** Roll of the whole body to its right side (positive) or left. */
  roll: 5,
  /** Trunk bent forward relative to the pelvis. */
  spine: 6,
  neck: 7,
  hipLeft: 8,
  hipRight: 9,
  kneeLeft: 10,
  kneeRight: 11,
  /** Legs spread outward. */
  spreadLeft: 12,
  spreadRight: 13,
  /** Upper arm forward, relative to the trunk. */
  shoulderLeft: 14,
  shoulderRight: 15,
  elbowLeft: 16,
  elbowRight: 17,
  /** Upper arm outward. */
  armLeft: 18,
  armRight: 19,
  /** Forward displacement of the torso's surface by breathing, metres. */
  breath: 20,
  /** 1: outside the room. Between 0 and 1: behind the door, still visible to radio waves through it. */
  absence: 21,
  /**
   * Weight of the pose's free directions, which start here; see {@link FREE}. The joint angles have the rest.
   */
  free: 22,
  directions: 23,
} as const;

export const POSE_SIZE = POSE.directions + FREE_SIZE;
export const KEYPOINTS = 17;

export interface BodySize {
  /** Metres. */
  readonly height: number;
  /** Girth, about 1. */
  readonly build: number;
  /** Share of the wave's amplitude that skin reflects. */
  readonly reflectivity: number;
}

export const randomBody = (random: Random): BodySize => ({
  height: random.uniform(1.55, 1.92),
  build: random.uniform(0.88, 1.18),
  reflectivity: random.uniform(0.8, 1),
});

const SHARE = {
  torso: 0.288,
  thigh: 0.245,
  shank: 0.246,
  ankle: 0.039,
  foot: 0.143,
  upperArm: 0.188,
  forearm: 0.152,
  shoulder: 0.1295,
  hip: 0.0955,
  head: 0.1,
};

/** Length of a straight leg from hip to ankle, metres. */
export const legLength = (size: BodySize): number => (SHARE.thigh + SHARE.shank) * size.height;

/** Number of ellipsoids of a body. */
export const PARTS = 13;

/** Semi-axes of each ellipsoid at 1.75 m: forward, sideways, and along as a share of the height. */
const ELLIPSOIDS: readonly (readonly [number, number, number])[] = [
  [0.1, 0.085, 0.065], // head
  [0.105, 0.18, 0.155], // torso: flat, so that the facing direction has an effect
  [0.1, 0.165, 0.06], // pelvis
  [0.05, 0.05, 0.1],
  [0.05, 0.05, 0.1], // upper arms
  [0.04, 0.04, 0.1],
  [0.04, 0.04, 0.1], // forearms with hands
  [0.075, 0.075, 0.125],
  [0.075, 0.075, 0.125], // thighs
  [0.055, 0.055, 0.125],
  [0.055, 0.055, 0.125], // shanks
  [0.045, 0.045, 0.07],
  [0.045, 0.045, 0.07], // feet
];

/** Extent of the body below each joint that can touch the ground: radius at 1.75 m. */
const CONTACT = { head: 0.125, shoulder: 0.1, elbow: 0.05, wrist: 0.04, hip: 0.1, knee: 0.065 };

/** A body in its current pose. `pose` fills the arrays, which the channel reads, without allocating. */
export class Body extends Ellipsoids {
  readonly size: BodySize;
  /** COCO keypoints, [17, (x, y, z)]. */
  readonly keypoints = new Float64Array(KEYPOINTS * 3);
  /** Forward, left and up axes of the pelvis and of the trunk. */
  readonly #pelvis = new Float64Array(9);
  readonly #trunk = new Float64Array(9);
  readonly #limbs = new Float64Array(9);
  readonly #leg = new Float64Array(6);

  constructor(size: BodySize) {
    const girth = (size.build * size.height) / 1.75;
    const parts = ELLIPSOIDS.map(([forward, sideways, along]): SemiAxes => [
      forward * girth,
      sideways * girth,
      along * size.height,
    ]);
    super(parts, size.reflectivity);
    this.size = size;
  }

  /** Moves joints, ellipsoids and silhouette to a pose (see {@link POSE}). */
  pose(pose: Float64Array): void {
    const h = this.size.height;
    const girth = (this.size.build * h) / 1.75;
    const points = this.keypoints;
    const limbs = this.#limbs;

    const free = pose[POSE.free]!;
    const heading = [Math.cos(pose[POSE.heading]!), Math.sin(pose[POSE.heading]!)] as const;
    this.#orient(pose, free, heading);
    const pelvis = this.#pelvis;
    const trunk = this.#trunk;
    const hipX = pelvis[3]!;
    const hipY = pelvis[4]!;
    const hipZ = pelvis[5]!;
    const ux = pelvis[6]!;
    const uy = pelvis[7]!;
    const uz = pelvis[8]!;
    const tfx = trunk[0]!;
    const tfy = trunk[1]!;
    const tfz = trunk[2]!;
    const lx = trunk[3]!;
    const ly = trunk[4]!;
    const lz = trunk[5]!;
    const tux = trunk[6]!;
    const tuy = trunk[7]!;
    const tuz = trunk[8]!;

    // The trunk from the pelvis (still at the origin) to the head.
    const torso = SHARE.torso * h;
    const nx = torso * tux;
    const ny = torso * tuy;
    const nz = torso * tuz;
    const cn = Math.cos(pose[POSE.neck]!);
    const sn = Math.sin(pose[POSE.neck]!);
    const hfx = cn * tfx - sn * tux;
    const hfy = cn * tfy - sn * tuy;
    const hfz = cn * tfz - sn * tuz;
    const hux = sn * tfx + cn * tux;
    const huy = sn * tfy + cn * tuy;
    const huz = sn * tfz + cn * tuz;
    const head = SHARE.head * h;
    const headX = nx + head * hux;
    const headY = ny + head * huy;
    const headZ = nz + head * huz;
    const face = (index: number, forward: number, left: number, up: number): void => {
      points[3 * index] = headX + h * (forward * hfx + left * lx + up * hux);
      points[3 * index + 1] = headY + h * (forward * hfy + left * ly + up * huy);
      points[3 * index + 2] = headZ + h * (forward * hfz + left * lz + up * huz);
    };
    face(0, 0.06, 0, 0);
    face(1, 0.05, 0.018, 0.02);
    face(2, 0.05, -0.018, 0.02);
    face(3, 0, 0.043, 0.01);
    face(4, 0, -0.043, 0.01);
    this.put(0, headX, headY, headZ, hux, huy, huz, lx, ly, lz);
    const breath = pose[POSE.breath]!;
    this.put(
      1,
      0.52 * nx + breath * tfx,
      0.52 * ny + breath * tfy,
      0.52 * nz + breath * tfz,
      tux,
      tuy,
      tuz,
      lx,
      ly,
      lz,
    );
    this.put(2, 0, 0, 0, ux, uy, uz, hipX, hipY, hipZ);

    let lowest = Math.min(headZ - CONTACT.head * girth, -CONTACT.hip * girth);
    for (let side = 0; side < 2; side++) {
      const out = side === 0 ? 1 : -1;

      // Arm: shoulder, elbow, wrist.
      const lift = pose[POSE.shoulderLeft + side]!;
      const wide = pose[POSE.armLeft + side]!;
      const bend = lift + pose[POSE.elbowLeft + side]!;
      const sx = nx + out * SHARE.shoulder * h * lx;
      const sY = ny + out * SHARE.shoulder * h * ly;
      const sz = nz + out * SHARE.shoulder * h * lz;
      const cw = Math.cos(wide);
      const sw = out * Math.sin(wide);
      direction(limbs, 0, Math.sin(lift) * cw, sw, -Math.cos(lift) * cw, trunk);
      direction(limbs, 3, Math.sin(bend) * cw, sw, -Math.cos(bend) * cw, trunk);
      if (free > 0) this.#turnLimbs(pose, FREE.upperArm + 3 * side, free, heading);
      const upper = SHARE.upperArm * h;
      const fore = SHARE.forearm * h;
      const ex = sx + upper * limbs[0]!;
      const ey = sY + upper * limbs[1]!;
      const ez = sz + upper * limbs[2]!;
      const wx = ex + fore * limbs[3]!;
      const wy = ey + fore * limbs[4]!;
      const wz = ez + fore * limbs[5]!;
      put(points, 5 + side, sx, sY, sz);
      put(points, 7 + side, ex, ey, ez);
      put(points, 9 + side, wx, wy, wz);
      this.#limb(3 + side, 0.5 * (sx + ex), 0.5 * (sY + ey), 0.5 * (sz + ez), 0);
      this.#limb(5 + side, ex + 0.6 * (wx - ex), ey + 0.6 * (wy - ey), ez + 0.6 * (wz - ez), 3);

      // Leg: hip, knee, ankle, foot.
      const hip = pose[POSE.hipLeft + side]!;
      const shank = hip - pose[POSE.kneeLeft + side]!;
      const spread = pose[POSE.spreadLeft + side]!;
      const cs = Math.cos(spread);
      const ss = out * Math.sin(spread);
      const sinShank = Math.sin(shank);
      const cosShank = Math.cos(shank);
      direction(limbs, 0, Math.sin(hip) * cs, ss, -Math.cos(hip) * cs, pelvis);
      direction(limbs, 3, sinShank * cs, ss, -cosShank * cs, pelvis);
      direction(limbs, 6, cosShank, 0, sinShank, pelvis);
      if (free > 0) this.#turnLimbs(pose, FREE.thigh + 3 * side, free, heading);
      const hx = out * SHARE.hip * h * hipX;
      const hy = out * SHARE.hip * h * hipY;
      const hz = out * SHARE.hip * h * hipZ;
      const thigh = SHARE.thigh * h;
      const calf = SHARE.shank * h;
      const kx = hx + thigh * limbs[0]!;
      const ky = hy + thigh * limbs[1]!;
      const kz = hz + thigh * limbs[2]!;
      const ax = kx + calf * limbs[3]!;
      const ay = ky + calf * limbs[4]!;
      const az = kz + calf * limbs[5]!;
      put(points, 11 + side, hx, hy, hz);
      put(points, 13 + side, kx, ky, kz);
      put(points, 15 + side, ax, ay, az);
      this.#limb(7 + side, 0.5 * (hx + kx), 0.5 * (hy + ky), 0.5 * (hz + kz), 0);
      this.#limb(9 + side, 0.5 * (kx + ax), 0.5 * (ky + ay), 0.5 * (kz + az), 3);
      const reach = 0.35 * SHARE.foot * h;
      this.#limb(11 + side, ax + reach * limbs[6]!, ay + reach * limbs[7]!, az + reach * limbs[8]!, 6);

      lowest = Math.min(
        lowest,
        sz - CONTACT.shoulder * girth,
        ez - CONTACT.elbow * girth,
        wz - CONTACT.wrist * girth,
        hz - CONTACT.hip * girth,
        kz - CONTACT.knee * girth,
        az - SHARE.ankle * h,
      );
    }
    this.opacity = 1 - pose[POSE.absence]!;
    this.scale(this.opacity);
    this.#stand(pose[POSE.x]!, pose[POSE.y]!, pose[POSE.support]! - lowest);
    this.outline();
  }

  /**
   * Forward, left and up axes of pelvis and trunk: yaw, then pitch, then roll; the spine bends the trunk
   * forward.
   */
  #orient(pose: Float64Array, free: number, heading: readonly [number, number]): void {
    const [cy, sy] = heading;
    const cp = Math.cos(pose[POSE.pitch]!);
    const sp = Math.sin(pose[POSE.pitch]!);
    const cr = Math.cos(pose[POSE.roll]!);
    const sr = Math.sin(pose[POSE.roll]!);
    const fx = cy * cp;
    const fy = sy * cp;
    const fz = -sp;
    const lx = cy * sp * sr - sy * cr;
    const ly = sy * sp * sr + cy * cr;
    const lz = cp * sr;
    const ux = cy * sp * cr + sy * sr;
    const uy = sy * sp * cr - cy * sr;
    const uz = cp * cr;
    const cb = Math.cos(pose[POSE.spine]!);
    const sb = Math.sin(pose[POSE.spine]!);
    axes(this.#pelvis, fx, fy, fz, lx, ly, lz, ux, uy, uz);
    const trunk = this.#trunk;
    put(trunk, 0, cb * fx - sb * ux, cb * fy - sb * uy, cb * fz - sb * uz);
    put(trunk, 1, lx, ly, lz);
    put(trunk, 2, sb * fx + cb * ux, sb * fy + cb * uy, sb * fz + cb * uz);
    if (free > 0) {
      mixAxes(this.#pelvis, pose, POSE.directions + FREE.pelvisLeft, free, heading);
      mixAxes(trunk, pose, POSE.directions + FREE.trunkLeft, free, heading);
    }
  }

  /**
   * Turns the upper and lower limbs in the scratch array toward their free directions; a foot is
   * perpendicular to its shank.
   */
  #turnLimbs(pose: Float64Array, upper: number, free: number, heading: readonly [number, number]): void {
    const limbs = this.#limbs;
    mixDirection(limbs, 0, pose, POSE.directions + upper, free, heading);
    mixDirection(limbs, 3, pose, POSE.directions + upper + 6, free, heading);
    const pelvis = this.#pelvis;
    const along = pelvis[0]! * limbs[3]! + pelvis[1]! * limbs[4]! + pelvis[2]! * limbs[5]!;
    for (let i = 0; i < 3; i++) {
      limbs[6 + i] = (1 - free) * limbs[6 + i]! + free * (pelvis[i]! - along * limbs[3 + i]!);
    }
  }

  /**
   * Position of the feet: the middle of the ankles relative to the floor point below the pelvis, in the frame
   * of the person (forward, left), written to `out`. Motions use it to keep the feet in place.
   */
  feet(pose: Float64Array, out: Float64Array): void {
    const cp = Math.cos(pose[POSE.pitch]!);
    const sp = Math.sin(pose[POSE.pitch]!);
    const cr = Math.cos(pose[POSE.roll]!);
    const sr = Math.sin(pose[POSE.roll]!);
    const leg = this.#leg.fill(0);
    for (let side = 0; side < 2; side++) {
      const sign = side === 0 ? 1 : -1;
      const hip = pose[POSE.hipLeft + side]!;
      const shank = hip - pose[POSE.kneeLeft + side]!;
      const cs = Math.cos(pose[POSE.spreadLeft + side]!);
      const ss = sign * Math.sin(pose[POSE.spreadLeft + side]!);
      leg[0]! += 0.5 * cs * (SHARE.thigh * Math.sin(hip) + SHARE.shank * Math.sin(shank));
      leg[1]! += 0.5 * ss * (SHARE.thigh + SHARE.shank);
      leg[2]! -= 0.5 * cs * (SHARE.thigh * Math.cos(hip) + SHARE.shank * Math.cos(shank));
    }
    const h = this.size.height;
    const free = pose[POSE.free]!;
    out[0] = (1 - free) * h * (leg[0]! * cp + leg[1]! * sp * sr + leg[2]! * sp * cr);
    out[1] = (1 - free) * h * (leg[1]! * cr - leg[2]! * sr);
    if (free === 0) return;
    for (let limb = 0; limb < 4; limb++) {
      const length = 0.5 * free * h * (limb < 2 ? SHARE.thigh : SHARE.shank);
      const at = POSE.directions + FREE.thigh + 3 * limb;
      const scale = length / Math.max(Math.hypot(pose[at]!, pose[at + 1]!, pose[at + 2]!), 1e-9);
      out[0] += scale * pose[at]!;
      out[1] += scale * pose[at + 1]!;
    }
  }

  /** Moves everything from the pelvis frame at the origin to the pelvis's position. */
  #stand(x: number, y: number, z: number): void {
    const points = this.keypoints;
    for (let i = 0; i < points.length; i += 3) {
      points[i]! += x;
      points[i + 1]! += y;
      points[i + 2]! += z;
    }
    const centres = this.centres;
    for (let i = 0; i < centres.length; i += 3) {
      centres[i]! += x;
      centres[i + 1]! += y;
      centres[i + 2]! += z;
    }
  }

  /** A round limb along the direction at index `from` of the scratch array. */
  #limb(part: number, x: number, y: number, z: number, from: number): void {
    const limbs = this.#limbs;
    this.put(part, x, y, z, limbs[from]!, limbs[from + 1]!, limbs[from + 2]!, 0, 0, 0);
  }
}

const put = (into: Float64Array, index: number, x: number, y: number, z: number): void => {
  into[3 * index] = x;
  into[3 * index + 1] = y;
  into[3 * index + 2] = z;
};

/** Nine numbers: the axes forward, left and up. */
const axes = (
  into: Float64Array,
  fx: number,
  fy: number,
  fz: number,
  lx: number,
  ly: number,
  lz: number,
  ux: number,
  uy: number,
  uz: number,
): void => {
  put(into, 0, fx, fy, fz);
  put(into, 1, lx, ly, lz);
  put(into, 2, ux, uy, uz);
};

/** Converts a direction from the frame of the given axes to that of the room. */
const direction = (
  into: Float64Array,
  at: number,
  forward: number,
  left: number,
  up: number,
  by: Float64Array,
): void => {
  for (let i = 0; i < 3; i++) into[at + i] = forward * by[i]! + left * by[3 + i]! + up * by[6 + i]!;
};
