/** A port that a program listens on. */
export interface Listening {
  readonly protocol: string;
  /** Options with which `ss` lists who listens on such a port: `-ulpn`. */
  readonly options: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Explains what to do about a port that cannot be opened. Preserves the system's code, from which the command
 * line derives exit code 3.
 */
export function bindError(error: NodeJS.ErrnoException, listening: Listening): Error {
  const { protocol, host, port } = listening;
  const { why, fix } = bindFault(error, listening);
  const text = [`${protocol} port ${port} of ${host} cannot be opened`, why, fix].filter(
    (part) => part !== '',
  );
  const explained = new Error(text.join(': '), { cause: error });
  return Object.assign(explained, { code: error.code });
}

/** Why a port cannot be opened, and what to do; no advice for errors of which none is known. */
export function bindFault(
  error: NodeJS.ErrnoException,
  { options, port }: Pick<Listening, 'options' | 'port'>,
): { readonly why: string; readonly fix: string } {
  switch (error.code) {
    case 'EADDRINUSE':
      return {
        why: `another program listens on it (\`ss ${options} 'sport = :${port}'\` shows which)`,
        fix: 'stop that, or set another `port`',
      };
    case 'EACCES':
      return { why: 'ports below 1024 are for the system', fix: 'set a higher `port`' };
    case 'EADDRNOTAVAIL':
      return {
        why: 'this machine does not have this address',
        fix: 'set `host` to one that it has, or to 0.0.0.0 for all',
      };
    case 'ENOTFOUND':
      return { why: 'the name does not exist', fix: 'set `host` to an address of this machine' };
    default:
      return { why: error.message, fix: '' };
  }
}
