import { expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { parseTopology } from '../../pipeline/config/index.js';

const problemsOf = (reader: string, content = 'record') =>
  parseTopology(
    {
      text: `id: store
environment: environments/ward-1.yaml
sources:
  in: { type: kafka, brokers: ["b:9092"], topics: [csiflow.results], format: results, content: ${content} }
${reader}
`,
      ...{ shown: 't.yaml', file: null, folder: 'topologies' },
    },
    components,
    { env: {} },
  ).problems.map(({ code, message }) => ({ code, message }));

test('a source of results gives no CSI: rejects an operator that takes it, accepts a store', () => {
  const [problem] = problemsOf(`operators: { clean: { type: denoise, from: in } }
sinks: { out: { type: console, from: [clean, in] } }`);
  expect(problem).toMatchObject({
    code: 'config.port.mismatch',
    message: expect.stringMatching(/`in` \(kafka\) outputs pose and measure and event/) as string,
  });
  expect(problemsOf('sinks: { out: { type: duckdb, from: in, path: x.duckdb } }')).toEqual([]);
});

test('a result is one message: rejects a capture of them', () => {
  const [problem] = problemsOf('sinks: { out: { type: console, from: in } }', 'capture');
  expect(problem?.message).toMatch(/`content` must be `record`/);
});
