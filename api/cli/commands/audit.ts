import type { Command } from 'commander';
import type { AuditEntry } from '../../service/audit/audit-log.js';
import { remoteOptions, type RemoteOptions } from '../remote.js';

interface AuditOptions extends RemoteOptions {
  readonly since?: string;
  readonly account?: string;
  readonly refused: boolean;
}

/** Page size limit of the service. */
const PAGE = 1000;

export function register(program: Command): void {
  remoteOptions(
    program
      .command('audit')
      .description('Show requests to a running csiflow and their outcomes. For admins.')
      .option('--since <time>', 'entries from this time, such as 2026-03-01T00:00:00Z')
      .option('--account <name>', 'only successful actions')
      .option('--refused', 'only refused requests', false),
  )
    .addHelpText(
      'after',
      '\nExample:\n  CSIFLOW_PASSWORD=... csiflow audit --refused --since 2026-03-01T00:00:00Z',
    )
    .action(async (options: AuditOptions) => {
      const { askWhole, signedIn } = await import('../remote.js');
      const remote = await signedIn(options);
      const query = new URLSearchParams({
        per_page: String(PAGE),
        ...(options.since !== undefined && { start_time: options.since }),
        ...(options.account !== undefined && { account: options.account }),
        ...(options.refused && { outcome: 'refused' }),
      });
      for (let page = 1, more = true; more; page++) {
        const answer = await askWhole(remote, 'GET', `/audit?page=${page}&${query.toString()}`);
        const entries = answer.data as readonly AuditEntry[];
        for (const entry of entries)
          process.stdout.write(`${options.json ? JSON.stringify(entry) : line(entry)}\n`);
        more = entries.length === PAGE;
      }
    });
}

function line({ time, account, address, action, details, outcome, code, repeated }: AuditEntry): string {
  const what = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
  const often = repeated === 0 ? '' : ` (and ${repeated} like it)`;
  return `${time}  ${account ?? '-'}  ${address}  ${action}${what}: ${code ?? outcome}${often}`;
}
