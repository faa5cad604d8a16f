/** Probabilities from logits. */
export function softmax(logits: ArrayLike<number>): number[] {
  const values = Array.from(logits);
  const top = Math.max(...values);
  const weights = values.map((logit) => Math.exp(logit - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
