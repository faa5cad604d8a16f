import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

/** `udp://127.0.0.1:5005` (or with an IPv6 host in brackets) as host and port. @throws CommandError for anything else. */
export function udpAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] =
    /^udp:\/\/(?:\[([0-9a-fA-F:.]+)\]|([^:/[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new CommandError(`${text} is not a UDP address: write it as udp://127.0.0.1:5005`, EXIT.invalid);
  }
  return { host, port: Number(port) };
}

export const isUdp = (text: string): boolean => text.startsWith('udp://');

/** A number option of a command line. @throws CommandError if it is not a number or below `least`. */
export function numberOption(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= least) return value;
  throw new CommandError(`--${name} must be a number of at least ${least}, not ${text}`, EXIT.invalid);
}
