import type { Environment, Window } from '../../pipeline/model/index.js';
import type { Stage } from '../../pipeline/sources/simulator/stage.js';
import { WindowChain } from './chain.js';

/** A stage, the room that it plays, and the packets of each link a second. */
export interface Playing {
  readonly environment: Environment;
  readonly stage: Stage;
  readonly rateHz: number;
}

/** Windows of a played script, through the shipped chain. */
export function playWindows(
  { stage, environment, rateHz }: Playing,
  seconds: number,
  take: (window: Window) => void,
): void {
  stage.enter(0);
  const chain = new WindowChain(environment);
  const numbers = environment.links.map((_, index) => index);
  for (let tick = 0; tick < seconds * rateHz; tick += rateHz) {
    const block = stage.play(tick, tick + rateHz, 0, tick, numbers);
    if (block.count > 0) chain.take(block).forEach(take);
  }
}
