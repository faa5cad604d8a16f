import { Type, type Static } from 'typebox';

const Height = (description: string) =>
  Type.Number({ minimum: 0, maximum: 100, description: `${description}, metres.` });

/** One of several words, each with its meaning; the counterpart of `choice`, which this layer must not import. */
const oneOf = <W extends string>(
  words: Readonly<Record<W, string>>,
  options: { readonly description: string },
) => {
  const values = Object.keys(words) as W[];
  const meanings = values.map((word) => words[word]);
  return Type.Enum<W[]>(values, { type: 'string', ...options, markdownEnumDescriptions: meanings });
};

/** What a zone is, for features that depend on it. */
export const ZONE_KINDS = ['bed', 'sofa', 'pet', 'restricted', 'perimeter'] as const;
export type ZoneKind = (typeof ZONE_KINDS)[number];

/** Stages of a shop's funnel, the first one first. */
export const FUNNEL_STAGES = ['entrance', 'product_interaction', 'checkout_area', 'purchase'] as const;
export type FunnelStage = (typeof FUNNEL_STAGES)[number];

export const ZoneSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,64}$',
      description: 'Name of the zone, unique in its environment.',
    }),
    name: Type.Optional(Type.String({ description: 'Name shown to people. Default: the id.' })),
    polygon: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
      minItems: 3,
      maxItems: 256,
      description: 'Corners on the floor, [x, y] in metres, in order.',
    }),
    kind: Type.Optional(
      oneOf<ZoneKind>(
        {
          bed: 'Lying here is sleep: neither a fall nor inactivity.',
          sofa: 'Lying here is rest, not a fall. Inactivity is reported.',
          pet: 'Anyone who is here and below `max_height`, and was so ever since they appeared, is a pet: not counted, not watched for inactivity, and their falls are dropped.',
          restricted: 'Anyone here without authority, see `authorised`, is an intruder.',
          perimeter: 'The same, and people seen here count in the figures of the perimeter.',
        },
        { description: 'What the zone is, for features that depend on it.' },
      ),
    ),
    min_height: Type.Optional(
      Height('People whose highest keypoint is lower are not in the zone, as somebody who lies beside a bed'),
    ),
    max_height: Type.Optional(
      Height('People whose highest keypoint is higher are not in the zone. Required for the kind `pet`'),
    ),
    funnel: Type.Optional(
      oneOf<FunnelStage>(
        {
          entrance: 'Where customers enter.',
          product_interaction: 'Where customers view goods.',
          checkout_area: 'Where customers queue to pay.',
          purchase: 'Where customers pay.',
        },
        { description: 'The stage of the shop funnel that people here have reached.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'A named part of the floor.' },
);

export type Zone = Static<typeof ZoneSchema>;
