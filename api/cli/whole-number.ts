import { InvalidArgumentError } from 'commander';

/** A parser of an option's whole number, both ends included. @throws InvalidArgumentError with the range */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
