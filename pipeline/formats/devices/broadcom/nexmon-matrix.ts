/**
 * Datagrams of nexmon_csi that belong to one measurement, as one matrix of cores and spatial streams
 * (docs/decisions/0112-a-matrix-is-told-its-size.md).
 */
import type { State } from '../../../component/index.js';
import {
  frameFormat,
  type FrameReader,
  type ReadFault,
  type ReadFrame,
} from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';
import { MAX_ROWS } from '../../contract/options.js';
import { bitsOf, layoutOf, macOf, nexmonRows, parseDatagram, type Datagram } from './nexmon.js';
import { topOf, unpack } from './nexmon-values.js';

/** A measurement with datagrams still missing. */
interface Pending {
  /** Properties shared by its datagrams. */
  readonly key: string;
  readonly mac: string;
  /** Arrival of the first datagram, microseconds. */
  readonly time: number;
  /** By core, then stream. */
  readonly rows: (Uint8Array | null)[];
}

/** A measurement is closed once a datagram arrives this much later, microseconds. */
const MAX_WAIT_US = 100_000;
/** Limit of open measurements per sender: datagrams of two may arrive interleaved. */
const AT_ONCE = 2;
/** Limit of datagrams that wait for others of their measurement. */
const MAX_WAITING = 128;

class MatrixReader implements FrameReader {
  readonly format = nexmonRows.name;
  readonly sequenceBits = 12;
  readonly #cores: number;
  readonly #streams: number;
  /** In the order of their first datagrams. */
  #pending: Pending[] = [];

  constructor(cores: number, streams: number) {
    this.#cores = cores;
    this.#streams = streams;
  }

  /** The measurements that end with this datagram, complete or not. */
  read(record: Uint8Array, time: number): readonly ReadFrame[] | ReadFault {
    const datagram = parseDatagram(record);
    if ('fault' in datagram) return datagram;
    const { core, stream, sequence, chip, mhz } = datagram;
    if (core >= this.#cores || stream >= this.#streams) return this.#outside(core, stream);
    const over = this.#pending.filter((one) => Math.abs(time - one.time) > MAX_WAIT_US);
    const mac = macOf(datagram);
    const key = `${sequence} ${chip} ${mhz} ${record.length}`;
    const slot = core * this.#streams + stream;
    const rows = this.#rowsFor({ mac, key, time }, slot, over);
    rows[slot] = record.slice();
    const whole = this.#pending.filter((one) => one.rows === rows && !rows.includes(null));
    const closed = [...over, ...whole];
    this.#pending = this.#pending.filter((one) => !closed.includes(one));
    this.#limit(mac, closed);
    return closed.map((one) => this.#frame(one));
  }

  snapshot(): State {
    return this.#pending.map(({ rows, ...one }) => ({
      ...one,
      rows: rows.map((row) => row && Buffer.from(row).toString('base64')),
    }));
  }

  restore(state: State): void {
    const saved = state as readonly (Omit<Pending, 'rows'> & { readonly rows: readonly (string | null)[] })[];
    // The settings may have changed since.
    const size = this.#cores * this.#streams;
    const fitting = saved.filter(({ rows }) => rows.length === size);
    this.#pending = fitting.map(({ rows, ...one }) => ({
      ...one,
      rows: rows.map((row) => (row === null ? null : Uint8Array.from(Buffer.from(row, 'base64')))),
    }));
  }

  #outside(core: number, stream: number): ReadFault {
    const larger = { cores: Math.max(core + 1, this.#cores), streams: Math.max(stream + 1, this.#streams) };
    const isKnown = core < MAX_ROWS && stream < MAX_ROWS;
    const remedy = isKnown
      ? `\`nexmon: { cores: ${larger.cores}, streams: ${larger.streams} }\` accepts it`
      : 'no chip has that many';
    return { fault: 'antenna', reason: `core ${core}, stream ${stream}: ${remedy}` };
  }

  /**
   * Rows of the measurement that a datagram belongs to. If it already has this row, it ends, and a new one
   * begins.
   */
  #rowsFor(
    begun: Pick<Pending, 'mac' | 'key' | 'time'>,
    slot: number,
    over: Pending[],
  ): (Uint8Array | null)[] {
    const found = this.#pending.findLast(
      (one) => one.mac === begun.mac && one.key === begun.key && !over.includes(one),
    );
    if (found && found.rows[slot] === null) return found.rows;
    if (found) over.push(found);
    const rows = new Array<Uint8Array | null>(this.#cores * this.#streams).fill(null);
    this.#pending.push({ ...begun, rows });
    return rows;
  }

  /** Moves the oldest measurements beyond the limit to `closed`. */
  #limit(mac: string, closed: Pending[]): void {
    const close = (one: Pending): void => {
      closed.push(one);
      this.#pending.splice(this.#pending.indexOf(one), 1);
    };
    const own = this.#pending.filter((one) => one.mac === mac);
    if (own.length > AT_ONCE) close(own[0]!);
    const waiting = (): number =>
      this.#pending.reduce((sum, { rows }) => sum + rows.filter((row) => row !== null).length, 0);
    while (waiting() > MAX_WAITING) close(this.#pending[0]!);
  }

  /** Missing rows are NaN. */
  #frame({ mac, rows }: Pending): ReadFrame {
    const datagrams = rows.map((row) => row && (parseDatagram(row) as Datagram));
    const known = datagrams.filter((one) => one !== null);
    const [first] = known as [Datagram];
    const layout = layoutOf(first.carriers, first.mhz, this.#cores, this.#streams);
    return {
      sequence: first.sequence,
      sender: mac,
      rssi: first.rssi,
      noise: NaN,
      bits: bitsOf(first),
      antennas: Array.from({ length: this.#cores }, (_, core) => core),
      parts: [
        {
          layout,
          fill: (values, at) => {
            const size = 2 * layout.subcarriers.length;
            // All rows are scaled by one factor, so that they can be compared.
            const top = Math.max(...known.map(topOf));
            for (const [slot, datagram] of datagrams.entries()) {
              const from = at + slot * size;
              if (datagram) unpack(datagram, top, values, from);
              else values.fill(NaN, from, from + size);
            }
          },
        },
      ],
    };
  }
}

/** Datagrams of nexmon_csi: each becomes a frame, or those of several cores and streams become one. */
export const nexmon: Format = {
  ...nexmonRows,
  decoder: (context) => {
    const { cores = 1, streams = 1 } = context.options?.nexmon ?? {};
    if (cores * streams === 1) return nexmonRows.decoder(context);
    return frameFormat(() => new MatrixReader(cores, streams), nexmonRows.summary).decoder(context);
  },
};
