import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { handbook } from '../../../lib/api/docs/handbook.ts';
import { openapi } from '../../../lib/api/docs/openapi.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';

const stored = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

test('docs/api.md is up to date (else: npm run docs)', () => {
  expect(stored('api.md')).toBe(handbook());
});

test('docs/openapi.json is up to date (else: npm run docs)', () => {
  expect(stored('openapi.json')).toBe(`${JSON.stringify(openapi(), null, 1)}\n`);
});

test('the handbook has a section for every route and a shape for every name in it', () => {
  const text = handbook();
  expect(rows.filter(([id]) => !text.includes(`\n### ${id}\n`))).toEqual([]);
  const mentioned = [...text.matchAll(/`([A-Z]\w+(?:Reply|Input))`/g)].map((found) => found[1]);
  expect(mentioned.filter((name) => !text.includes(`\n- \`${name}\`: `))).toEqual([]);
  expect(text).not.toContain('undefined');
});
