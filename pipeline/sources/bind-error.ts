/**
 * Says what a person can do about a port that cannot be opened. Keeps the system's code, by which the command line ends
 * with exit code 3.
 * @param options of `ss` that lists who listens on such a port: `-ulpn`
 */
export function bindError(
  error: NodeJS.ErrnoException,
  { protocol, options, host, port }: { protocol: string; options: string; host: string; port: number },
): Error {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program listens on it (\`ss ${options} 'sport = :${port}'\` shows which): stop that, or set another \`port\``,
    EACCES: 'ports below 1024 are for the system: set a higher `port`',
    EADDRNOTAVAIL: 'this machine has no such address: set `host` to one of its own, or to 0.0.0.0 for all',
    ENOTFOUND: 'there is no machine of this name: set `host` to an address of this one',
  };
  const why = advice[error.code ?? ''] ?? error.message;
  const mended = new Error(`${protocol} port ${port} of ${host} cannot be opened: ${why}`, { cause: error });
  return Object.assign(mended, { code: error.code });
}
