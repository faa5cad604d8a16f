import { Type } from 'typebox';
import { choice, defineOperator } from '../../pipeline/component/index.js';
import { mapFrames } from '../shared/frame-mapper.js';
import { Scaling, type Used } from './scaling.js';

export const normalizeGain = defineOperator({
  name: 'normalize-gain',
  summary: "Removes the receiver's gain from the amplitudes.",
  description: `
Use it before anything that compares amplitudes of different packets, on receivers whose automatic gain control changes
between them. It scales each frame as a whole; phases, and amplitudes within the frame, keep their ratios.

| method | each frame is scaled so that | requires |
|---|---|---|
| \`mean\` | its mean amplitude is 1 (SHARP) | nothing |
| \`rss\` | its mean power is the received power in milliwatts | RSSI |
| \`steps\` | the gain cancels that \`rss\` would remove, averaged over ten frames between its steps of more than 1 dB | RSSI; without one, the link's last gain counts, and a link that never had one stays as it is |
| \`snr\` | its mean power is the signal-to-noise ratio, quantisation noise included (\`get_scaled_csi.m\` of the Linux 802.11n CSI Tool) | RSSI; noise (default: -92 dBm) |
| \`gain\` | the receiver's reported gain cancels: divided by 10^((agc - agc0 + fft - fft0) / 20), where agc0 and fft0 are those of the frame with the median agc among the link's first 50 (until then, among those so far); each antenna separately | gain columns in dB (ESP32-C3, S3, C5, C6, C61; Intel 5300) |
| \`auto\` | as \`gain\`, until a value does not fit a signed byte: then the firmware compensates already, and that link's frames stay as they are | gain columns of an ESP32 |

RSSI of 0 dBm and more, or below -128, counts as none. With \`steps\`, no frame is dropped for lack of RSSI. Health counts frames that were \`compensated\`, scaled by an
\`assumed\` gain (the last one, or the mean), or left \`unchanged\`; the log names links that have no RSSI.
Some devices report the same RSSI for every packet, without measuring it. Once the level of such a link has changed by more
than 3 dB without a jump, its gain is averaged over about 15,000 frames, and the log says so. RSSI that has changed three times is measured.

With the other methods, frames without the required values are dropped as \`gain_unknown\`, and the node is degraded and names the link until 100 frames in a row have them. If only the gain of the
analogue stages is known, the other one counts as constant. Frames without any amplitude are always dropped, as \`no_amplitude\`.

Before \`infer-pose\`, use \`steps\`: the gain of many receivers, such as an ESP32, follows the level of the packets, and hides
what positions rely on. Where the gain is steady, it changes little.

Gotchas: if the RSSI of a link begins late, or only after a change of its layout, its frames jump from the receiver's units to milliwatts there. \`mean\` also removes the effect of a body on all subcarriers together. Behind it, \`infer-pose\` sees nobody. RSSI is in whole decibels, so \`rss\` and
\`snr\` jitter by up to 6 % of the amplitude, and \`steps\` does where the gain changes by more than 1 dB from frame to frame; a
frame whose RSSI is wrong keeps that error, and \`denoise\` takes out single ones. Recent firmware of Espressif compensates the gain before it prints the values,
which must not be done twice: \`auto\` recognises most of it by its values, and health shows how many frames were compensated. The format \`intel5300-scaled\` already applies \`snr\`.

Sources: Meneghello et al., SHARP (TMC 2022); Halperin et al., Tool Release (CCR 2011); \`scale_csi_frame\` of CSIKit; esp-csi,
\`compensate_rx_gain\`.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  module: import.meta.url,
  level: ({ method }) => (method === 'mean' ? 'removes' : undefined),
  stateFields: ['method'],
  needsAmplitude: ({ method }) =>
    method === 'mean' ? undefined : `to scale them by \`method: ${method}\`; \`mean\` works without them`,
  config: Type.Object(
    {
      method: choice(
        {
          mean: 'To a mean amplitude of 1; requires nothing.',
          rss: 'To the received power in milliwatts; requires RSSI.',
          steps:
            'As `rss`, with a gain that is averaged between its steps; links without RSSI stay as they are.',
          snr: 'To the signal-to-noise ratio; requires RSSI.',
          gain: 'By the gain that the receiver reports; requires its columns.',
          auto: 'As `gain`, unless the firmware compensates already; requires the columns of an ESP32.',
        },
        { default: 'steps', description: 'What frames are scaled to.' },
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'By RSSI, for a receiver that does not report its gain', config: {} },
    { title: 'A mean amplitude of 1', config: { method: 'mean' } },
    { title: 'By the gain that the receiver reports', config: { method: 'gain' } },
  ],
  create: ({ method }, context) => {
    const used: Used =
      method === 'steps' ? { compensated: 0, assumed: 0, unchanged: 0 } : { compensated: 0, unchanged: 0 };
    const warn = (link: number, text: string) => {
      context.log.warn(`link ${context.links.at(link).link.id} ${text}`);
    };
    const operator = mapFrames(context, (layout) => new Scaling(layout, method, used, warn));
    return method === 'auto' || method === 'steps'
      ? { ...operator, describe: () => ({ frames: { ...used } }) }
      : operator;
  },
});
