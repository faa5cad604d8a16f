/** Amplitude of the pair (re, im) that begins at `at`. `Math.hypot` guards against overflow and is ten times slower. */
export const amplitudeAt = (values: ArrayLike<number>, at: number): number => {
  const [re, im] = [values[at]!, values[at + 1]!];
  return Math.sqrt(re * re + im * im);
};
