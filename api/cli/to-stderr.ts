/** Writes a line to stderr: what is not the result of a command. */
export const toStderr = (line: string): void => void process.stderr.write(`${line}\n`);

/** Writes a line of progress: to stdout, unless that is for JSON. */
export const toPeople =
  (json: boolean | undefined) =>
  (line: string): void =>
    void (json ? process.stderr : process.stdout).write(`${line}\n`);
