/** Writes a line to stderr: what is not the result of a command. */
export const toStderr = (line: string): void => void process.stderr.write(`${line}\n`);
