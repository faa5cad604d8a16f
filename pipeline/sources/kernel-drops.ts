import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';

/**
 * Datagrams that the kernel has dropped on a socket of this machine since it was opened, because its buffer
 * was full (column `drops` of /proc/net/udp, proc_net(5)). Null if the system does not report it.
 */
export function kernelDrops(socket: { readonly address: string; readonly port: number }): number | null {
  const six = isIPv6(socket.address);
  let table: string;
  try {
    table = readFileSync(six ? '/proc/net/udp6' : '/proc/net/udp', 'utf8');
  } catch (error) {
    // Only Linux has this table; elsewhere the figure is unknown.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return dropsIn(table, six ? null : socket.address, socket.port);
}

/**
 * Counts what {@link kernelDrops} reports. The table may list another socket of the same address first. The
 * figure only grows, so nothing is counted twice.
 */
export class DropCount {
  total: number | null = null;

  /** @returns how many more there are than before */
  see(drops: number | null): number {
    if (drops === null || drops <= (this.total ?? -1)) return 0;
    const more = drops - (this.total ?? 0);
    this.total = drops;
    return more;
  }
}

/** The drops of the socket bound to `port` (and `address`, IPv4; null: any) in the text of the table. */
export function dropsIn(table: string, address: string | null, port: number): number | null {
  const local = `${address === null ? '' : hexAddress(address)}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of table.split('\n').slice(1)) {
    const columns = line.trim().split(/\s+/);
    if (columns[1]?.endsWith(local)) return Number(columns.at(-1));
  }
  return null;
}

/** As the table writes it: the four bytes as one little-endian number. */
const hexAddress = (address: string): string =>
  address
    .split('.')
    .reverse()
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
    .join('');
