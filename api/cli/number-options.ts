import { InvalidArgumentError } from 'commander';

/** A parser of an option's whole number, both ends included. @throws InvalidArgumentError with the range */
export const wholeNumber =
  (least: number, most = Infinity) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === Infinity ? `, ${least} or more` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };

/** A parser of a list of them, separated by commas. @param example of a list */
export const wholeNumbers = (least: number, most: number, example: string) => {
  const one = wholeNumber(least, most);
  return (text: string): readonly number[] => {
    if (text.trim() === '')
      throw new InvalidArgumentError(`It must be a list of whole numbers, like ${example}.`);
    return text.split(',').map(one);
  };
};

/** A parser of an option's number above 0, up to `most`. @throws InvalidArgumentError with the range */
export const numberAbove0 =
  (most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (value > 0 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number above 0, up to ${most}.`);
  };

/** The port of a server; 0 is any free one. */
export const portNumber = wholeNumber(0, 65_535);

/** The subcarriers of the frames that a benchmark sends. @throws InvalidArgumentError naming the possible ones */
export const subcarrierCount = (text: string): number => {
  if (text === '64' || text === '128') return Number(text);
  throw new InvalidArgumentError('It must be 64 or 128.');
};
