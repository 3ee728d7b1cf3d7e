import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { completeAt } from '../../lib/authoring/editing/completion.ts';
import { hoverAt } from '../../lib/authoring/editing/hover.ts';
import { namesIn } from '../../lib/authoring/editing/names.ts';
import { openText } from '../../lib/authoring/editing/open-text.ts';
import { symbolsIn } from '../../lib/authoring/editing/symbols.ts';
import { countConstructs } from '../../lib/authoring/migration/constructs.ts';
import { migrate } from '../../lib/authoring/migration/migration.ts';
import { compile } from '../../lib/compiler/compile.ts';
import { createLocator } from '../../lib/language/position.ts';
import { lint } from '../../lib/lint/lint.ts';
import { priceRuns } from '../../lib/pricing/runs.ts';
import { cases } from '../effort.ts';

/** Names that every object of JavaScript has, each with one of the same length that none has. */
const NAMES = { toString: 'toStrinh', constructor: 'constructos', ['__proto__']: '__protp__' };

const WORKFLOW = `
start: {type: event, event: {type: paid, context: {kind: card}}}
functions:
- {id: post, type: http, url: 'https://example.com', headers: {accept: text}, expect: [2xx]}
- {id: job, type: subflow, workflow: job}
states:
- {id: check, type: validate, schema: {type: object, properties: {n: {type: number}}, required: [n]}, transition: send}
- id: send
  type: action
  async: false
  action: {function: post, input: {n: jq(.n)}, retries: {max_attempts: 2, codes: [bad]}}
  catch: [{error: bad, transition: tell}]
  transition: sort
- {id: sort, type: switch, conditions: [{condition: jq(.n), transition: tell, transform: {n: jq(.n)}}], defaultTransition: wait}
- {id: wait, type: eventsXor, events: [{event: {type: paid, context: {n: 1}}, transition: save, transform: {n: 1}}]}
- {id: save, type: setter, variables: [{key: total, scope: workflow, value: jq(.n)}], transition: tell}
- {id: tell, type: generateEvent, event: {type: told, source: here, data: {n: 1}}}
`;

/** Stands for a name; of the characters of one. */
const NAME = 'NaMe';

/** The value with one change: a name in place of a part, of a key, or beside a key. */
function* changed(value: unknown): Generator<unknown> {
  yield NAME;
  yield { [NAME]: 1 };
  if (typeof value === 'string') yield `jq(.${NAME})`;
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) for (const one of changed(member)) yield value.with(index, one);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, [NAME]: { [NAME]: 1 } };
    for (const [key, member] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).map(([name, inner]) => [name === key ? NAME : name, inner]));
      for (const one of changed(member)) yield { ...value, [key]: one };
    }
  }
}

const PLACE = { path: 'flow', nodes: new Set(['flow']), moved: new Map(), ids: new Map(), keepsExtension: false };

function aboutPlaces(text: string, name: string) {
  const [open, locate] = [openText(text), createLocator(text)];
  const offset = text.indexOf(name);
  const places = [offset, offset + name.length].map(locate);
  return [namesIn(open), symbolsIn(open), places.map((at) => [completeAt(open, at), hoverAt(open, at)])];
}

const READERS: Readonly<Record<string, (text: string, name: string) => unknown>> = {
  compiler: compile,
  prices: (text) => {
    const compiled = compile(text);
    return 'plan' in compiled ? priceRuns(compiled.plan, 3) : [];
  },
  lint,
  migration: (text) => [migrate(text, PLACE), countConstructs([parse(text)])],
  editor: aboutPlaces,
};

/** What a reader returns for a text with a name, in which the name is `NAME` in each form that texts show it in. */
function outcomeOf(read: (text: string, name: string) => unknown, text: string, name: string): string {
  const outcome = JSON.stringify(read(text.replaceAll(NAME, name), name));
  const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const forms = [name, name.toLowerCase(), dashed, `${name.slice(0, 7)}...`, name.replaceAll('_', '')];
  return forms.reduce((shown, form) => shown.replaceAll(form, NAME), outcome);
}

// JSON is YAML, and has each value in one line.
const texts = [...new Set([...changed(parse(WORKFLOW))].map((value) => JSON.stringify(value)))];

test.each(Object.entries(READERS))('a name that every object has is a name like any other: %s', (what, read) => {
  expect(texts.length).toBeGreaterThan(300);
  // One or three names are tried in each text; a migration, which lints a text several times, is tried with fewer texts.
  const step = what === 'migration' ? cases(5, 4) : 1;
  const pairs = Object.entries(NAMES);
  for (const [index, text] of texts.entries()) {
    if (index % step > 0) continue;
    const rotated = [...pairs.slice(index % pairs.length), ...pairs];
    for (const [name, usual] of rotated.slice(0, cases(1, 2)))
      expect(outcomeOf(read, text, name), `'${name}' in ${text}`).toBe(outcomeOf(read, text, usual));
  }
});
