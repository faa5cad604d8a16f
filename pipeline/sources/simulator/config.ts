import { Type } from 'typebox';
import { choice, filePath } from '../../component/index.js';
import type { DEVICES } from './devices.js';
import type { GAINS } from './gain-control.js';
import { DEFAULT_PEOPLE, ObstacleSchema, PersonSchema, ThingSchema } from './script.js';

/** The limit of `echo_db` in both directions. */
export const MOST_ECHO_DB = 20;

const range = (low: number, high: number, options: { default: number[]; description: string }) =>
  Type.Array(Type.Number({ minimum: low, maximum: high }), { minItems: 2, maxItems: 2, ...options });

export const config = Type.Object(
  {
    people: Type.Array(PersonSchema, {
      maxItems: 16,
      default: DEFAULT_PEOPLE,
      description:
        'Who is in the room and what they do; each environment has these people. [] is an empty room.',
    }),
    things: Type.Array(ThingSchema, {
      maxItems: 16,
      default: [],
      description:
        'Moving things in the room that are not people. The truth has a separate line for each: `thing`, `number`, `moving`, `place`.',
    }),
    obstacles: Type.Array(ObstacleSchema, {
      maxItems: 32,
      default: [],
      description:
        'Furniture that attenuates paths, and hides people behind it. People do not walk around it.',
    }),
    diffuse: Type.Optional(
      Type.Object(
        {
          paths: Type.Integer({ minimum: 0, maximum: 200, description: 'How many a link.' }),
          power_db: Type.Number({
            minimum: -40,
            maximum: 10,
            default: -6,
            description: 'Power of all of them together against the line of sight, decibels.',
          }),
          excess_m: Type.Number({
            minimum: 0.1,
            maximum: 100,
            default: 6,
            description: 'Mean length beyond the line of sight, metres.',
          }),
        },
        {
          additionalProperties: false,
          description:
            'Weak paths of each link through rough walls and small objects, which nobody blocks; random by default: none in a quarter of rooms, otherwise 10 to 50.',
        },
      ),
    ),
    echo_db: Type.Number({
      minimum: -MOST_ECHO_DB,
      maximum: MOST_ECHO_DB,
      default: 0,
      description:
        'How much more people and things reflect than their geometry gives, decibels. In recordings of real rooms, people change a channel by 7 dB less to 16 dB more than with 0.',
    }),
    door: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description:
          'Floor point of the door by which people leave and come in, moved to the nearest wall; random by default.',
      }),
    ),
    motion: Type.Optional(
      filePath({
        description:
          'Folder with recorded motion that people play besides their own for steps without `to`, `speed` and `fall`: `clips/humanoid3d_*.txt` (DeepMimic) and `ragdoll-falls/fall_*.csv.gz`; relative to the folder of the topology.',
      }),
    ),
    motion_part: choice(
      {
        all: 'All of it.',
        training: 'What models are trained on.',
        held_out: 'What no model is trained on: each fifth fall, and five of the clips.',
      },
      { default: 'all', description: 'Which recordings of `motion` are played.' },
    ),
    device: choice<keyof typeof DEVICES>(
      {
        esp32: '52 subcarriers of the legacy training field, 20 MHz at 2.437 GHz.',
        'esp32-ht': '56 subcarriers of 802.11n, 20 MHz at 2.437 GHz.',
        'esp32-c6': '242 subcarriers of 802.11ax, 20 MHz at 2.437 GHz.',
        'intel-5300': '30 subcarriers of 802.11n, 20 MHz at 5.22 GHz.',
        nexmon: '242 subcarriers of 802.11ac, 80 MHz at 5.21 GHz, as a Raspberry Pi 4 reports them.',
      },
      {
        default: 'esp32',
        description: 'What the receivers report: one antenna each, in steps of an 8-bit converter.',
      },
    ),
    rate_hz: Type.Number({
      minimum: 1,
      maximum: 1000,
      default: 50,
      description: 'Packets that each link sends a second.',
    }),
    speed: Type.Number({
      minimum: 0,
      maximum: 1000,
      default: 1,
      description:
        'Multiple of real time; 0: as fast as possible. Affects only the pace, never the results. If the machine is too slow, the log and `speed_reached` in the details of the source say so, unless `speed` is 1 without a `start_time`.',
    }),
    duration_s: Type.Number({
      minimum: 0,
      default: 0,
      description:
        'Seconds of event time until the input ends; 0: never. The scripts begin again as often as needed.',
    }),
    seed: Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      default: 1,
      description:
        "The whole scene follows from it: walls, furniture, bodies, chances of the scripts, receivers' faults.",
    }),
    start_time: Type.Optional(
      Type.String({
        description:
          'Event time of the first packet, ISO 8601: `2026-01-01T00:00:00Z`; a restart continues from where it stopped. Default: now. At a `speed` of 1 a later start simulates up to 30 s of the time that it was stopped at once, skips the rest and continues at now.',
      }),
    ),
    snr_db: range(0, 60, {
      default: [15, 35],
      description: 'Signal to noise of the links, random within this range.',
    }),
    gain: choice<keyof typeof GAINS>(
      {
        steady: 'Within 1 dB, with a step every 2.5 s on average.',
        following:
          'Follows the level of each packet in steps of 0.2 to 2.5 dB, as that of an ESP32 does: amplitudes hide the level, RSSI tells it.',
      },
      { default: 'steady', description: "The receivers' gain control." },
    ),
    rssi_noise_db: range(0, 10, {
      default: [0, 0],
      description: 'Standard deviation of the RSSI of each packet, random within this range for each link.',
    }),
    rssi_outliers: range(0, 0.5, {
      default: [0, 0],
      description: "Links' share of packets whose RSSI is 4 to 5 dB too large, random within this range.",
    }),
    rssi_dbm: Type.Optional(
      Type.Integer({
        minimum: -128,
        maximum: -1,
        description:
          'RSSI of all packets, dBm, as from devices that do not measure it. By default, it is measured.',
      }),
    ),
    loss: range(0, 0.9, {
      default: [0, 0.1],
      description: "Links' share of lost packets, random within this range.",
    }),
    jitter_ms: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 1,
      description:
        "Spread of the packets' times about their grid; cut off before two packets would change places.",
    }),
    truth: Type.Optional(
      filePath({
        description:
          'File that the true poses are appended to, 20 times a second, one JSON object a line; relative to the folder of the topology. After a restart lines may be there twice.',
      }),
    ),
  },
  { additionalProperties: false },
);
