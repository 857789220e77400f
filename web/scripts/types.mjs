// Writes src/api/schema.ts from the description of the API. The description is the snapshot that the
// tests of unsaid-http keep true, so no server has to be built or started for it.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const SNAPSHOT =
  '../../crates/unsaid-http/src/openapi/snapshots/unsaid_http__openapi__tests__the_whole_document.snap';
const HEAD = '// Written by `npm run types` from the description of the API. Do not edit.\n\n';

const snapshot = await readFile(new URL(SNAPSHOT, import.meta.url), 'utf8');
// The first two lines of dashes are insta's own head.
const document = JSON.parse(snapshot.split(/^---$/m).slice(2).join('---'));
const types = astToString(await openapiTS(document));
await writeFile(new URL('../src/api/schema.ts', import.meta.url), HEAD + types);
