/** Ratio of the mean distance of a round normal error on the floor to the standard deviation of one coordinate. */
const MEAN_TO_SIGMA = Math.sqrt(Math.PI / 2);

/** Standard deviation of each coordinate of a position whose mean error is `distance`, in its unit. */
export const sigmaOf = (distance: number): number => distance / MEAN_TO_SIGMA;

/** Mean distance of a position with this variance in each coordinate. */
export const meanDistanceOf = (variance: number): number => MEAN_TO_SIGMA * Math.sqrt(variance);
