/** Whether any of `size` values from `at` is finite. A frame without one says nothing of the channel. */
export function anyFinite(values: Float32Array, at: number, size: number): boolean {
  for (let i = at; i < at + size; i++) if (Number.isFinite(values[i])) return true;
  return false;
}
