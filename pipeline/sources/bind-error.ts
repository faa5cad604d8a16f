/**
 * Explains what to do about a port that cannot be opened. Preserves the system's code, from which the command
 * line derives exit code 3.
 * @param options of `ss` that lists who listens on such a port: `-ulpn`
 */
export function bindError(
  error: NodeJS.ErrnoException,
  { protocol, options, host, port }: { protocol: string; options: string; host: string; port: number },
): Error {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program listens on it (\`ss ${options} 'sport = :${port}'\` shows which): stop that, or set another \`port\``,
    EACCES: 'ports below 1024 are for the system: set a higher `port`',
    EADDRNOTAVAIL:
      'this machine does not have this address: set `host` to one that it has, or to 0.0.0.0 for all',
    ENOTFOUND: 'the name does not exist: set `host` to an address of this machine',
  };
  const why = advice[error.code ?? ''] ?? error.message;
  const mended = new Error(`${protocol} port ${port} of ${host} cannot be opened: ${why}`, { cause: error });
  return Object.assign(mended, { code: error.code });
}
