import { window } from '../../../operators/window/window.js';
import type { CsiBlock, Window } from '../../../pipeline/model/index.js';
import { testContext } from '../../support/context.js';
import { withDefaults } from '../definition.js';

/** Windows of the operator `window` over some blocks. */
function windowsOf(blocks: readonly CsiBlock[], config: object): readonly Window[] {
  const operator = window.create(withDefaults(window, config) as never, testContext().context);
  for (const block of blocks) void operator.process(block, 'input');
  return [...operator.watermark!(Infinity).data];
}

/**
 * Windows over blocks of some seconds, new copies with each call; a kit asks for them dozens of times, and they take
 * longer than most of what it does with them.
 */
export function windowsOver(
  blocks: (seconds: number) => readonly CsiBlock[],
  config: object,
): (seconds: number) => Window[] {
  const made = new Map<number, readonly Window[]>();
  return (seconds) => {
    let windows = made.get(seconds);
    if (!windows) made.set(seconds, (windows = windowsOf(blocks(seconds), config)));
    return structuredClone([...windows]);
  };
}
