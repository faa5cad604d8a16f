import { Type, type Static } from 'typebox';

/** Maximum number of cores and streams of a Broadcom chip. */
export const MAX_ROWS = 4;

const count = (what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: MAX_ROWS,
    default: 1,
    description: `Number of ${what}, counted from 0.`,
  });

/** Properties that records do not state themselves; fields of every source that decodes. */
export const FORMAT_OPTIONS = {
  nexmon: Type.Optional(
    Type.Object(
      { cores: count('cores'), streams: count('spatial streams') },
      {
        additionalProperties: false,
        description:
          'For nexmon_csi: reads the datagrams of so many cores and streams as one measurement. Default: each is a link of its own. See docs/formats/nexmon.md.',
      },
    ),
  ),
};

export interface FormatOptions {
  readonly nexmon?: Static<typeof FORMAT_OPTIONS.nexmon> | undefined;
}
