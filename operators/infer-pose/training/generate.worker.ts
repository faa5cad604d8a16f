import { parentPort, workerData } from 'node:worker_threads';
import { generateChunk, type Plan } from './generate.js';

/** Generates the requested chunks by number, one after another. */
const plan = workerData as Plan;
parentPort!.on('message', (chunk: number) => {
  const samples = generateChunk(plan, chunk);
  const { features, places, truth, room } = samples;
  parentPort!.postMessage({ chunk, samples }, [
    features.buffer,
    places.buffer,
    truth.buffer,
    room.buffer,
  ] as ArrayBuffer[]);
});
