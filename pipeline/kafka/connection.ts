import { Type, type Static } from 'typebox';
import { hostFault } from '../base/host.js';
import { choice, hostComplaints, inputFile, type Complaint } from '../component/index.js';

/** How to reach brokers: the fields that the source and the sink share. */
export const connectionFields = {
  brokers: Type.Array(
    Type.String({ pattern: '^([^:/\\s]+|\\[[0-9A-Fa-f:]+\\]):\\d{1,5}$', description: '`host:port`' }),
    {
      minItems: 1,
      maxItems: 64,
      default: ['127.0.0.1:9092'],
      description: 'Some brokers of the cluster, `host:port` each; csiflow learns the others from them.',
    },
  ),
  tls: Type.Optional(
    Type.Object(
      {
        ca: Type.Optional(
          inputFile({
            description:
              "PEM file of the authority that signed the brokers' certificates. Default: the public ones.",
          }),
        ),
        certificate: Type.Optional(
          inputFile({ description: 'PEM file of the certificate that csiflow presents.' }),
        ),
        key: Type.Optional(inputFile({ description: 'PEM file of its key.' })),
        server_name: Type.Optional(
          Type.String({ minLength: 1, description: "Name in the brokers' certificates, if it differs." }),
        ),
      },
      {
        additionalProperties: false,
        description:
          'Encrypts with TLS; without it, plain text. Paths are relative to the folder of the topology.',
      },
    ),
  ),
  sasl: Type.Optional(
    Type.Object(
      {
        mechanism: choice(
          {
            plain: 'User name and password in plain text: only with TLS.',
            'scram-sha-256': 'The password is never sent (RFC 7677).',
            'scram-sha-512': 'The same with SHA-512.',
          },
          { default: 'scram-sha-512', description: 'How csiflow authenticates.' },
        ),
        username: Type.String({ minLength: 1, description: 'User name.' }),
        password: Type.String({ minLength: 1, description: 'Password; write `${secret:name}`.' }),
      },
      {
        additionalProperties: false,
        description: 'Logs in; without it, the brokers must accept anonymous clients.',
      },
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
      complaints.push({ path: ['brokers', index], message: `${port} is not a port: use 1 to 65535` });
  }
  if (tls && (tls.certificate === undefined) !== (tls.key === undefined))
    complaints.push({
      path: ['tls'],
      message: '`certificate` and `key` belong together: set both, or neither',
    });
  if (sasl?.mechanism === 'plain' && !tls)
    complaints.push({
      path: ['sasl', 'mechanism'],
      message: 'the password would be sent in plain text: add `tls`, or use scram-sha-512',
      severity: 'warning',
    });
  return complaints;
}

/** Characters that Kafka accepts in the name of a topic; 249 at most. */
export const TOPIC_PATTERN = '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}$';
