import { Type, type Static } from 'typebox';
import { hostFault } from '../base/host.js';
import { choice, hostComplaints, inputFile, type Complaint } from '../component/index.js';

/** How brokers are reached: fields that the source and the sink have in common. */
export const connectionFields = {
  brokers: Type.Array(
    Type.String({ pattern: '^([^:/\\s]+|\\[[0-9A-Fa-f:]+\\]):\\d{1,5}$', description: '`host:port`' }),
    {
      minItems: 1,
      maxItems: 64,
      default: ['127.0.0.1:9092'],
      description: 'Some brokers of the cluster, `host:port` each; the others are learned from them.',
    },
  ),
  tls: Type.Optional(
    Type.Object(
      {
        ca: Type.Optional(
          inputFile({
            description: "PEM file of who signed the brokers' certificates; without it the public ones.",
          }),
        ),
        certificate: Type.Optional(
          inputFile({ description: 'PEM file of the certificate that csiflow shows.' }),
        ),
        key: Type.Optional(inputFile({ description: 'PEM file of its key.' })),
        server_name: Type.Optional(
          Type.String({ minLength: 1, description: "Name in the brokers' certificates, if it is another." }),
        ),
      },
      {
        additionalProperties: false,
        description: 'Speaks TLS; without it plain text. Paths are relative to the folder of the topology.',
      },
    ),
  ),
  sasl: Type.Optional(
    Type.Object(
      {
        mechanism: choice(
          {
            plain: 'User name and password as they are: only with TLS.',
            'scram-sha-256': 'The password never travels (RFC 7677).',
            'scram-sha-512': 'The same with SHA-512.',
          },
          { default: 'scram-sha-512', description: 'How csiflow proves who it is.' },
        ),
        username: Type.String({ minLength: 1, description: 'User name.' }),
        password: Type.String({ minLength: 1, description: 'Password; write `${secret:name}`.' }),
      },
      { additionalProperties: false, description: 'Logs in; without it the brokers must take anybody.' },
    ),
  ),
};

export const connectionSchema = Type.Object(connectionFields);
export type ConnectionSettings = Static<typeof connectionSchema>;

/** Rules that the schema of {@link connectionFields} cannot say. */
export function checkConnection({ brokers, tls, sasl }: ConnectionSettings): readonly Complaint[] {
  const complaints: Complaint[] = [];
  for (const [index, broker] of brokers.entries()) {
    const colon = broker.lastIndexOf(':');
    const port = Number(broker.slice(colon + 1));
    complaints.push(...hostComplaints(['brokers', index], hostFault(broker.slice(0, colon))));
    if (port < 1 || port > 65_535)
      complaints.push({ path: ['brokers', index], message: `${port} is no port: 1 to 65535` });
  }
  if (tls && (tls.certificate === undefined) !== (tls.key === undefined))
    complaints.push({ path: ['tls'], message: '`certificate` and `key` go together: give both, or none' });
  if (sasl?.mechanism === 'plain' && !tls)
    complaints.push({
      path: ['sasl', 'mechanism'],
      message: 'the password travels readable for all: add `tls`, or use scram-sha-512',
      severity: 'warning',
    });
  return complaints;
}

/** Letters that Kafka takes in the name of a topic; 249 at most. */
export const TOPIC_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}$';
