import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/flow.js';

const TOP = ['pipeline', 'operators', 'sinks', 'api', 'bench'];
const rules = createRequire(import.meta.url)('../../dependency-cruiser.config.cjs') as IFlattenedRuleSet;

/** The rules that made-up modules break, each with the module or folder that breaks it; a module imports those of its list. */
async function broken(
  modules: Readonly<Record<string, readonly string[]>>,
): Promise<readonly (readonly [rule: string, from: string])[]> {
  const folder = temporaryFolder();
  for (const top of TOP) mkdirSync(join(folder, top));
  for (const [path, imports] of Object.entries(modules)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const up = '../'.repeat(path.split('/').length - 1);
    writeFileSync(join(folder, path), imports.map((other) => `import '${up}${other}';\n`).join(''));
  }
  const { output } = await cruise(TOP, { baseDir: folder, validate: true, ruleSet: rules });
  return (output as ICruiseResult).summary.violations.map(({ rule, from }) => [rule.name, from]);
}

/** A file imports the folders beside it; where they share the files, it is the other way round, except for the command's first file. */
const ALLOWED = [
  ['sinks/kafka.ts', 'sinks/kafka/lanes.ts'],
  ['pipeline/sources/file/file.ts', 'pipeline/sources/recording.ts'],
  ['api/cli/csiflow.ts', 'api/cli/bundle/load-bundle.ts'],
] as const;

/** No folder imports a file beside it, nor beside a folder that it is in. Shared files import none of the folders. */
const BROKEN = [
  ['not-upward-2', 'pipeline/runtime/stages/pump.ts', 'pipeline/runtime/runner.ts'],
  ['not-upward-3', 'pipeline/runtime/stages/sink/write.ts', 'pipeline/runtime/stages/queue.ts'],
  ['not-upward-2', 'pipeline/runtime/stages/sink/flush.ts', 'pipeline/runtime/status.ts'],
  ['not-upward-3', 'pipeline/sources/simulator/recorded/clip.ts', 'pipeline/sources/simulator/scene.ts'],
  ['not-upward-2', 'operators/watch-zones/alerts/alerts.ts', 'operators/watch-zones/watch.ts'],
  ['not-upward-1', 'sinks/mqtt/topics.ts', 'sinks/mqtt.ts'],
  ['not-upward-2', 'api/contract/picture/body.ts', 'api/contract/pose.ts'],
  ['not-upward-3', 'api/web/page/room/room.ts', 'api/web/page/main.ts'],
  ['not-upward-1', 'bench/speed/system/history.ts', 'bench/line.ts'],
  ['not-downward', 'pipeline/sources/pace.ts', 'pipeline/sources/serial/ports/ports.ts'],
  ['not-downward', 'api/cli/program.ts', 'api/cli/recordings/look.ts'],
] as const;

/** The folders of a large operator have an order, as those of a layer do, and all of them are listed. */
const INNER = [
  [
    'layer-operators-infer-pose-memory',
    'operators/infer-pose/memory/memory.ts',
    'operators/infer-pose/serving/engine.ts',
  ],
  [
    'every-folder-of-operators-infer-pose',
    'operators/infer-pose/various/various.ts',
    'operators/infer-pose/inputs/scene.ts',
  ],
  [
    'layer-operators-detect-falls-motion',
    'operators/detect-falls/motion/bursts.ts',
    'operators/detect-falls/verdict/judge.ts',
  ],
] as const;

/** Folders do not import each other in a ring, nor does a folder by way of one that it holds. */
const RINGS = [
  ['memory', 'falls/scripts'],
  ['falls/scripts', 'site'],
  ['site', 'memory'],
  ['referee', 'referee/paths'],
  ['referee/paths', 'robustness'],
  ['robustness', 'referee'],
] as const;

test('the rules allow what ARCHITECTURE.md allows of folders within folders, and nothing else', async () => {
  const pairs = [
    ...ALLOWED,
    ...[...BROKEN, ...INNER].map(([, from, to]) => [from, to] as const),
    // Two modules a folder, so that the modules themselves form no ring.
    ...RINGS.map(([from, to]) => [`bench/${from}/out.ts`, `bench/${to}/in.ts`] as const),
  ];
  const found = await broken(
    Object.fromEntries<readonly string[]>(
      pairs.flatMap(([from, to]) => [
        [to, []],
        [from, [to]],
      ]),
    ),
  );
  const rings = found.filter(([rule]) => rule === 'no-circular-folders').map(([, from]) => from);
  // The ring by way of a folder within is reported of the folder that holds it.
  const reported = RINGS.map(([from]) => `bench/${from}`).filter((from) => from !== 'bench/referee/paths');
  expect([...new Set(rings)].sort()).toEqual(reported.sort());
  const rest = found.filter(([rule]) => rule !== 'no-circular-folders');
  expect(rest.sort()).toEqual([...BROKEN, ...INNER].map(([rule, from]) => [rule, from]).sort());
});
