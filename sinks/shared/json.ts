/**
 * JSON text of a payload. JSON knows neither NaN nor Infinity.
 * @throws RangeError naming the field that holds one.
 */
export const finiteJson = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'number' && !Number.isFinite(inner))
      throw new RangeError(`${key} is ${inner}: JSON holds finite numbers only`);
    return inner;
  });
