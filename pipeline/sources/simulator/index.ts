/**
 * The scene simulator: rooms, links, people who move, and the CSI that receivers would report, with the
 * truth beside it. Everything follows from one integer seed.
 *
 * Training data:
 *
 * ```ts
 * const sequence = simulateSequence(seed, { seconds: 6, links: 4 });   // a new room for each seed
 * sequence.csi           // [links, samples, antennas, subcarriers, (re, im)], 50 Hz, 13 subcarrier groups
 * sequence.calibration   // [links, antennas, subcarriers, (re, im)]: the empty room, as measured before
 * sequence.present       // [links, samples]: 0 where the packet was lost (csi then holds the one before)
 * sequence.site          // { size, links: [{ transmitter, antennas: [receiver, ...] }] } in metres
 * sequence.truth         // root, heading, posture, activity, keypoints per person and sample
 * simulateSequence(seed, { site: siteOf(environment) });               // a known room instead of a random one
 * simulateSequence(seed, { persons: 3, mix: EVERYDAY_MIX });           // several people, also what looks like a fall
 * simulateSequence(seed, { motion: loadMotion(folder, 'training') });   // recorded clips and rag-doll falls besides
 * ```
 *
 * `simulateSequence` is pure and keeps nothing between calls, so any number of workers may share the seeds.
 * A room's set-up costs about as much as a second of it (2 ms for 4 links): long sequences are cheaper, and windows cut
 * from them at random shifts are better training data than many short ones.
 *
 * `csi` and `calibration` of a link share one scale (about 30 on average for the empty room), in steps of an
 * 8-bit converter. Phase is as received: a random offset and slope in each packet.
 *
 * Parts: `room` (geometry, images), `body` (joints, ellipsoids), `poses`, `gait` and `walk`, `timeline` (pieces of motion
 * one behind the other), `actor` (the elements of activities), `rest`, `effort`, `fall` and `falls`, `door` (activities),
 * `motion` (what a person does, from steps to pieces), `people` and `apart` (several at once, by chance), `things` (what
 * moves and is nobody), `recorded` (clips and rag-dolls), `channel` (bodies and walls into
 * subcarriers), `impairments` (the receiver), `scene` (all together).
 */
export * from './scene.js';
export { ACTIVITIES, POSTURES, type Activity, type Step } from './activities.js';
export { Motion } from './motion.js';
export { loadMotion, type MotionLibrary, type MotionPart } from './recorded/library.js';
export { EVERYDAY_MIX, MOTION_MIX, type MotionMix } from './people.js';
export { IMPAIRMENTS, NO_IMPAIRMENTS, type ImpairmentOptions } from './impairments.js';
export { THINGS, type ThingKind } from './thing.js';
export { NO_DIFFUSE, type Diffuse, type Room, type SceneLink, type Size, type Vec3 } from './room.js';
