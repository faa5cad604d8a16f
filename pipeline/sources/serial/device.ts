import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';
import { errorText, errorCode } from '../../base/error-text.js';
import { InputError, type ByteInput } from './byte-input.js';

/**
 * Does not block on a line without carrier or a pipe without a writer, and never becomes the terminal of this
 * process.
 */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a serial device, set to pass bytes unchanged, or a named pipe.
 * @param path absolute
 * @param baud bits per second; of a device
 * @throws InputError
 */
export async function openDevice(path: string, baud: number): Promise<ByteInput> {
  const fd = opened(path);
  try {
    const isPipe = fstatSync(fd).isFIFO();
    if (!isPipe) await passBytes(path, fd, baud);
    // Neither stream holds a thread while it waits for bytes, so both can be closed meanwhile.
    const stream = isPipe ? new Socket({ fd, readable: true, writable: false }) : new ReadStream(fd);
    return inputOf(path, stream, isPipe);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function opened(path: string): number {
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    const code = errorCode(error);
    const [why, retriable] = ADVICE[code] ?? [errorText(error), true];
    throw new InputError(`${path} cannot be opened: ${why}`, retriable, error);
  }
}

const ADVICE: Readonly<Record<string, readonly [why: string, retriable: boolean]>> = {
  ENOENT: ['the device does not exist: plug it in, or set `device` to one that does', true],
  ENXIO: ['no hardware is connected to it: plug the device in', true],
  ENODEV: ['no hardware is connected to it: plug the device in', true],
  EBUSY: ['another program uses it: stop that program', true],
  EACCES: ['csiflow may not read it: on most systems the user must be in the group `dialout`', false],
  EPERM: ['csiflow may not read it: on most systems the user must be in the group `dialout`', false],
  EISDIR: ['it is a folder', false],
};

/** Bytes unchanged, no echo, and the modem lines left alone: many boards restart when those change. */
async function passBytes(path: string, fd: number, baud: number): Promise<void> {
  if (!isatty(fd)) {
    const what = fstatSync(fd).isFile()
      ? 'a file: use the source `file`'
      : 'not a serial device or a named pipe';
    throw new InputError(`${path} is ${what}`, false);
  }
  // `stty` changes its standard input.
  const stty = spawn('stty', ['raw', '-echo', '-hupcl', 'clocal', String(baud)], {
    stdio: [fd, 'ignore', 'pipe'],
    timeout: STTY_MS,
  });
  const said: Buffer[] = [];
  stty.stderr?.on('data', (bytes: Buffer) => said.push(bytes));
  const code = await new Promise<number | null>((resolve, reject) => {
    stty.once('error', (error) => {
      reject(new InputError(`${path} cannot be set: the program \`stty\` cannot be run`, false, error));
    });
    stty.once('close', resolve);
  });
  if (code === 0) return;
  const complaint = Buffer.concat(said).toString().trim() || 'it gave no answer';
  throw new InputError(`${path} cannot be set to ${baud} baud: ${complaint}`, true);
}

/** Time limit of `stty`. */
const STTY_MS = 10_000;

const inputOf = (path: string, stream: Socket, isPipe: boolean): ByteInput => ({
  bytes: stream as AsyncIterable<Buffer>,
  isThere: !isPipe,
  reason: (error) => {
    const why = isPipe ? 'its writer has closed it' : 'the device has gone';
    return Promise.resolve(`${path}: ${why}${error === undefined ? '' : ` (${errorText(error)})`}`);
  },
  close: () =>
    new Promise((resolve) => {
      stream.once('close', resolve);
      if (stream.closed) resolve();
      stream.destroy();
    }),
});
