import { encode } from 'fast-png';
import { Type, type Static } from 'typebox';
import type { Person } from '../../../pipeline/model/index.js';
import type { Camera } from './view.js';
import { eachBall, limbsOf, PART_NAMES } from './body.js';
import { render, type Box, type Surface } from './render.js';

const closed = { additionalProperties: false } as const;

/** 2.3 */
export const DensePoseASchema = Type.Object(
  {
    body_parts: Type.Array(
      Type.Object(
        {
          part_id: Type.Integer({ minimum: 1, maximum: 24 }),
          part_name: Type.Enum([...PART_NAMES]),
          uv_coordinates: Type.Array(
            Type.Array(Type.Number({ minimum: 0, maximum: 1 }), { minItems: 2, maxItems: 2 }),
            { description: 'Up to 16 pairs of U and V, spread over the visible area of the part.' },
          ),
          confidence: Type.Number({ minimum: 0, maximum: 1 }),
        },
        closed,
      ),
      { maxItems: 24, description: 'Parts visible to the camera, by number. Empty: no skeleton to draw.' },
    ),
  },
  closed,
);

/** 2.3b */
export const DensePoseBSchema = Type.Object(
  {
    iuv_image: Type.String({
      description: 'PNG in base64 of the bounding box: red the part (0: none), green U, blue V.',
    }),
    confidence_map: Type.String({ description: 'Grey PNG in base64 of the same size: 255 is certain.' }),
  },
  closed,
);

export type DensePoseA = Static<typeof DensePoseASchema>;
export type DensePoseB = Static<typeof DensePoseBSchema>;

/** Longest side of an image, pixels. */
export const MAX_SIDE = 112;
/** Pairs of U and V per part. */
const PAIRS = 16;

/**
 * A person's surface under the assumption that the inferred skeleton is right: limbs of assumed thickness,
 * seen by the environment's camera. Only the joints are inferred; docs/dense-pose.md describes the accuracy.
 * A person's figure is computed once and shared by all callers.
 */
export class DensePose {
  readonly #camera: Camera;
  readonly #confidenceOf: (person: Person, error: number) => number;
  readonly #figures = new WeakMap<Person, Figure>();

  /** @param confidenceOf a person's joint, 0 to 1, from its error scale in metres */
  constructor(camera: Camera, confidenceOf: (person: Person, error: number) => number) {
    this.#camera = camera;
    this.#confidenceOf = confidenceOf;
  }

  /** Around the whole body, clipped to the view; null without a skeleton, or if nothing of it is in view. */
  boxOf(person: Person): Box | null {
    return this.#figureOf(person)?.box ?? null;
  }

  formA(person: Person): DensePoseA {
    const figure = this.#figureOf(person);
    if (!figure) return { body_parts: [] };
    return (figure.a ??= { body_parts: bodyParts(this.#surfaceOf(person, figure)) });
  }

  formB(person: Person): DensePoseB {
    const figure = this.#figureOf(person);
    if (!figure) return NOBODY;
    return (figure.b ??= images(this.#surfaceOf(person, figure)));
  }

  #figureOf(person: Person): Figure | undefined {
    if (!person.articulated) return undefined;
    const known = this.#figures.get(person);
    if (known) return known;
    const box = boxAround(person, this.#camera);
    if (!box) return undefined;
    const figure: Figure = { box };
    this.#figures.set(person, figure);
    return figure;
  }

  #surfaceOf(person: Person, { box }: Figure): Surface {
    const scale = Math.min(1, MAX_SIDE / Math.max(box.width, box.height));
    const size = { width: pixels(box.width * scale), height: pixels(box.height * scale) };
    return render(limbsOf(person), this.#camera, box, size, (error) => this.#confidenceOf(person, error));
  }
}

interface Figure {
  readonly box: Box;
  a?: DensePoseA;
  b?: DensePoseB;
}

const pixels = (length: number): number => Math.max(1, Math.round(length));

/** Null if nothing of the body is in view. */
function boxAround(person: Person, camera: Camera): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  eachBall(person, (centre, radius) => {
    const seen = camera.see(centre);
    if (!seen) return;
    const around = (camera.focal * radius) / seen.depth;
    left = Math.min(left, seen.x - around);
    right = Math.max(right, seen.x + around);
    top = Math.min(top, seen.y - around);
    bottom = Math.max(bottom, seen.y + around);
  });
  const x = Math.max(0, left);
  const y = Math.max(0, top);
  const width = Math.min(camera.width, right) - x;
  const height = Math.min(camera.height, bottom) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

/** Each visible part: its mean confidence, and positions spread evenly over its pixels. */
function bodyParts({ iuv, confidence }: Surface): DensePoseA['body_parts'] {
  const pixels = PART_NAMES.map((): number[] => []);
  for (let at = 0; at < confidence.length; at++) {
    const part = iuv[3 * at]!;
    if (part > 0) pixels[part - 1]!.push(at);
  }
  return pixels.flatMap((found, index) => {
    if (found.length === 0) return [];
    const sum = found.reduce((total, at) => total + confidence[at]!, 0);
    const pairs = Math.min(PAIRS, found.length);
    return {
      part_id: index + 1,
      part_name: PART_NAMES[index]!,
      uv_coordinates: Array.from({ length: pairs }, (_, pair) => {
        const at = found[Math.floor(((pair + 0.5) * found.length) / pairs)]!;
        return [share(iuv[3 * at + 1]!), share(iuv[3 * at + 2]!)];
      }),
      confidence: share(sum / found.length),
    };
  });
}

const share = (byte: number): number => Math.round((1000 * byte) / 255) / 1000;

/** Fast rather than small: the pictures are small anyway. */
const PNG = { zlib: { level: 1 } } as const;

const images = ({ width, height, iuv, confidence }: Surface): DensePoseB => ({
  iuv_image: base64(encode({ width, height, data: iuv, channels: 3, depth: 8 }, PNG)),
  confidence_map: base64(encode({ width, height, data: confidence, channels: 1, depth: 8 }, PNG)),
});

const base64 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('base64');

/** Without a skeleton: one pixel of background. */
const NOBODY: DensePoseB = images({
  width: 1,
  height: 1,
  iuv: new Uint8Array(3),
  confidence: new Uint8Array(1),
});
