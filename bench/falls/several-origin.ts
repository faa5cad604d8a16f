import { severalWeightsOf, type SeveralWeights } from '../../operators/detect-falls/networks/weights.js';
import { InputError, orInputError } from '../../pipeline/base/input-error.js';

/** @throws InputError if the file holds no weights, or some that have seen the rooms of this training */
export function startIn(file: string, slow: boolean): SeveralWeights {
  const weights = orInputError(() => severalWeightsOf(file));
  if (slow && weights.belowHz !== undefined)
    throw new InputError(
      `${file} was trained with --slow, in the same rooms: start from weights of --several`,
    );
  return weights;
}

/** What the weights were trained on and with, after those that they continue. */
export function originOf(
  earlier: SeveralWeights | undefined,
  amount: string,
  { slow, motion }: { readonly slow: boolean; readonly motion: boolean },
): Pick<SeveralWeights, 'trainedOn' | 'trainedWith'> {
  const rates = slow ? ', 20 to 30 frames a second' : '';
  const options = [
    ...(slow ? ['--slow'] : []),
    ...(motion ? ['--motion'] : []),
    ...(earlier ? ['--start'] : []),
  ];
  return {
    trainedOn: after(
      earlier?.trainedOn,
      `csiflow's simulator${motion ? ' and recorded motion' : ''} (${amount}, 2 to 6 links${rates})`,
    ),
    trainedWith: after(earlier?.trainedWith, ['csiflow train falls --several', ...options].join(' ')),
  };
}

const after = (earlier: string | undefined, now: string): string =>
  earlier === undefined ? now : `${earlier}; then ${now}`;
