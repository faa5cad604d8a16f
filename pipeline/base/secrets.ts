/**
 * The secrets that a process was given. Whatever leaves it as text for people (logs, errors, reasons of dead
 * letters, traces) passes `redact`: a server's answer or a library's error may repeat what it was sent.
 */
const hidden = new Set<string>();

/** The same secrets as they may be written, the longest first: one may be part of another. */
let forms: readonly string[] = [];

/** Shorter ones would black out half of every line, and are no secrets. */
const SHORTEST = 6;

/** From now on this text is shown as `***`, also as part of JSON, of a URL, or in base64. */
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
