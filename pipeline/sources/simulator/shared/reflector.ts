/** An object that scatters and shadows radio waves: a group of ellipsoids with a silhouette. */
export interface Reflector {
  /** Centres of the ellipsoids, [parts, (x, y, z)]. */
  readonly centres: Float64Array;
  /** Shape matrices R diag(a^2, b^2, c^2) R', [parts, (xx, yy, zz, xy, xz, yz)]. */
  readonly shapes: Float64Array;
  /** reflectivity * sqrt(pi) * a * b * c of each ellipsoid, cubic metres. */
  readonly strengths: Float64Array;
  /** Middle of the silhouette. */
  readonly middle: Float64Array;
  /** Second moments of the silhouette about its middle, (xx, yy, zz, xy, xz, yz). */
  readonly spread: Float64Array;
  /** Share of a wave's amplitude that the silhouette blocks. */
  readonly opacity: number;
}

/** Semi-axes of an ellipsoid, metres: forward, sideways, along. */
export type SemiAxes = readonly [number, number, number];

/** Ellipsoids that are placed one by one, without allocating. */
export class Ellipsoids implements Reflector {
  readonly centres: Float64Array;
  readonly shapes: Float64Array;
  readonly strengths: Float64Array;
  readonly middle = new Float64Array(3);
  readonly spread = new Float64Array(6);
  opacity: number;
  readonly #axes: Float64Array;
  readonly #strengths: Float64Array;
  readonly #weights: Float64Array;

  constructor(parts: readonly SemiAxes[], reflectivity: number, opacity = 1) {
    this.opacity = opacity;
    this.centres = new Float64Array(3 * parts.length);
    this.shapes = new Float64Array(6 * parts.length);
    this.#axes = Float64Array.from(parts.flatMap(([a, b, c]) => [a * a, b * b, c * c]));
    this.#strengths = Float64Array.from(parts, ([a, b, c]) => reflectivity * Math.sqrt(Math.PI) * a * b * c);
    this.strengths = this.#strengths.slice();
    const total = parts.reduce((sum, [, b, c]) => sum + b * c, 0);
    this.#weights = Float64Array.from(parts, ([, b, c]) => (b * c) / total);
  }

  /** Scales all strengths: 1 as built, 0 silent. */
  protected scale(by: number): void {
    for (let part = 0; part < this.strengths.length; part++)
      this.strengths[part] = by * this.#strengths[part]!;
  }

  /** Places an ellipsoid: `w` points along, `l` sideways, their cross product forward. */
  protected put(
    part: number,
    x: number,
    y: number,
    z: number,
    wx: number,
    wy: number,
    wz: number,
    lx: number,
    ly: number,
    lz: number,
  ): void {
    const { centres, shapes } = this;
    centres[3 * part] = x;
    centres[3 * part + 1] = y;
    centres[3 * part + 2] = z;
    // R diag(a^2, b^2, c^2) R' = a^2 I + (b^2 - a^2) l l' + (c^2 - a^2) w w'.
    const a = this.#axes[3 * part]!;
    const b = this.#axes[3 * part + 1]! - a;
    const c = this.#axes[3 * part + 2]! - a;
    const at = 6 * part;
    shapes[at] = a + b * lx * lx + c * wx * wx;
    shapes[at + 1] = a + b * ly * ly + c * wy * wy;
    shapes[at + 2] = a + b * lz * lz + c * wz * wz;
    shapes[at + 3] = b * lx * ly + c * wx * wy;
    shapes[at + 4] = b * lx * lz + c * wx * wz;
    shapes[at + 5] = b * ly * lz + c * wy * wz;
  }

  /** Computes the silhouette of all placed ellipsoids. */
  protected outline(): void {
    const { centres, shapes, middle, spread } = this;
    const weights = this.#weights;
    const parts = weights.length;
    middle.fill(0);
    for (let part = 0; part < parts; part++) {
      const weight = weights[part]!;
      middle[0]! += weight * centres[3 * part]!;
      middle[1]! += weight * centres[3 * part + 1]!;
      middle[2]! += weight * centres[3 * part + 2]!;
    }
    spread.fill(0);
    for (let part = 0; part < parts; part++) {
      const weight = weights[part]!;
      const x = centres[3 * part]! - middle[0]!;
      const y = centres[3 * part + 1]! - middle[1]!;
      const z = centres[3 * part + 2]! - middle[2]!;
      // A flat ellipse of semi-axis a has the variance a^2 / 4 along it.
      const own = 6 * part;
      spread[0]! += weight * (x * x + 0.25 * shapes[own]!);
      spread[1]! += weight * (y * y + 0.25 * shapes[own + 1]!);
      spread[2]! += weight * (z * z + 0.25 * shapes[own + 2]!);
      spread[3]! += weight * (x * y + 0.25 * shapes[own + 3]!);
      spread[4]! += weight * (x * z + 0.25 * shapes[own + 4]!);
      spread[5]! += weight * (y * z + 0.25 * shapes[own + 5]!);
    }
  }
}
