import { Type, type Static } from 'typebox';
import { hostFault } from '../../base/host.js';
import { choice, hostComplaints, inputFile, type Complaint } from '../../component/index.js';
import { FORMAT_CHOICES, FORMAT_OPTIONS } from '../../formats/index.js';

export const config = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      description:
        'Address to listen on. Receivers on the network reach it only if this is an address of that network, or 0.0.0.0.',
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 5080,
      description: 'Port to listen on; 0 selects a free one.',
    }),
    route: Type.String({
      pattern: '^/[A-Za-z0-9_./-]{0,255}$',
      'x-expected': 'must start with /, followed by letters, digits and _ . / -',
      default: '/csi',
      description: 'Path of the address that frames are posted to.',
    }),
    token: Type.Optional(
      Type.String({
        minLength: 8,
        description:
          'Secret that senders pass as `Authorization: Bearer TOKEN`. Without it, anyone may send.',
      }),
    ),
    cert: Type.Optional(
      inputFile({
        description: 'PEM file of the certificate, for TLS. Relative to the folder of the topology.',
      }),
    ),
    key: Type.Optional(inputFile({ description: 'PEM file of the key of `cert`.' })),
    format: choice<string>(FORMAT_CHOICES, {
      default: 'auto',
      description: 'What the records of a body are.',
    }),
    ...FORMAT_OPTIONS,
    max_body_bytes: Type.Integer({
      minimum: 1024,
      maximum: 268_435_456,
      default: 4_194_304,
      description: 'Longest body, also unpacked.',
    }),
    block_records: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 64,
      description: 'Limit of records per batch.',
    }),
    idle_tick_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 1000,
      description: 'Silence after which event time advances without records; 0: it never does.',
    }),
  },
  { additionalProperties: false },
);

export type HttpSettings = Static<typeof config>;

/** Rules between the fields. */
export function complaintsOf({ host, token, cert, key }: HttpSettings): readonly Complaint[] {
  const complaints: Complaint[] = [...hostComplaints(['host'], hostFault(host))];
  if ((cert === undefined) !== (key === undefined))
    complaints.push({
      path: [cert === undefined ? 'key' : 'cert'],
      message: '`cert` and `key` belong together: set both or neither',
    });
  if (/^(localhost|127\..*|::1)$/.test(host)) return complaints;
  if (token === undefined)
    complaints.push({
      path: ['host'],
      message: 'anyone who reaches it may send: set a `token`',
      severity: 'warning',
    });
  else if (cert === undefined)
    complaints.push({
      path: ['token'],
      message: 'the token is sent as plain text: set `cert` and `key`',
      severity: 'warning',
    });
  return complaints;
}
