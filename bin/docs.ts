/** `npm run docs`: writes what is made from the registry, docs/api.md for people and docs/openapi.json for machines. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { handbook } from '../lib/api/handbook.ts';
import { openapi } from '../lib/api/openapi.ts';

const folder = new URL('../docs/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('api.md', folder), handbook());
writeFileSync(new URL('openapi.json', folder), `${JSON.stringify(openapi(), null, 1)}\n`);
