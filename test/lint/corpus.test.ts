import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Finding, lint, lintFolder } from '../../lib/lint/lint.ts';

const found = (findings: readonly Finding[]): string[] =>
  findings.map(({ rule, line, message }) => `${rule} ${line}: ${message}`);

describe('lint finds nothing', () => {
  const examples = globSync('examples/**/*.yaml').filter((file) => !/^runs\.yaml$|\.test\.yaml$/.test(basename(file)));

  /** The path of a file in the tree: the other workflows of an example are in its folder `flows`. */
  const pathOf = (file: string): string => {
    const [, example = '', ...rest] = file.replace(/\.yaml$/, '').split('/');
    const path = rest.filter((part) => part !== 'flows').join('/');
    return path === 'workflow' ? example : path;
  };

  test.each([...Map.groupBy(examples, (file) => file.split('/')[1] ?? '')])('in the example %s', (_, files) => {
    const texts = new Map(files.map((file) => [pathOf(file), readFileSync(file, 'utf8')]));
    expect(found([...lintFolder(texts).values()].flat())).toEqual([]);
  });
});

/** The findings of lint in recorded workflows that are real mistakes. */
const TRUE_FINDINGS: readonly string[] = [
  'unreachable-state-is-fine: state-unreachable',
  'unused-function-is-fine: function-unused',
  'transform-scalar-fails: transform-not-object',
  'transform-list-fails: transform-not-object',
  'transform-bare-query-is-not-evaluated: query-without-script',
  'jq-literal-null-is-an-error: query-several-results',
  'jq-syntax-error: jq-syntax',
  'jq-unclosed-bracket: script-unclosed',
  'js-no-return-fails: js-without-result',
  'js-console-is-not-defined: js-without-result',
  'catch-regex-dotstar: state-unreachable',
  'catch-prefix-star: state-unreachable',
  'catch-anchored-regex: catch-without-cause',
  'catch-first-match-order: catch-without-cause',
  'catch-no-match-fails: catch-without-cause',
  'catch-no-match-fails: state-unreachable',
  'catch-is-case-sensitive: catch-without-cause',
  'catch-is-case-sensitive: state-unreachable',
  'getter-invalid-key-literal: variable-never-written',
  'thread-and-instance-scope-are-separate: variable-never-written',
  'events-xor-branch-without-transition-ends: state-unreachable',
  'event-start-with-start-state: state-unreachable',
  'tf-jq-array: transform-not-object',
  'tf-jq-empty: query-several-results',
  'tf-jq-syntax: jq-syntax',
  'switch-truth-obj: condition-constant',
  'switch-truth-strfalse: condition-constant',
  'error-args: message-arguments',
  'timeout-interrupt-catch: wait-outlives-timeout',
  'tf-js-loop: js-without-result',
  'get-missing: variable-never-written',
  'start-event-state: state-unreachable',
  'x-error-catch-own: catch-without-cause',
];

describe('the workflows whose outcome in the original is known', () => {
  const read = (name: string) => readFileSync(`test/conformance/${name}`, 'utf8');
  interface Recorded {
    readonly name: string;
    readonly yaml: string;
    readonly expect?: { readonly rejected?: boolean };
    readonly createStatus?: number;
    readonly children?: readonly { readonly path: string; readonly yaml: string }[];
  }
  const recorded: Recorded[] = [
    ...JSON.parse(read('workflows.json')),
    ...read('runs.jsonl')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  ];

  test('have no findings but true ones', () => {
    const stored = recorded.filter((one) => one.expect?.rejected !== true && (one.createStatus ?? 200) === 200);
    expect(stored.length).toBeGreaterThan(260);
    const findings = stored.flatMap(({ name, yaml, children = [] }) =>
      [yaml, ...children.map((child) => child.yaml)].flatMap((text) =>
        lint(text).map(({ rule }) => `${name}: ${rule}`),
      ),
    );
    expect(findings).toEqual(TRUE_FINDINGS);
  });
});
