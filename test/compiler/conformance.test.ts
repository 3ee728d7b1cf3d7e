import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';

const read = (name: string): string => readFileSync(new URL(`../conformance/${name}`, import.meta.url), 'utf8');
const lines = (name: string): unknown[] =>
  read(name)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

interface Case {
  readonly name: string;
  readonly yaml: string;
  readonly expect: { readonly rejected?: true };
  readonly children?: readonly { readonly path: string; readonly yaml: string }[];
}

/** Returns the message that a client gets when it stores the text; null for a valid workflow. */
function messageFor(source: string): string | null {
  const compiled = compile(source);
  return 'plan' in compiled ? null : (compiled.problems[0]?.message ?? '');
}

const cases = JSON.parse(read('workflows.json')) as Case[];
const rejected = cases.filter((each) => each.expect.rejected);
const accepted = cases.filter((each) => !each.expect.rejected);

describe('a workflow whose outcome in the original is known', () => {
  test.each(rejected.map((each) => [each.name, each.yaml]))(
    `is rejected (one of ${rejected.length}): %s`,
    (_, yaml) => {
      expect(messageFor(yaml)).not.toBeNull();
    },
  );

  test.each(accepted.map((each) => [each.name, each]))(`is accepted (one of ${accepted.length}): %s`, (_, each) => {
    expect([each.yaml, ...(each.children ?? []).map((child) => child.yaml)].map(messageFor).filter(Boolean)).toEqual(
      [],
    );
  });
});

interface Run {
  readonly name: string;
  readonly yaml: string;
  readonly createStatus?: number;
  readonly createBody?: string;
}

const runs = (lines('runs.jsonl') as Run[]).filter((run) => run.createStatus !== undefined);

describe('a workflow that the original server ran', () => {
  test.each(runs.map((run) => [run.name, run]))(
    `is stored or rejected as there (one of ${runs.length}): %s`,
    (_, run) => {
      const recorded = run.createStatus === 200 ? null : JSON.parse(run.createBody ?? '').message;
      expect(messageFor(run.yaml)).toBe(recorded);
    },
  );
});

interface Exchange {
  readonly label: string;
  readonly reqBody: string | null;
  readonly status: number;
  readonly resBody: string;
}

const exchanges = (lines('http.jsonl') as Exchange[]).filter(({ label }) => /^wf-(create-bad|update)/.test(label));

describe('a text that was sent to the original server', () => {
  test.each(exchanges.map((each) => [each.label, each]))(
    `has the same message (one of ${exchanges.length}): %s`,
    (_, each) => {
      const recorded = each.status === 406 ? JSON.parse(each.resBody).message : null;
      expect(messageFor(each.reqBody ?? '')).toBe(recorded);
    },
  );
});
