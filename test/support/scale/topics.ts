import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Result {
  readonly key: string;
  readonly value: string;
}

/**
 * All committed messages of a topic, each partition's in order, read by librdkafka: an independent view of
 * transactions.
 */
export async function readAll(broker: string, topic: string): Promise<readonly Result[]> {
  const args = ['-C', '-b', broker, '-t', topic, '-e', '-q', '-o', 'beginning', '-f', '%k\\t%s\\n'];
  const { stdout } = await promisify(execFile)('kcat', [...args, '-X', 'isolation.level=read_committed'], {
    maxBuffer: 2 ** 30,
  });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const tab = line.indexOf('\t');
      return { key: line.slice(0, tab), value: line.slice(tab + 1) };
    });
}
