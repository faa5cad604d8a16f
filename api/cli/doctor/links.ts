import type { LinkState, UnknownSender } from '../../service/queries/link-states.js';
import { ok, wrong, type Finding } from './finding.js';

/** Share of lost frames above which results suffer. */
const MUCH_LOSS = 0.2;

const NO_FRAMES =
  'check that the node has power and sends to the address and port of the source (127.0.0.1 hears this machine only), and the firewall; `csiflow inspect udp://HOST:PORT` shows what arrives';

/** Findings about each link, and about senders that belong to none. */
export function linksHeard(
  links: readonly LinkState[],
  strangers: readonly UnknownSender[],
): readonly Finding[] {
  const silent = links.filter(({ last }) => last === null);
  const nobody = silent.length === links.length && strangers.length === 0;
  if (nobody && links.length > 0)
    return [wrong('senders', 'failed', 'no frame arrives from any sender', NO_FRAMES)];
  return [...links.map(ofLink), ...strangers.map(ofStranger)];
}

function ofLink({ id, sender, last, leftOut, rate, loss }: LinkState): Finding {
  if (last === null) return wrong('link', 'failed', `link ${id}: no frame from ${sender}`, NO_FRAMES);
  if (leftOut !== null)
    return wrong(
      'link',
      'failed',
      `link ${id}: it is not used: ${leftOut}`,
      `look at the node ${sender}: power, placement, and what \`csiflow inspect\` shows of its frames`,
    );
  const lost = loss === null ? '' : `, ${Math.round(loss * 100)} % lost`;
  const text = `link ${id}: ${rate === null ? 'heard' : `${rate} frames per second`}${lost}`;
  if (loss === null || loss <= MUCH_LOSS) return ok('link', text);
  return wrong(
    'link',
    'warning',
    text,
    'move the node nearer to its access point, choose a quieter channel, or lower its rate',
  );
}

const ofStranger = ({ sender, frames, line }: UnknownSender): Finding =>
  wrong(
    'senders',
    'warning',
    `${sender} sends (${frames} frames), but belongs to no link: its frames are dropped`,
    `to use it, give a link of the environment file the line \`${line}\` and its positions`,
  );
