/** Score of the rule at which 5 % of the action clips of falls-intel5300-bedroom raise an alarm. */
export const RULE_THRESHOLD = 1.2;

/** One point of the rule above its threshold equals four of the nets' logit. */
const RULE_SCALE = 4;
/** Beyond it a confidence is 0 or 1 within rounding. */
const FARTHEST = 50;

/** Confidence of a fall with this score, 0 to 1. The nets output a logit. */
export const confidenceOf = (score: number, method: 'nets' | 'rule'): number =>
  1 / (1 + Math.exp(-(method === 'nets' ? score : RULE_SCALE * (score - RULE_THRESHOLD))));

/**
 * The score that corresponds to a `confidence`, 0 to 1; the inverse of {@link confidenceOf} within the range
 * of `threshold`.
 */
export function scoreFor(confidence: number, method: 'nets' | 'rule'): number {
  const logit = Math.min(FARTHEST, Math.max(-FARTHEST, Math.log(confidence / (1 - confidence))));
  return method === 'nets' ? logit : RULE_THRESHOLD + logit / RULE_SCALE;
}
