/**
 * Every code that loading a topology can give, with what it means and how to mend it. The page
 * docs/errors.md is made from this table. Codes are stable: programs compare them.
 */
export const CODES = {
  'config.file.missing': [
    'A file cannot be read. A warning where only the start of the topology needs it.',
    'Check the path and the permissions; make a calibration with `csiflow calibrate`.',
  ],
  'config.file.too_large': [
    'The file is larger than 1 MiB.',
    'Split it, or check that it is the right file.',
  ],
  'config.file.outside': [
    "A topology that came over the network names a file outside of the topologies' folder.",
    'Name a file in that folder, or one that the topologies given to `csiflow run` name.',
  ],
  'config.command.not_allowed': [
    "A topology that came over the network names a command that the host's owner did not.",
    'Name the command in a topology that is given to `csiflow run`.',
  ],
  'config.file.empty': ['The file holds nothing.', 'Begin with `csiflow create SOURCE OPERATOR... SINK`.'],
  'config.yaml.syntax': ['The text is not YAML.', 'Mend it where the caret points; indent with spaces.'],
  'config.yaml.documents': [
    'The file holds several YAML documents.',
    'Keep one topology a file; remove `---`.',
  ],
  'config.yaml.tag': ['A tag (`!name`) is not known.', 'Remove it; for secrets write `${secret:name}`.'],
  'config.yaml.key': ['A key is not plain text.', 'Use a word as the key.'],
  'config.yaml.alias': [
    'An alias names no anchor that is complete above it.',
    'Write `&name` at an earlier value; a value cannot hold itself.',
  ],
  'config.yaml.merge': [
    '`<<` merges something that is no map.',
    'Give it a map, an alias of one, or a list of these.',
  ],
  'config.yaml.too_deep': ['Values are nested more than 64 deep.', 'Flatten the file.'],
  'config.yaml.too_large': [
    'With its aliases written out the file has more than 100,000 values, or it has more than 10,000 anchors and aliases.',
    'Split it; use fewer aliases of aliases.',
  ],
  'config.key.duplicate': ['A key stands twice in one map.', 'Remove one, or rename it.'],
  'config.variable.unset': [
    'An environment variable is not set and the expression has no default.',
    'Set it, or write `${NAME:-default}`.',
  ],
  'config.variable.not_allowed': [
    "A topology that came over the network uses an environment variable that the host's owner did not allow.",
    'Start csiflow with `--allow-variable NAME`, or write the value.',
  ],
  'config.variable.unquoted': [
    'Within `{ }` or `[ ]` a brace ends a plain value, so `${...}` is torn apart.',
    'Put the whole value in quotes.',
  ],
  'config.variable.syntax': [
    'A `${...}` expression cannot be read.',
    'Write `${NAME}`, `${NAME:-default}` or `${secret:name}`; `$${` stands for the text `${`.',
  ],
  'config.secret.unset': [
    'A secret is neither in the folder of secrets nor in the environment.',
    'Set `CSIFLOW_SECRET_NAME`, or put the file `NAME` in the folder of secrets.',
  ],
  'config.field.unknown': [
    'No such field is known here.',
    'Take the nearest right word, or remove the field.',
  ],
  'config.field.unit': [
    'The field exists with another unit in its name.',
    'Use the name with the unit that is known, and a number in that unit.',
  ],
  'config.field.missing': ['A required field is missing.', 'Add it; the component page describes it.'],
  'config.value.type': [
    'The value is of the wrong type.',
    'Write a value of the type that the message names.',
  ],
  'config.value.unit': [
    'A number was written with its unit.',
    "Write the number alone: the unit is in the field's name.",
  ],
  'config.value.choice': ['The value is none of the words allowed.', 'Take one that the message lists.'],
  'config.value.range': ['The number is out of range.', 'Stay within the bounds that the message names.'],
  'config.value.format': [
    'The text does not have the form asked for.',
    'Follow the form that the message names.',
  ],
  'config.value.invalid': ['The value breaks a rule of the component.', 'The message says which and why.'],
  'config.value.host': [
    'No machine can have this name or address.',
    'Write a name (`influxdb.example.org`), an IPv4 address (`192.168.1.20`) or an IPv6 address (`::1`, in an address of a service `[::1]`).',
  ],
  'config.list.length': [
    'The list is too short, too long, or holds a value twice.',
    'Add or remove entries.',
  ],
  'config.id.invalid': [
    'An id is not a letter followed by at most 63 letters, digits, `_` and `-`.',
    'Rename it; ids become metric labels and folder names.',
  ],
  'config.node.duplicate': ['Two nodes have the same id.', 'Rename one: ids are unique over all sections.'],
  'config.node.unused': [
    'Nothing reads from the node.',
    'Name it in the `from` of another node, or remove it.',
  ],
  'config.sinks.missing': [
    'The topology has no sink, so its results go nowhere.',
    'Add a sink, such as `websocket` for live clients or `duckdb` for history.',
  ],
  'config.component.missing': ['A node has no `type`.', 'Add `type:` with the name of a component.'],
  'config.component.unknown': ['No component has that name.', 'See `csiflow list`.'],
  'config.component.kind': [
    'The component stands in the wrong section.',
    'Move it to the section of its kind.',
  ],
  'config.component.check': [
    "A component's own check failed.",
    'This is an error in the component: report it.',
  ],
  'config.from.missing': [
    'An operator or a sink does not say what it reads.',
    'Add `from:` with the id of a node.',
  ],
  'config.from.source': ['A source has a `from`.', 'Remove it: a source reads from outside.'],
  'config.from.unknown': [
    '`from` names a node that is not there.',
    'Take the nearest right id, or add the node.',
  ],
  'config.from.route': [
    'A node reads a route (`node.route`) that the other node does not have.',
    'Write one of its routes, or its id alone to read all of them.',
  ],
  'config.expression': [
    'An expression cannot be read, names a field that records do not have, or gives what is not wanted.',
    'See docs/expressions.md for the language and the fields.',
  ],
  'config.from.sink': ['`from` names a sink, which gives nothing on.', 'Read from what the sink reads.'],
  'config.from.duplicate': ['`from` names a node twice.', 'Name it once.'],
  'config.graph.cycle': [
    'Nodes read from each other in a circle.',
    'Remove one of the edges that are named.',
  ],
  'config.graph.too_large': [
    'The topology has more than 1,000 nodes, or more than 10,000 edges.',
    'Split it into several topologies.',
  ],
  'config.port.mismatch': [
    'What one node gives is not what the other takes.',
    'Put an operator between them, or read from a node that gives what is taken.',
  ],
  'config.port.missing': [
    'An operator lacks an input without which it gives nothing.',
    'Add a node that gives this kind of record to its `from`.',
  ],
  'config.measurement.amplitude': [
    'An operator needs the amplitudes of channel estimates, but what it reads are beamforming reports, which have none.',
    'Leave the operator out, choose a method that does without, or read from a receiver of channel estimates.',
  ],
  'config.journal.needed': [
    'Live input is not journalled, so a crash loses what the sink had not yet been asked to store.',
    'Set `settings.journal: true`, or accept the loss.',
  ],
  'config.time.mixed': [
    'A node merges live input with a recording, whose event times are far apart.',
    'Run them as two topologies, or send the recording with `csiflow replay`, which gives it the times of now.',
  ],
  'config.scale_out.source': [
    'Several processes cannot share the input of a topology with `settings.scale_out`.',
    'Give it one source that has partitions: `kafka`.',
  ],
  'config.scale_out.sink': [
    'A sink belongs to one process, but several would write it.',
    'Write to a sink that they share: `kafka`, `influxdb`. Another topology can fill DuckDB from there.',
  ],
  'config.scale_out.connection': [
    'A sink whose results go into the transaction of the source has a connection of its own.',
    'Give both the same brokers, with the same `tls` and `sasl`. Another topology can copy results to another cluster.',
  ],
  'config.scale_out.interval': [
    'Checkpoints of a topology with `settings.scale_out` are too far apart: each is a transaction, which brokers abort when it is open for too long.',
    'Set `settings.checkpoint_interval_ms` to 60000 at most.',
  ],
  'config.scale_out.repeats': [
    'A sink may be told the same records twice when another process takes a partition over.',
    'Ids are the same: whoever listens can tell. Or write to `kafka`, and from there to this sink.',
  ],
  'config.privacy.key': [
    'Several processes would each make a secret of their own.',
    'Give one: `settings.privacy.key: ${secret:privacy_key}`.',
  ],
  'config.privacy.anonymity': [
    '`anonymize_data` cannot be held.',
    'Send no raw input to sinks, and give zones and links names that are no numbers.',
  ],
  'config.privacy.retention': [
    'A sink does not delete what is older than `data_retention_days`.',
    'Delete the data at its destination: set the retention of the topic, or run a job that removes old files.',
  ],
  'config.privacy.encryption': [
    'A sink does not encrypt what it stores.',
    'Encrypt the disk that it writes to, or leave the sink out.',
  ],
  'config.environment.missing': [
    'The topology names no environment.',
    'Add `environment:` with the path of its file.',
  ],
  'config.environment.both': ['Both `environment` and `environments` are given.', 'Keep one of them.'],
  'config.environment.duplicate': [
    'Two environments have the same id.',
    'Rename one, or name the file once.',
  ],
  'config.link.duplicate': ['Two links have the same id.', 'Rename one: ids are unique over the topology.'],
  'config.link.length': [
    'Transmitter and receiver of a link are in the same place.',
    'Correct the positions.',
  ],
  'config.sender.duplicate': [
    'Two links are sent by the same sender, so frames could not be told apart.',
    'Give each link the sender that the source names.',
  ],
  'config.environment.timezone': [
    'The time zone of an environment is not known.',
    'Write its IANA name, `Europe/Berlin`, or leave it out for UTC.',
  ],
  'config.zone.duplicate': ['Two zones of an environment have the same id.', 'Rename one.'],
  'config.claim.taken': [
    'Two nodes want what one alone can have: a port, a file, a name at a broker.',
    'Give one of them another.',
  ],
  'config.together.id': ['Two topologies that are to run beside each other have the same id.', 'Rename one.'],
  'config.together.environment': [
    'Two topologies that are to run beside each other sense environments of the same id.',
    'Rename one, in the file of the environment: calls, topics and stores tell them apart by it.',
  ],
  'config.together.state_folder': [
    'Two topologies that are to run beside each other store their state in the same folder.',
    'Give one another `settings.state_folder`.',
  ],
  'config.test.name': [
    'Two tests of a file have the same name.',
    'Rename one: a name tells which test failed.',
  ],
  'config.test.node': [
    'A test names a node that is not there, or of another kind.',
    'Take the nearest right id; `input` names sources, `sinks` and `outbox_of` sinks.',
  ],
  'config.test.input': [
    'What stands in for a source does not fit.',
    'Give a capture, a list of records, or a simulated scene that ends.',
  ],
  'config.test.expectation': [
    'An expectation says nothing, or several things at once.',
    'One subject and one rule each; the message names them.',
  ],
  'config.test.comparison': [
    'A comparison in a pattern has a value that it cannot compare with.',
    'Write what the message names.',
  ],
  'config.check.too_slow': [
    'Checking a text that came over the network takes too long.',
    'Make it smaller, or start csiflow with the file.',
  ],
  'config.problems.more': ['More problems were found than are shown.', 'Mend those shown, then look again.'],
} as const satisfies Readonly<Record<string, readonly [meaning: string, mend: string]>>;

export type ProblemCode = keyof typeof CODES;
