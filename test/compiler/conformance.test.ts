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

/** What a client is told when it stores the text: null when it is a workflow. */
function refusal(source: string): string | null {
  const compiled = compile(source);
  return 'plan' in compiled ? null : (compiled.problems[0]?.message ?? '');
}

const cases = JSON.parse(read('workflows.json')) as Case[];
const rejected = cases.filter((each) => each.expect.rejected);
const accepted = cases.filter((each) => !each.expect.rejected);

describe('the workflows whose outcome in the original is known', () => {
  test.each(rejected.map((each) => [each.name, each.yaml]))(`one of ${rejected.length} is refused: %s`, (_, yaml) => {
    expect(refusal(yaml)).not.toBeNull();
  });

  test.each(accepted.map((each) => [each.name, each]))(`one of ${accepted.length} is accepted: %s`, (_, each) => {
    expect([each.yaml, ...(each.children ?? []).map((child) => child.yaml)].map(refusal).filter(Boolean)).toEqual([]);
  });
});

interface Run {
  readonly name: string;
  readonly yaml: string;
  readonly createStatus?: number;
  readonly createBody?: string;
}

const runs = (lines('runs.jsonl') as Run[]).filter((run) => run.createStatus !== undefined);

describe('the workflows that the original server ran', () => {
  test.each(runs.map((run) => [run.name, run]))(`one of ${runs.length} is stored or refused alike: %s`, (_, run) => {
    const told = run.createStatus === 200 ? null : JSON.parse(run.createBody ?? '').message;
    expect(refusal(run.yaml)).toBe(told);
  });
});

interface Exchange {
  readonly label: string;
  readonly reqBody: string | null;
  readonly status: number;
  readonly resBody: string;
}

const exchanges = (lines('http.jsonl') as Exchange[]).filter(({ label }) => /^wf-(create-bad|update)/.test(label));

describe('the texts that the original server was sent', () => {
  test.each(exchanges.map((each) => [each.label, each]))(
    `one of ${exchanges.length} is answered alike: %s`,
    (_, each) => {
      const told = each.status === 406 ? JSON.parse(each.resBody).message : null;
      expect(refusal(each.reqBody ?? '')).toBe(told);
    },
  );
});
