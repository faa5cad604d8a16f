/** The mean distance of a round normal error on the floor against the standard deviation of one coordinate. */
const MEAN_TO_SIGMA = Math.sqrt(Math.PI / 2);

/** Standard deviation of each coordinate of a place that lies `distance` off on average, in its unit. */
export const sigmaOf = (distance: number): number => distance / MEAN_TO_SIGMA;

/** Mean distance of a place with this variance in each coordinate. */
export const meanDistanceOf = (variance: number): number => MEAN_TO_SIGMA * Math.sqrt(variance);
