import { isPcap, type Packet } from './pcap-blocks.js';
import { recordsOf, udpPort } from './pcap.js';

/** Headers before the content of a packet, by link type (tcpdump.org/linktypes.html). */
const LINKS: Readonly<Record<number, string>> = {
  1: 'Ethernet packets',
  101: 'IP packets',
  105: '802.11 frames without radiotap headers (capture them with `tcpdump -y IEEE802_11_RADIO`)',
  113: 'packets of any interface',
  127: '802.11 frames',
  276: 'packets of any interface',
};

/** What a pcap without CSI contains, as far as its head shows; undefined for other files. */
export function pcapContent(head: Uint8Array): string | undefined {
  if (!isPcap(head)) return undefined;
  const links = new Map<string, number>();
  const ports = new Map<number, number>();
  recordsOf(head, (view, packet: Packet) => {
    count(links, LINKS[packet.linkType] ?? `packets of link type ${packet.linkType}`);
    const port = udpPort(view, packet);
    if (port !== null) count(ports, port);
    return null;
  });
  if (links.size === 0) return 'a pcap without packets';
  const what = [...links].map(([name, number]) => `${number} ${name}`).join(' and ');
  const [busiest] = [...ports].sort(([, a], [, b]) => b - a);
  const udp = busiest ? ` (${busiest[1]} are UDP to port ${busiest[0]})` : '';
  return `a pcap whose first ${head.length} bytes have ${what}${udp}, no beamforming reports, and no CSI of Nexmon (UDP to port 5500)`;
}

function count<K>(of: Map<K, number>, key: K): void {
  of.set(key, (of.get(key) ?? 0) + 1);
}
