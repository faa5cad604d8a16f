import { expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { parseTopology } from '../../pipeline/config/index.js';

const MIB = 2 ** 20;
const many = (make: (index: number) => string): string => {
  let text = '';
  for (let index = 0; text.length < MIB - 100; index++) text += make(index);
  return text;
};
const HEAD = 'id: sent\nenvironment: nowhere.yaml\n';

/** Texts of one megabyte. Each took from 4 seconds to minutes before there were limits. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['unknown keys', HEAD + many((index) => `k${index}: 1\n`)],
  ['brackets', `${HEAD}sources: ${'['.repeat(MIB - 100)}`],
  ['levels of blocks', HEAD + many((index) => `${' '.repeat(index)}k:\n`)],
  ['anchors', `${HEAD}sources: [${many((index) => `&a${index},`)}]`],
  ['aliases', `${HEAD}sources: [&a x,${many(() => '*a,')}]`],
  ['nodes', `${HEAD}sinks:\n${many((index) => `  n${index}: { type: console, from: m${index} }\n`)}`],
  ['edges', `${HEAD}sinks:\n  n: { type: console, from: [${many((index) => `m${index},`)}] }\n`],
  ['wrong types', `${HEAD}sources:\n${many((index) => `  n${index}: 1\n`)}`],
  ['unknown fields of a node', `${HEAD}sources:\n  n: { type: udp, ${many((index) => `k${index}: 1, `)} }\n`],
  ['variables', `${HEAD}sources:\n  n: { type: udp, host: "${many((index) => `\${V${index}}`)}" }\n`],
  ['duplicate keys', HEAD + many(() => 'k: 1\n')],
  ['errors of syntax', HEAD + many(() => '}\n')],
  ['empty lines', HEAD + many(() => '\n')],
  ['a long text', `${HEAD}sources: { n: { type: ${'x'.repeat(MIB - 100)} } }\n`],
];

test.each(TEXTS)(
  'a megabyte of %s takes seconds at most and is rejected, with a bounded list',
  (_what, text) => {
    const begun = process.cpuUsage();
    const { topology, problems } = parseTopology(
      { text, shown: 't.yaml', file: null, folder: '/tmp' },
      components,
      {
        env: {},
      },
    );
    // Processor time, not wall-clock time: others may use the machine too.
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1e6).toBeLessThan(10);
    expect(topology).toBeUndefined();
    expect(problems.length).toBeLessThanOrEqual(201);
    expect(JSON.stringify(problems).length).toBeLessThan(500_000);
  },
);
