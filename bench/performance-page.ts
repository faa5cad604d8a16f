import { availableParallelism } from 'node:os';
import type { Result } from './line.js';

/** The results as a page of the documentation, with a general description of the machine. */
export function performancePage(results: readonly Result[]): string {
  const rows = results.map(
    ({ what, target, reached, control, met }) =>
      `| ${what} | ${target} | ${reached}${met ? '' : ' (missed)'} | ${control} |`,
  );
  return `${INTRODUCTION}
Measured on ${availableParallelism()} cores with Node ${process.versions.node}, ${process.platform}.

| what | to reach | reached | control, A against A |
|---|---|---|---|
${rows.join('\n')}
`;
}

const INTRODUCTION = `# Performance

This page shows how fast csiflow is, for example how many frames per second one core decodes and cleans, beside the targets.
\`csiflow bench line --write\` measures it. Each figure has a control: the same measurement, repeated in the same run. The
difference between the two comes from the machine, not from csiflow. Processor times are valid on a busy machine too; rates
and elapsed times need an idle one.
`;
