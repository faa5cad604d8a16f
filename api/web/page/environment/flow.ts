/** Words that YAML reads as something else than text. */
const OTHER = /^(?:true|false|null|yes|no|on|off)$/i;
const PLAIN = /^[A-Za-z][\w.-]*(?: [\w.-]+)*$/;

/** A value as YAML on one line. */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{ ${fields.map(([key, field]) => `${flow(key)}: ${flow(field)}`).join(', ')} }`;
  }
  if (typeof value === 'string' && PLAIN.test(value) && !OTHER.test(value)) return value;
  return JSON.stringify(value);
}
