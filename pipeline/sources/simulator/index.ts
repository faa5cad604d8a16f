/**
 * The scene simulator: rooms, links, moving people, and the CSI that receivers would report, together with
 * the ground truth. Everything is derived from one integer seed.
 *
 * Training data:
 *
 * ```ts
 * const sequence = simulateSequence(seed, { seconds: 6, links: 4 });   // a new room for each seed
 * sequence.csi           // [links, samples, antennas, subcarriers, (re, im)], 50 Hz, 13 subcarrier groups
 * sequence.calibration   // [links, antennas, subcarriers, (re, im)]: the empty room, measured beforehand
 * sequence.present       // [links, samples]: 0 if the packet was lost (csi then repeats the previous one)
 * sequence.room          // { size, links: [{ transmitter, antennas: [receiver, ...] }] } in metres
 * sequence.truth         // root, heading, posture, activity, keypoints per person and sample
 * simulateSequence(seed, { room: knownRoomOf(environment) });          // a known room instead of a random one
 * simulateSequence(seed, { persons: 3, mix: EVERYDAY_MIX });           // also fall-like activities
 * simulateSequence(seed, { motion: loadMotion(folder, 'training') });   // also recorded clips and falls
 * ```
 *
 * `simulateSequence` is pure and stores nothing between calls, so any number of workers may share the seeds.
 * Setting up a room costs about as much as simulating one second (2 ms for 4 links). Long sequences are
 * therefore cheaper, and windows cut from them at random offsets are better training data than many short
 * ones.
 *
 * `csi` and `calibration` of a link share one scale (about 30 on average for the empty room), in steps of an
 * 8-bit converter. The phase is as received, with a random offset and slope in each packet.
 *
 * Parts: `room` (geometry, images), `body` (joints, ellipsoids), `poses`, `gait` and `walk`, `timeline`
 * (consecutive pieces of motion), `actor` (the elements of activities), `rest`, `effort`, `fall` and `falls`,
 * `door` (activities), `motion` (converts a person's steps to pieces), `people` and `apart` (several people
 * with random activities), `things` (other moving objects), `recorded` (clips and rag-dolls), `devices`
 * and `band` (which subcarriers), `channel` (converts bodies and walls to subcarriers), `impairments` (the
 * receiver), `scene` (combines everything).
 */
export { bandOf, GROUPS } from './band.js';
export * from './scene.js';
export { ACTIVITIES, POSTURES, type Activity, type Step } from './person/activities.js';
export { Motion } from './motion.js';
export { loadMotion, type MotionLibrary, type MotionPart } from './recorded/library.js';
export { EVERYDAY_MIX, MOTION_MIX, type MotionMix } from './people.js';
export { IMPAIRMENTS, NO_IMPAIRMENTS, type ImpairmentOptions } from './impairments.js';
export { THINGS, type ThingKind } from './thing.js';
export { NO_DIFFUSE, type Diffuse, type Room, type SceneLink, type Size, type Vec3 } from './shared/room.js';
