import type { RawBatch } from '../../../pipeline/component/index.js';
import { udp } from '../../../pipeline/sources/udp.js';
import type { CaptureWriter, Recorded } from './capture-writer.js';
import { commandContext } from './context.js';

/** Listens on a UDP port and writes all datagrams to `writer` until the signal aborts. */
export async function recordUdp(
  address: { readonly host: string; readonly port: number },
  format: string,
  writer: CaptureWriter,
  signal: AbortSignal,
  progress: (recorded: Recorded) => void,
): Promise<void> {
  const settings = { receive_buffer_bytes: 8_388_608, block_records: 1024, gather_ms: 0, idle_tick_ms: 0 };
  const source = udp.create({ ...address, format, ...settings }, commandContext());
  let last: Promise<unknown> = Promise.resolve();
  const write = async (raw: RawBatch): Promise<boolean> => {
    await writer.write(raw);
    progress(writer.recorded);
    return true;
  };
  await source.open(null, {
    signal,
    offer: ({ raw }) => {
      // After the previous one: the source does not wait for the last offers.
      const written = last.then(() => (raw ? write(raw) : true));
      last = written;
      return written;
    },
  });
  await last;
}
