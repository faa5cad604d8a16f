import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorText } from '../../../pipeline/base/error-text.js';
import { packageFile } from '../../../pipeline/base/paths.js';
import { bufferAdvice, setReceiveBuffer } from '../../../pipeline/sources/receive-buffer.js';
import { ok, wrong, type Finding } from './finding.js';

/** @param version of Node.js, such as `20.19.0` */
export function nodeVersion(version = process.versions.node): Finding {
  const { engines } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const required = engines.node.replace('>=', '');
  return isAtLeast(version, required)
    ? ok('node', `Node.js ${version}`)
    : wrong(
        'node',
        'failed',
        `Node.js ${version} is too old: csiflow needs ${required} or later`,
        `install a later version from https://nodejs.org, or by your system's package manager`,
      );
}

function isAtLeast(version: string, least: string): boolean {
  const [a, b] = [version, least].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = b.findIndex((number, index) => number !== (a[index] ?? 0));
  return at < 0 || (a[at] ?? 0) > b[at]!;
}

/** Open files and sockets that a process may have, below which a busy service runs out of them. */
const ENOUGH_FILES = 1024;

/** @param limits text of `/proc/self/limits`; undefined if the system has none */
export function openFiles(limits = limitsOfProcess()): Finding {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? '') ?? [];
  if (soft === undefined)
    return wrong(
      'limits',
      'unknown',
      'this system does not say how many files and sockets a process may open',
      `check that \`ulimit -n\` prints at least ${ENOUGH_FILES}`,
    );
  if (soft === 'unlimited' || Number(soft) >= ENOUGH_FILES)
    return ok('limits', `a process may open ${soft} files and sockets`);
  return wrong(
    'limits',
    'warning',
    `a process may open only ${soft} files and sockets: each client, sensor and store needs some`,
    `raise the limit: \`ulimit -n ${ENOUGH_FILES * 4}\`, or LimitNOFILE= in the systemd unit`,
  );
}

function limitsOfProcess(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A datagram between two sockets of this machine, and the receive buffer that the kernel grants. */
export async function datagrams(askedBytes: number): Promise<readonly Finding[]> {
  const [sender, receiver] = [createSocket('udp4'), createSocket('udp4')];
  try {
    receiver.bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    const granted = setReceiveBuffer(receiver, askedBytes);
    const arrived = once(receiver, 'message', { signal: AbortSignal.timeout(LOOPBACK_MS) });
    sender.send('csiflow', receiver.address().port, '127.0.0.1');
    await arrived;
    return [
      ok('sockets', 'a datagram from this machine to itself arrives'),
      granted >= askedBytes
        ? ok('buffers', `the kernel grants a receive buffer of ${askedBytes} bytes`)
        : wrong(
            'buffers',
            'warning',
            `the kernel grants a receive buffer of ${granted} bytes instead of ${askedBytes}: bursts may be lost`,
            bufferAdvice(askedBytes),
          ),
    ];
  } catch (error) {
    return [
      wrong(
        'sockets',
        'failed',
        `no datagram from this machine to itself arrives: ${errorText(error)}`,
        'check the firewall, and the network rules of the container or sandbox: 127.0.0.1 must be open',
      ),
    ];
  } finally {
    sender.close();
    receiver.close();
  }
}

/** A datagram that has not arrived by then does not. */
const LOOPBACK_MS = 5_000;

/** Ways to learn whether the clock is synchronised: a command, and what it then prints. */
const CLOCKS = [
  {
    program: 'timedatectl',
    words: ['show', '--property=NTPSynchronized', '--value'],
    yes: /^yes/,
    no: /^no/,
  },
  { program: 'chronyc', words: ['-n', 'tracking'], yes: /: Normal$/m, no: /: Not synchronised$/m },
] as const;

const SYNCHRONISE =
  'switch time synchronisation on: `timedatectl set-ntp true`, or install chrony; in a container or a virtual machine, on its host';

/** Whether the clock is synchronised over the network. @param run a program's output; rejects where it fails */
export async function synchronised(run = outputOf): Promise<Finding> {
  for (const { program, words, yes, no } of CLOCKS) {
    const text = await run(program, words).catch(() => '');
    if (yes.test(text)) return ok('ntp', `the clock is synchronised (${program})`);
    if (no.test(text))
      return wrong(
        'ntp',
        'warning',
        `the clock is not synchronised (${program}): times drift, and several machines disagree`,
        SYNCHRONISE,
      );
  }
  return wrong('ntp', 'unknown', 'this machine does not say whether its clock is synchronised', SYNCHRONISE);
}

const outputOf = async (program: string, words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, [...words], { timeout: LOOPBACK_MS })).stdout;
