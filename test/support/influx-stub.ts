import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response that replaces the usual one. */
export interface StubAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The connection is cut within the response. */
  readonly cut?: boolean;
}

export interface StubPoint {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly timestamp: string;
}

export interface InfluxStub {
  readonly url: string;
  /** Points by InfluxDB's identity of points. */
  readonly points: ReadonlyMap<string, StubPoint>;
  /** Bodies, paths and headers as received. */
  readonly requests: readonly { path: string; authorization: string | undefined; body: string }[];
  /** Called before each write is accepted; undefined: accepts it. */
  onWrite: (lines: readonly string[]) => StubAnswer | undefined;
  /** Answers a statement; undefined: as usual. */
  onQuery: (statement: string) => object[] | undefined;
  /** Answers the paths of version 2; undefined: as usual. */
  onBuckets: (() => StubAnswer) | undefined;
  /** The version it reports. */
  version: string;
  close(): Promise<void>;
}

/** InfluxDB 1 as a sink sees it, in this process: it accepts lines, and reports that the database exists. */
export async function startInfluxStub(): Promise<InfluxStub> {
  const points = new Map<string, StubPoint>();
  const requests: { path: string; authorization: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const path = request.url ?? '';
      requests.push({ path, authorization: request.headers.authorization, body });
      const answer = ({ status, headers, body: text, cut }: StubAnswer): void => {
        if (cut) {
          response.writeHead(status, { 'Content-Length': '100' }).write('half', () => response.destroy());
          return;
        }
        response.writeHead(status, { 'X-Influxdb-Version': stub.version, ...headers }).end(text ?? '');
      };
      if (/^\/(?:write|api\/v3\/write_lp)\?/.test(path)) {
        const lines = body.split(/\n(?=[a-z_]+,)/);
        const refused = stub.onWrite(lines);
        if (!refused) for (const line of lines) take(points, line);
        answer(refused ?? { status: 204 });
      } else if (path.startsWith('/query'))
        answer({ status: 200, body: JSON.stringify(queried(body, (statement) => stub.onQuery(statement))) });
      else if (path.startsWith('/api/v2/')) answer(stub.onBuckets?.() ?? { status: 404 });
      else answer({ status: 204 });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stub: InfluxStub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    points,
    requests,
    onWrite: () => undefined,
    onQuery: () => undefined,
    onBuckets: undefined,
    version: '1.6.7',
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
  return stub;
}

function queried(body: string, asked: InfluxStub['onQuery']): object {
  const statements = (new URLSearchParams(body).get('q') ?? '').split(';');
  return { results: statements.map((statement) => ({ series: asked(statement) ?? answered(statement) })) };
}

function answered(statement: string): object[] {
  if (!statement.includes('RETENTION POLICIES')) return [];
  return [{ columns: ['name', 'duration', 'default'], values: [['autogen', '0s', true]] }];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  return body;
}

/** `measurement,tag=value field=value,field="text" timestamp` */
function take(points: Map<string, StubPoint>, line: string): void {
  const parts = /^((?:\\.|[^\\ ])+) ((?:"(?:\\.|[^"\\])*"|[^" ])+) (\d+)$/s.exec(line);
  if (!parts) throw new Error(`no line of the line protocol: ${line}`);
  const [measurement, ...tags] = parts[1]!.split(/(?<!\\),/);
  points.set(`${parts[1]!} ${parts[3]!}`, {
    measurement: measurement!,
    tags: pairs(tags),
    fields: pairs(parts[2]!.match(/[^,=]+=(?:"(?:\\.|[^"\\])*"|[^,]*)/gs) ?? []),
    timestamp: parts[3]!,
  });
}

const pairs = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      return [text.slice(0, at), text.slice(at + 1).replace(/\\([, =])/g, '$1')];
    }),
  );
