/** Units as people write them: kind of quantity and size in that kind's base unit. */
const UNITS: Readonly<Record<string, readonly [kind: string, size: number]>> = {
  us: ['time', 1e-6],
  ms: ['time', 1e-3],
  s: ['time', 1],
  sec: ['time', 1],
  seconds: ['time', 1],
  min: ['time', 60],
  minutes: ['time', 60],
  h: ['time', 3600],
  hours: ['time', 3600],
  days: ['time', 86_400],
  d: ['time', 86_400],
  b: ['bytes', 1],
  bytes: ['bytes', 1],
  kb: ['bytes', 1000],
  mb: ['bytes', 1e6],
  gb: ['bytes', 1e9],
  kib: ['bytes', 1024],
  mib: ['bytes', 1024 ** 2],
  gib: ['bytes', 1024 ** 3],
  hz: ['frequency', 1],
  khz: ['frequency', 1e3],
  mhz: ['frequency', 1e6],
  ghz: ['frequency', 1e9],
  mm: ['length', 1e-3],
  cm: ['length', 1e-2],
  m: ['length', 1],
  metres: ['length', 1],
  meters: ['length', 1],
  db: ['level', 1],
  dbm: ['power', 1],
  deg: ['angle', 1],
};

/** `1.5 s` as 1.5 and `s`; undefined if it is not a number with a known unit. */
export function readQuantity(text: string): { readonly value: number; readonly unit: string } | undefined {
  const match = /^\s*([+-]?\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z]{1,8})\s*$/.exec(text);
  const unit = match?.[2]?.toLowerCase();
  return match && unit !== undefined && Object.hasOwn(UNITS, unit)
    ? { value: Number(match[1]), unit }
    : undefined;
}

/** `length_ms` as `length` and `ms`; a field without a unit has an empty one. */
export function splitUnit(field: string): { readonly stem: string; readonly unit: string } {
  const cut = field.lastIndexOf('_');
  const unit = field.slice(cut + 1).toLowerCase();
  const known = cut > 0 && Object.hasOwn(UNITS, unit);
  return known ? { stem: field.slice(0, cut), unit } : { stem: field, unit: '' };
}

/** `value` of one unit in another, rounded as a person would write it; undefined if the units measure different things. */
export function convert(value: number, from: string, to: string): number | undefined {
  const [kindFrom, sizeFrom] = UNITS[from] ?? [];
  const [kindTo, sizeTo] = UNITS[to] ?? [];
  if (sizeFrom === undefined || sizeTo === undefined || kindFrom !== kindTo) return undefined;
  return Number(((value * sizeFrom) / sizeTo).toPrecision(12));
}
