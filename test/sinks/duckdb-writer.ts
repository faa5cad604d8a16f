/**
 * A module for `node -e`, called with a folder and csiflow's dist/: writes 20 frames per epoch into a store,
 * reports its progress, and never ends, so that it can be killed.
 */
export const WRITER = `import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, dist] = process.argv.slice(1);
const { duckdb } = await import(pathToFileURL(join(dist, 'sinks/duckdb/duckdb.js')).href);
const quiet = () => {};
const sink = duckdb.create(
  {
    path: 'store.duckdb',
    batch_rows: 7,
    commit_interval_ms: 0,
    retention_days: null,
    memory_limit_bytes: 2 ** 27,
    wal_limit_bytes: 2 ** 20,
  },
  {
    folder,
    node: 'history',
    stateFolder: folder,
    clock: { now: () => 0, elapsed: () => performance.now() },
    metrics: { gauge: quiet, count: quiet, failed: quiet, dropped: quiet },
  },
);
await sink.open();
const person = (frame) => ({
  confidence: 0.5,
  position: { x: 1, y: 2, z: 0 },
  positionError: 0.1,
  heading: null,
  headingConfidence: 0,
  posture: 'upright',
  keypoints: Array.from({ length: 17 }, (_, k) => ({ x: k, y: frame % 10, z: 1, error: 0.1 })),
  articulated: true,
  track: null,
});
for (let epoch = 0; ; epoch++) {
  for (let index = 0; index < 20; index++) {
    const frameId = epoch * 20 + index;
    if (index === 10) process.stdout.write(\`writing \${epoch}\\n\`);
    await sink.write(
      [
        {
          port: 'pose',
          frameId,
          environment: 'test-room',
          time: 1.7e15 + frameId * 1e5,
          windowEnd: 1.7e15 + frameId * 1e5,
          processingMs: 1,
          persons: [person(frameId)],
          links: 1,
          signalQuality: 1,
          provenance: { origin: 'live' },
        },
      ],
      epoch,
    );
  }
  await sink.flush();
  process.stdout.write(\`flushed \${epoch}\\n\`);
}
`;
