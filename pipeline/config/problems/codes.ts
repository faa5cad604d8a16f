/**
 * All codes of problems found while loading a topology, with their meaning and fix. docs/errors.md is
 * generated from this table. Codes are stable: programs compare them.
 */
export const CODES = {
  'config.file.missing': [
    'A file cannot be read. A warning if only the start of the topology needs it.',
    'Check the path and the permissions; make a calibration with `csiflow calibrate`.',
  ],
  'config.file.too_large': [
    'The file is larger than 1 MiB.',
    'Split it, or check that it is the right file.',
  ],
  'config.file.outside': [
    "A topology that arrived over the network names a file outside the topologies' folder.",
    'Name a file in that folder, or one named by the topologies given to `csiflow run`.',
  ],
  'config.command.not_allowed': [
    "A topology that arrived over the network names a command that the host's owner has not allowed.",
    'Name the command in a topology given to `csiflow run`.',
  ],
  'config.script.not_allowed': [
    "A topology that arrived over the network names a script that the host's owner has not allowed.",
    'Name the script in a topology given to `csiflow run`.',
  ],
  'config.file.encoding': ['The file is not a UTF-8 text.', 'Save it as UTF-8.'],
  'config.file.empty': ['The file is empty.', 'Start with `csiflow create SOURCE OPERATOR... SINK`.'],
  'config.yaml.syntax': ['The text is not YAML.', 'Fix it where the caret points; indent with spaces.'],
  'config.yaml.documents': [
    'The file holds several YAML documents.',
    'Write one topology per file; remove `---`.',
  ],
  'config.yaml.tag': ['A tag (`!name`) is unknown.', 'Remove it; for secrets write `${secret:name}`.'],
  'config.yaml.key': ['A key is not plain text.', 'Use a word as the key.'],
  'config.yaml.alias': [
    'An alias refers to an anchor that is not complete above it.',
    'Write `&name` at an earlier value; a value cannot hold itself.',
  ],
  'config.yaml.merge': [
    '`<<` merges something that is not a map.',
    'Use a map, an alias of one, or a list of these.',
  ],
  'config.yaml.too_deep': ['Values are nested more than 64 deep.', 'Flatten the file.'],
  'config.yaml.too_large': [
    'With its aliases expanded, the file has more than 100,000 values; or it has more than 10,000 anchors and aliases.',
    'Split it; use fewer aliases of aliases.',
  ],
  'config.key.duplicate': ['A map has the same key twice.', 'Remove one, or rename it.'],
  'config.variable.unset': [
    'An environment variable is not set and the expression has no default.',
    'Set it, or write `${NAME:-default}`.',
  ],
  'config.variable.not_allowed': [
    "A topology that arrived over the network uses an environment variable that the host's owner has not allowed.",
    'Start csiflow with `--allow-variable NAME`, or write the value.',
  ],
  'config.variable.unquoted': [
    'Inside `{ }` or `[ ]` a brace ends an unquoted value, which splits `${...}`.',
    'Quote the whole value.',
  ],
  'config.variable.syntax': [
    'A `${...}` expression cannot be read.',
    'Write `${NAME}`, `${NAME:-default}` or `${secret:name}`; `$${` stands for the text `${`.',
  ],
  'config.secret.unset': [
    'A secret is neither in the secrets folder nor in the environment.',
    'Set `CSIFLOW_SECRET_NAME`, or create the file `NAME` in the secrets folder.',
  ],
  'config.field.unknown': ['The field is unknown here.', 'Use the suggested word, or remove the field.'],
  'config.field.unit': [
    'The field exists with another unit in its name.',
    'Use the name with the supported unit, and a number in that unit.',
  ],
  'config.field.missing': ['A required field is missing.', 'Add it; see the page of the component.'],
  'config.value.type': [
    'The value is of the wrong type.',
    'Write a value of the type that the message names.',
  ],
  'config.value.unit': [
    'A number was written with its unit.',
    "Write only the number: the field's name has the unit.",
  ],
  'config.value.choice': ['The value is not one of the allowed words.', 'Use one that the message lists.'],
  'config.value.range': ['The number is out of range.', 'Use a number within the bounds in the message.'],
  'config.value.format': ['The text does not have the required form.', 'Use the form in the message.'],
  'config.value.invalid': [
    'The value breaks a rule of the component.',
    'The message names the rule and the reason.',
  ],
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
    'No node reads from this one.',
    'Name it in the `from` of another node, or remove it.',
  ],
  'config.sinks.missing': [
    'The topology has no sink, so its results go nowhere.',
    'Add a sink, such as `websocket` for live clients or `duckdb` for history.',
  ],
  'config.component.missing': ['A node has no `type`.', 'Add `type:` with the name of a component.'],
  'config.component.unknown': ['No component has that name.', 'See `csiflow list`.'],
  'config.component.kind': ['The component is in the wrong section.', 'Move it to the section of its kind.'],
  'config.component.check': ["A component's own check failed.", 'This is a bug in the component: report it.'],
  'config.from.missing': [
    'An operator or a sink does not say what it reads.',
    'Add `from:` with the id of a node.',
  ],
  'config.from.source': ['A source has a `from`.', 'Remove it: a source reads from outside.'],
  'config.from.unknown': [
    '`from` names a node that does not exist.',
    'Use the suggested id, or add the node.',
  ],
  'config.from.route': [
    'A node reads a route (`node.route`) that the other node does not have.',
    'Write one of its routes, or its id alone to read all of them.',
  ],
  'config.expression': [
    'An expression cannot be read, names a field that records do not have, or gives what is not wanted.',
    'See docs/expressions.md for the language and the fields.',
  ],
  'config.from.sink': ['`from` names a sink, which has no output.', 'Read from the inputs of the sink.'],
  'config.from.count': [
    'An operator compares a fixed number of nodes, and its `from` names fewer or more.',
    'Name that many, as in `from: [one, other]`.',
  ],
  'config.from.duplicate': ['`from` names a node twice.', 'Name it once.'],
  'config.graph.cycle': [
    'Nodes read from each other in a circle.',
    'Remove one of the edges in the message.',
  ],
  'config.graph.too_large': [
    'The topology has more than 1,000 nodes, or more than 10,000 edges.',
    'Split it into several topologies.',
  ],
  'config.port.mismatch': [
    'A node does not accept the output of the node that it reads.',
    'Put an operator between them, or read from a node with a matching output.',
  ],
  'config.port.missing': [
    'An operator lacks an input that it requires.',
    'Add a node with this kind of record to its `from`.',
  ],
  'config.measurement.amplitude': [
    'An operator needs the amplitudes of channel estimates, but it reads beamforming reports, which have none.',
    'Remove the operator, choose a method that does not need amplitudes, or read from a receiver of channel estimates.',
  ],
  'config.measurement.level': [
    'An operator needs the levels of links, but an operator before it removes them.',
    'Use another method, such as `method: steps` of `normalize-gain`, or let the operator read from before it.',
  ],
  'config.journal.needed': [
    'Live input is not journalled, so a crash loses records that have not reached the sink.',
    'Set `settings.journal: true`, or accept the loss.',
  ],
  'config.time.mixed': [
    'A node merges live input with a recording, whose event times are far apart.',
    'Run them as two topologies, or send the recording with `csiflow replay`, which gives it current times.',
  ],
  'config.scale_out.source': [
    'Several processes cannot share the input of a topology with `settings.scale_out`.',
    'Give it one source that has partitions: `kafka`.',
  ],
  'config.scale_out.sink': [
    'A sink belongs to one process, but several would write to it.',
    'Write to a sink that they share: `kafka`, `influxdb`. Another topology can fill DuckDB from there.',
  ],
  'config.scale_out.connection': [
    "A sink that writes in the source's transaction has a different connection.",
    'Give both the same brokers, with the same `tls` and `sasl`. Another topology can copy results to another cluster.',
  ],
  'config.scale_out.interval': [
    'Checkpoints of a topology with `settings.scale_out` are too far apart: each is a transaction, and brokers abort those that stay open too long.',
    'Set `settings.checkpoint_interval_ms` to at most 60000.',
  ],
  'config.scale_out.threads': [
    'The partitions of a topology with `settings.scale_out` run on the main thread.',
    'Remove `settings.threads`, and start more processes.',
  ],
  'config.scale_out.repeats': [
    'A sink may receive the same records twice when another process takes over a partition.',
    'The ids are the same, so receivers can detect duplicates. Or write to `kafka`, and from there to this sink.',
  ],
  'config.privacy.key': [
    'Several processes would each create their own secret.',
    'Set one: `settings.privacy.key: ${secret:privacy_key}`.',
  ],
  'config.privacy.anonymity': [
    '`anonymize_data` cannot be guaranteed.',
    'Send no raw input to sinks, and give zones and links names that are not numbers.',
  ],
  'config.privacy.retention': [
    'A sink does not delete data older than `data_retention_days`.',
    'Delete the data at its destination: set the retention of the topic, or run a job that removes old files.',
  ],
  'config.privacy.encryption': [
    'A sink does not encrypt what it stores.',
    'Encrypt the disk that it writes to, or remove the sink.',
  ],
  'config.environment.missing': [
    'The topology names no environment.',
    'Add `environment:` with the path of its file.',
  ],
  'config.environment.both': ['Both `environment` and `environments` are given.', 'Remove one of them.'],
  'config.environment.duplicate': [
    'Two environments have the same id.',
    'Rename one, or name the file once.',
  ],
  'config.link.duplicate': ['Two links have the same id.', 'Rename one: ids are unique in the topology.'],
  'config.link.length': [
    'Transmitter and receiver of a link are in the same place.',
    'Correct the positions.',
  ],
  'config.link.outside': [
    'An antenna of a link is more than 10 cm outside the room, or above its ceiling.',
    'Correct the position, or the `size` of the room; ignore it if the antenna is in another room.',
  ],
  'config.wall.length': ['A wall ends where it begins.', 'Correct `to`, or remove the wall.'],
  'config.sender.duplicate': [
    'Two links have the same sender, so their frames cannot be distinguished.',
    'Give each link the sender that the source names.',
  ],
  'config.environment.secret': [
    'A text of an environment that was sent over the network contains a secret.',
    'Write the value itself: what an environment contains is shown to everybody who may see the room.',
  ],
  'config.environment.timezone': [
    'The time zone of an environment is unknown.',
    'Write its IANA name, `Europe/Berlin`, or omit it for UTC.',
  ],
  'config.zone.duplicate': ['Two zones of an environment have the same id.', 'Rename one.'],
  'config.zone.height': [
    'The heights of a zone exclude everybody, or a pet area excludes nobody.',
    'Set `max_height` above `min_height`; in a pet area, to a height between your pet and a sitting person.',
  ],
  'config.zone.area': [
    'The corners of a zone are on one line, so nobody is in it.',
    'Correct its `polygon`.',
  ],
  'config.zone.outside': [
    'A whole zone is outside the room, so nobody is in it.',
    'Correct its `polygon`, or the `size` of the room; both are in metres.',
  ],
  'config.claim.taken': [
    'Two nodes use something that only one can have: a port, a file, a name at a broker.',
    'Change it in one of them.',
  ],
  'config.together.id': ['Two topologies to run together have the same id.', 'Rename one.'],
  'config.together.environment': [
    'Two topologies to run together sense environments with the same id.',
    'Rename one, in the file of the environment: calls, topics and stores use the id to distinguish them.',
  ],
  'config.together.state_folder': [
    'Two topologies to run together have the same state folder.',
    'Set a different `settings.state_folder` in one.',
  ],
  'config.test.name': [
    'Two tests of a file have the same name.',
    'Rename one: the name identifies a failed test.',
  ],
  'config.test.node': [
    'A test names a node that does not exist, or is of another kind.',
    'Use the suggested id; `input` names sources, `sinks` and `outbox_of` sinks.',
  ],
  'config.test.input': [
    'The replacement of a source is not valid.',
    'Use a capture, a list of records, or a simulated scene that ends.',
  ],
  'config.test.expectation': [
    'An expectation has no subject or rule, or more than one.',
    'Give each expectation one subject and one rule; the message lists them.',
  ],
  'config.test.comparison': [
    'A comparison in a pattern has a value that it cannot compare with.',
    'Use a value as described in the message.',
  ],
  'config.check.too_slow': [
    'Checking a text that arrived over the network takes too long.',
    'Make it smaller, or start csiflow with the file.',
  ],
  'config.problems.more': [
    'There are more problems than the list shows.',
    'Fix those shown, then check again.',
  ],
} as const satisfies Readonly<Record<string, readonly [meaning: string, fix: string]>>;

export type ProblemCode = keyof typeof CODES;
