// Writes the types of the client (api/client/types/) from the OpenAPI documents of both forms and the AsyncAPI
// document of the WebSocket: `npm run client`.
// With --check it writes nothing, and fails where they are out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { API_DOCUMENTS } from './dist/api/rest/documents.js';

const HEADER = '// Made from the schemas of the service interface by `npm run client`: do not edit.\n';
const check = process.argv.includes('--check');

const { channels, ...live } = API_DOCUMENTS.asyncapi();
const messages = Object.entries(channels.pose.messages).map(([name, { payload }]) => [name, payload]);
const documents = {
  'form-a': API_DOCUMENTS['openapi-a'](),
  'form-b': API_DOCUMENTS['openapi-b'](),
  // The messages alone, as what makes the types reads OpenAPI.
  live: {
    openapi: '3.1.1',
    info: live.info,
    paths: {},
    components: { schemas: Object.fromEntries(messages) },
  },
};

for (const [name, document] of Object.entries(documents)) {
  const file = join(import.meta.dirname, `api/client/types/${name}.ts`);
  const text = HEADER + astToString(await openapiTS(JSON.stringify(document)));
  if (!check) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`api/client/types/${name}.ts is out of date: npm run client`);
    process.exitCode = 1;
  }
}
