import { availableParallelism, loadavg } from 'node:os';

/** Results of one part of the attack. */
export interface Section {
  readonly title: string;
  readonly rows: readonly (readonly [what: string, figure: string])[];
  /** Failed requirements; empty: all passed. */
  readonly findings: readonly string[];
}

/** The page, with the command that repeats it. */
export function robustnessPage(command: string, sections: readonly Section[]): string {
  return `# Robustness

Made by \`${command}\` on ${availableParallelism()} cores with Node ${process.versions.node}, ${process.platform}; the load average (15 minutes) was ${loadavg()[2]!.toFixed(1)}.
${sections.map(text).join('')}`;
}

const text = ({ title, rows, findings }: Section): string => `
## ${title}

${findings.length === 0 ? 'All requirements passed.' : findings.map((finding) => `- Failed: ${finding}`).join('\n')}

| measure | figure |
|---|---|
${rows.map(([what, figure]) => `| ${what} | ${figure} |`).join('\n')}
`;
