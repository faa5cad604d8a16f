/**
 * The secrets of a process. All text for people (logs, errors, reasons of dead letters, traces) passes
 * through `redact`, because a server's answer or a library's error may repeat what it was sent.
 */
const hidden = new Set<string>();

/** The same secrets in every form in which they may be written, longest first: one may be part of another. */
let forms: readonly string[] = [];

/** Shorter ones would black out half of every line, and protect nothing. */
const SHORTEST = 6;

/** From now on this text appears as `***`, also inside JSON, URLs and base64. */
export function hideSecret(secret: string): void {
  if (secret.length < SHORTEST || hidden.has(secret)) return;
  hidden.add(secret);
  forms = [...new Set([...hidden].flatMap(formsOf))].sort((a, b) => b.length - a.length);
}

export function redact(text: string): string {
  let shown = text;
  for (const form of forms) if (shown.includes(form)) shown = shown.replaceAll(form, '***');
  return shown;
}

const formsOf = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
  Buffer.from(secret).toString('base64url'),
];
