import { type Attack, type Place, pathOf, send } from './requests.ts';

const repeated = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join('');
const transformed = (value: string): string => `states:\n- id: a\n  type: noop\n  transform: ${value}\n`;
const scripted = (script: string): string => transformed(`'${script}'`);

/** Validates a text, or stores it, again and again. */
function reading(about: string, text: string, op: 'validate' | 'create-workflow' = 'validate'): Attack {
  const method = op === 'validate' ? 'POST' : 'PUT';
  return {
    about,
    lanes: 4,
    strike: (place: Place, signal, lane) => {
      const name = op === 'validate' ? 'x' : `x${lane}-${crypto.randomUUID().slice(0, 8)}`;
      return send(place, method, pathOf(place, name, op), { body: text, signal });
    },
  };
}

/** Attacks by texts of workflows whose reading takes long, or once took long. */
export const TEXTS = {
  openBrackets: reading('40,000 brackets of jq that are not closed', scripted(`jq(${'(.a|'.repeat(40_000)}`)),
  closedBrackets: reading('150,000 brackets of jq', scripted(`jq(${'['.repeat(75_000)}${']'.repeat(75_000)})`)),
  conditions: reading(
    '20,000 conditions of a switch',
    `states:\n- id: a\n  type: switch\n  conditions:\n${repeated(20_000, () => '  - condition: jq(.a)\n')}`,
  ),
  functions: reading(
    '8,000 functions',
    `functions:\n${repeated(8000, (at) => `- {id: f${at}, type: subflow, workflow: w}\n`)}states: [{id: a, type: noop}]\n`,
  ),
  literalBlocks: reading(
    '60,000 literal blocks',
    transformed(`\n${repeated(60_000, (at) => `    a${at}: |\n      b\n`)}`),
  ),
  sameKeys: reading('500,000 times the same key', `{${'a,'.repeat(500_000)}a}`),
  schemaParts: reading(
    'a JSON Schema of 9,000 parts',
    `states:\n- id: a\n  type: validate\n  schema:\n    properties:\n${repeated(9000, (at) => `      m${at}: {type: string}\n`)}`,
  ),
  catchPatterns: reading(
    '1,000 patterns of errors that repeat themselves',
    `states:\n- id: a\n  type: noop\n  catch:\n${repeated(1000, () => `  - {error: '(a?b?){90}x', transition: a}\n`)}`,
  ),
  storedStates: reading(
    'workflows of 9,000 states that are stored',
    `states:\n${repeated(9000, (at) => `- {id: s${at}, type: noop, transition: s${(at + 1) % 9000}}\n`)}`,
    'create-workflow',
  ),
  storedDelays: reading(
    'workflows of 3,800 delays that are stored',
    `states:\n${repeated(3800, (at) => `- {id: s${at}, type: delay, duration: PT1S, transition: s${at + 1}}\n`)}- {id: s3800, type: noop}\n`,
    'create-workflow',
  ),
  smallTexts: reading('texts of 4,000 characters of scripts', scripted(`jq([${'.a[0]|.b,'.repeat(400)}1])`)),
} as const satisfies Record<string, Attack>;
