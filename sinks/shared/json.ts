/**
 * JSON text of a payload. JSON has neither NaN nor Infinity.
 * @throws RangeError naming the field that contains one
 */
export const finiteJson = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'number' && !Number.isFinite(inner))
      throw new RangeError(`${key} is ${inner}: JSON supports only finite numbers`);
    return inner;
  });
