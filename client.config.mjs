// Writes the types of the client (api/client/types/) from the OpenAPI documents of both forms: `npm run client`.
// With --check it writes nothing, and fails where they are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { API_DOCUMENTS } from './dist/api/rest/documents.js';

const HEADER = '// Made from the schemas of the service interface by `npm run client`: do not edit.\n';
const check = process.argv.includes('--check');

for (const form of ['a', 'b']) {
  const file = join(import.meta.dirname, `api/client/types/form-${form}.ts`);
  const text = HEADER + astToString(await openapiTS(JSON.stringify(API_DOCUMENTS[`openapi-${form}`]())));
  if (!check) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`api/client/types/form-${form}.ts is out of date: npm run client`);
    process.exitCode = 1;
  }
}
