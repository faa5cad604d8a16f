import { existsSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Linux only. */
const DESCRIPTORS = '/proc/self/fd';
/** Resolution of the event loop's delay, milliseconds. */
const RESOLUTION_MS = 20;

/**
 * Figures of the process itself, under the names of Prometheus' own client libraries. prom-client's set is
 * not used: `promtool check metrics` rejects some of its names.
 */
export function addProcessMetrics(registry: Registry, version: string): void {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'csiflow_build_info',
    help: 'Always 1; the running versions.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1);
  gauge('process_start_time_seconds', 'Start time of the process since 1970.', () => started);
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  if (existsSync(DESCRIPTORS))
    gauge('process_open_fds', 'Open files and sockets.', () => readdirSync(DESCRIPTORS).length);
  gauge('nodejs_heap_size_used_bytes', "Memory that V8's heap uses.", () => process.memoryUsage().heapUsed);
  gauge(
    'nodejs_eventloop_delay_max_seconds',
    'Longest wait for the event loop since the last scrape.',
    () => {
      const longest = Math.max(0, delay.max / 1e9 - RESOLUTION_MS / 1000);
      delay.reset();
      return longest;
    },
  );
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, over all threads.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}

const started = Math.round(Date.now() / 1000 - process.uptime());
