import { availableParallelism, loadavg } from 'node:os';

/** Results of one part of the attack. */
export interface Section {
  readonly title: string;
  readonly rows: readonly (readonly [what: string, figure: string])[];
  /** Requirements that did not hold; empty: all did. */
  readonly findings: readonly string[];
}

/** The page, with the command that repeats it. */
export function robustnessPage(command: string, sections: readonly Section[]): string {
  return `# Robustness

Made by \`${command}\` on ${availableParallelism()} cores with Node ${process.versions.node}, ${process.platform}; the load was ${loadavg()[2]!.toFixed(1)} in the last quarter of an hour.
${sections.map(text).join('')}`;
}

const text = ({ title, rows, findings }: Section): string => `
## ${title}

${findings.length === 0 ? 'Everything held.' : findings.map((finding) => `- Did not hold: ${finding}`).join('\n')}

| what | figure |
|---|---|
${rows.map(([what, figure]) => `| ${what} | ${figure} |`).join('\n')}
`;
