import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { KIND_OF } from '../../lib/engine/evaluation/failures.ts';
import { createSourceText } from '../../lib/language/position.ts';
import { COMPILER_RULES, type CompilerRule } from '../../lib/lint/compiler-rules.ts';
import { ENGINE_CODES } from '../../lib/lint/document/codes.ts';
import { lintHandbook } from '../../lib/lint/handbook.ts';
import { applyMends, type Finding, lint, lintFolder } from '../../lib/lint/lint.ts';
import type { Rule } from '../../lib/lint/reports/rule.ts';
import { RULES } from '../../lib/lint/rules/index.ts';
import { MISTAKES, type Mistake } from './mistakes.ts';

const idsOf = (findings: readonly Finding[]): string[] => findings.map(({ rule }) => rule);

/** The findings of a rule in a text without its mark, and the place of the mark. */
function findingsOf({ rule, text }: Mistake) {
  const source = text.replace('▸', '');
  const place = createSourceText(source).at(text.indexOf('▸'));
  return { source, place, found: lint(source).filter((one) => one.rule === rule) };
}

describe('a typical mistake', () => {
  test.each(MISTAKES)('is found at its place: $rule $text', (mistake) => {
    const { place, found } = findingsOf(mistake);
    const [finding] = found;
    expect({ count: found.length, line: finding?.line, column: finding?.column }).toEqual({ count: 1, ...place });
    if (mistake.hint !== undefined) expect(finding?.hint).toContain(mistake.hint);
  });

  test.each(MISTAKES.filter(({ mended }) => mended !== undefined))('is corrected: $rule $text', (mistake) => {
    const { source, found } = findingsOf(mistake);
    const { text } = applyMends(
      source,
      found.flatMap(({ mend }) => mend ?? []),
    );
    expect(text).toContain(mistake.mended);
  });

  const mended = MISTAKES.flatMap((mistake) => {
    const { source, found } = findingsOf(mistake);
    const [mend] = found.flatMap((one) => one.mend ?? []);
    return mend === undefined ? [] : [{ rule: mistake.rule, source, mend, text: applyMends(source, [mend]).text }];
  });

  test.each(mended)(
    'is no more found once the correction is applied, and the workflow compiles: $rule $mend.title',
    ({ text }) => {
      expect(idsOf(lint(text))).toEqual([]);
      expect(compile(text)).not.toHaveProperty('problems');
    },
  );

  test('has a correction that can be applied in at least 95 of 100 cases', () => {
    expect(mended.length / MISTAKES.length).toBeGreaterThanOrEqual(0.95);
  });

  test.each(MISTAKES.filter(({ right }) => right !== undefined))('is not found once corrected: $rule $right', (one) => {
    expect(idsOf(lint(one.right ?? ''))).toEqual([]);
  });

  test('is one of at least 60, of every rule that needs one workflow', () => {
    expect(MISTAKES.length).toBeGreaterThan(60);
    const rules = [...Object.keys(COMPILER_RULES), ...Object.keys(RULES)];
    const without = rules.filter((rule) => !MISTAKES.some((one) => one.rule === rule));
    expect(without).toEqual(['subflow-missing', 'subflow-recursion']);
  });
});

test('the allowed paths of a computed subflow are checked, and none of its calls is certain', () => {
  const calls = (fields: string) =>
    `functions:\n- {id: tool, type: subflow, workflow: jq(.t), ${fields}}\nstates:\n- {id: a, type: action, action: {function: tool}}\n`;
  const found = (fields: string) =>
    lintFolder(
      new Map([
        ['main', calls(fields)],
        ['tools/search', 'states:\n- {id: a, type: noop}\n'],
      ]),
    ).get('main') ?? [];
  expect(found('allowed: [main, tools/search, tools/*]')).toEqual([]);
  const [finding, ...others] = found('allowed: [tools/search, tools/serach]');
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ rule: 'subflow-missing', line: 2, hint: "did you mean '/tools/search'?" });
});

test('the attributes of the event of a webhook may be scripts, those of the event of another start may not', () => {
  const rulesOf = (type: string) =>
    idsOf(
      lint(
        `start: {type: ${type}, event: {type: paid, context: {order: jq(.body.id)}}}\nstates: [{id: a, type: noop}]\n`,
      ),
    );
  expect(rulesOf('webhook, verify: {github: KEY}')).toEqual([]);
  expect(rulesOf('event')).toEqual(['script-not-evaluated']);
});

describe('docs/lint.md', () => {
  test('is as in the rules (else: npm run docs)', () => {
    expect(readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8')).toBe(lintHandbook());
  });

  const rules: [string, Pick<Rule, 'wrong' | 'right'>][] = [
    ...Object.entries<CompilerRule>(COMPILER_RULES),
    ...Object.entries<Rule>(RULES),
  ];

  const inFolder = (text: string) =>
    lintFolder(
      new Map([
        ['main', text],
        ['pay', 'states: [{id: a, type: noop}]\n'],
      ]),
    ).get('main') ?? [];

  test.each(rules)('shows a mistake that the rule %s finds, and its correction', (id, { wrong, right }) => {
    expect(idsOf(inFolder(wrong))).toContain(id);
    expect(idsOf(inFolder(right)).filter((one) => one !== 'subflow-missing')).toEqual([]);
  });
});

test('the codes of errors are those of the engine', () => {
  expect(Object.keys(KIND_OF).filter((code) => !ENGINE_CODES.includes(code))).toEqual([]);
});
