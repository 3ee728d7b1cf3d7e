/**
 * `npm run docs`: writes docs/api.md, docs/openapi.json and the types of the clients from the registry,
 * docs/command-line.md from the commands, docs/lint.md from the rules, docs/workflow.schema.json and docs/test.schema.json from the compiler's
 * tables, examples/README.md from the examples.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { clientTypes, type Description } from '../lib/api/docs/client-types.ts';
import { handbook } from '../lib/api/docs/handbook.ts';
import { openapi } from '../lib/api/docs/openapi.ts';
import { pythonTypes } from '../lib/api/docs/python-types.ts';
import { workflowSchema } from '../lib/authoring/schema/schema.ts';
import { testSchema } from '../lib/authoring/schema/test-schema.ts';
import { lintHandbook } from '../lib/lint/handbook.ts';
import { commandHandbook } from './cli/handbook.ts';
import { exampleIndex } from './site/example-index.ts';

const folder = new URL('../docs/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('api.md', folder), handbook());
writeFileSync(new URL('openapi.json', folder), `${JSON.stringify(openapi(), null, 1)}\n`);
writeFileSync(new URL('command-line.md', folder), await commandHandbook());
const description = openapi() as unknown as Description;
writeFileSync(new URL('../clients/api/operations.ts', folder), clientTypes(description));
writeFileSync(new URL('../clients/python/src/weft_workflows/operations.py', folder), pythonTypes(description));
writeFileSync(new URL('lint.md', folder), lintHandbook());
writeFileSync(new URL('test.schema.json', folder), `${JSON.stringify(testSchema(), null, 1)}\n`);
writeFileSync(new URL('workflow.schema.json', folder), `${JSON.stringify(workflowSchema(), null, 1)}\n`);
writeFileSync(new URL('../examples/README.md', folder), exampleIndex());
