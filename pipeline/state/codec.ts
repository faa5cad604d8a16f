import { deserialize, serialize } from 'node:v8';

/** Plain data and typed arrays as bytes (structured clone). */
export const encode = (value: unknown): Buffer => serialize(value);
export const decode = (value: Uint8Array): unknown => deserialize(value);
