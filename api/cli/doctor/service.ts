import { CommandError } from '../../../pipeline/base/exit.js';
import type { Static } from 'typebox';
import type { DetailedHealthSchema } from '../../contract/health.js';
import type { TopologySchema } from '../../contract/topologies.js';
import type { LinksBody } from '../../rest/topologies/links.js';
import { askWhole, signedIn, type RemoteOptions } from '../remote.js';
import { ok, wrong, type Finding } from './finding.js';
import { linksHeard } from './links.js';

type Health = Static<typeof DetailedHealthSchema>;
type Topology = Static<typeof TopologySchema>;

/** Share of the disk in use above which a store soon fails. */
const FULL_PERCENT = 95;
/** Difference of clocks above which times of this machine and the service's do not compare, milliseconds. */
const CLOCKS_MS = 5_000;

/** Examines a running csiflow. @throws CommandError if none answers, or it rejects the credential */
export async function examineService(options: RemoteOptions): Promise<readonly Finding[]> {
  const session = await signedIn(options);
  const read = async <T>(path: string): Promise<T> => (await askWhole(session, 'GET', path)).data as T;
  const health = await read<Health>('/health/detailed').catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${options.url} cannot be examined: ${error.message}`, error.exitCode);
  });
  const topologies = await read<readonly { readonly id: string }[]>('/topologies');
  const findings = [...ofHealth(health, options.url, Date.now())];
  for (const { id } of topologies) {
    const path = `/topologies/${encodeURIComponent(id)}`;
    const topology = await read<Topology>(path);
    findings.push(...ofTopology(topology), ...ofLinks(await read<LinksBody>(`${path}/links`)));
  }
  return findings;
}

export function ofHealth(
  { overall_status: status, timestamp, version, metrics }: Health,
  url: string,
  nowMs: number,
): readonly Finding[] {
  const apart = Math.abs(Date.parse(timestamp) - nowMs);
  const used = `${Math.round(metrics.disk_usage)} % of the disk of the state folder is in use`;
  return [
    ok('service', `csiflow ${version} answers at ${url}; it is ${status}`),
    apart <= CLOCKS_MS
      ? ok('clock', 'the clocks of the service and of this machine agree')
      : wrong(
          'clock',
          'warning',
          `the clocks of the service and of this machine differ by ${Math.round(apart / 1000)} s`,
          'switch time synchronisation on, on both (`timedatectl set-ntp true`)',
        ),
    metrics.disk_usage < FULL_PERCENT
      ? ok('disk', used)
      : wrong(
          'disk',
          'failed',
          `${used}: writing soon fails`,
          'free some, or delete earlier: `settings.privacy.data_retention_days`',
        ),
  ];
}

/** Reasons of dropped records that point to this machine, and what to do. */
const DROPS: Readonly<Record<string, string>> = {
  kernel_buffer: 'raise net.core.rmem_max and `receive_buffer_bytes` of the source: bursts do not fit',
  queue_full: 'csiflow cannot keep up: `csiflow top` marks the node that is too slow',
  stale: 'csiflow cannot keep up: `csiflow top` marks the node that is too slow',
  outbox_full: 'bring the store back, or raise `settings.outbox_limit_bytes`',
};

export function ofTopology({ id, status, problem, nodes }: Topology): readonly Finding[] {
  const state =
    status === 'running'
      ? ok('topology', `${id} is running`)
      : wrong(
          'topology',
          status === 'degraded' ? 'warning' : 'failed',
          `${id} is ${status}${problem === null ? '' : `: ${problem}`}`,
          status === 'stopped'
            ? `start it on the live page, or by POST /topologies/${id}/start`
            : 'the problem says what to do; the log has the details',
        );
  return [state, ...nodes.flatMap((node) => ofNode(id, node))];
}

function ofNode(
  topology: string,
  { id, kind, status, dropped, undelivered, failed }: Topology['nodes'][number],
): readonly Finding[] {
  const name = `${kind} ${topology}/${id}`;
  const findings: Finding[] = [];
  if (status === 'degraded' || status === 'unavailable')
    findings.push(
      wrong(
        'node',
        status === 'degraded' ? 'warning' : 'failed',
        `${name} is ${status}${undelivered > 0 ? `; ${undelivered} records wait in its outbox` : ''}`,
        kind === 'sink'
          ? 'check that its store or receiver runs and can be reached from there; the records are delivered then'
          : `look at what it puts out: \`csiflow tap ${id}\`, and at the log`,
      ),
    );
  if (failed > 0)
    findings.push(
      wrong(
        'node',
        'warning',
        `${name} could not take ${failed} records`,
        `see why: \`csiflow dead-letters list FILE\`, with the file of the topology; then replay or drop them`,
      ),
    );
  for (const [reason, fix] of Object.entries(DROPS)) {
    const count = dropped[reason] ?? 0;
    if (count > 0)
      findings.push(
        wrong('drops', 'warning', `${name} dropped ${count} records since its start (${reason})`, fix),
      );
  }
  return findings;
}

const ofLinks = ({ links, unknown_senders: strangers }: LinksBody): readonly Finding[] =>
  linksHeard(
    links.map((link) => ({
      ...{ id: link.id, environment: link.environment_id, sender: link.sender },
      ...{ rate: link.frames_per_second, loss: link.loss, rssi: link.rssi_dbm, noise: link.noise_dbm },
      ...{ snrDb: link.snr_db, last: link.last_frame, leftOut: link.reason },
    })),
    strangers.map(({ last_frame: last, ...stranger }) => ({ ...stranger, last })),
  );
