/** What one check of `csiflow doctor` found. */
export interface Finding {
  /** The check, and what it looked at: `port`, `folder`, `link`. */
  readonly check: string;
  /** `warning`: it works, but not as well as it could. `unknown`: this machine does not tell. */
  readonly state: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly message: string;
  /** How to fix it; null if nothing is wrong. */
  readonly fix: string | null;
}

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message, fix: null });

/** A finding with something to do about it. */
export const wrong = (
  check: string,
  state: Exclude<Finding['state'], 'ok'>,
  message: string,
  fix: string,
): Finding => ({ check, state, message, fix });
