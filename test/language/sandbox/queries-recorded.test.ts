import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { isObject } from '../../../lib/language/json.ts';
import { evaluateQuery } from '../../../lib/language/sandbox/queries.ts';
import { createSandbox } from '../../../lib/language/sandbox/sandbox.ts';

const conformance = join(import.meta.dirname, '../../conformance');

/** The recorded outcome of a workflow with one noop state: the result of its transform in the original. */
interface Recording {
  readonly name: string;
  readonly transform: unknown;
  readonly data: unknown;
  readonly output?: unknown;
  /** The error code, or the whole message where it was recorded. */
  readonly error?: string;
}

interface Case {
  readonly name: string;
  readonly yaml: string;
  readonly input?: unknown;
  readonly rawInput?: string;
  readonly expect: { readonly status?: string; readonly output?: unknown; readonly errorCode?: string };
}

interface Run {
  readonly name: string;
  readonly yaml: string;
  readonly input: unknown;
  readonly status: string | null;
  readonly output: string | null;
  readonly errorMessage?: string;
}

/** Returns the transform of a workflow that has no other field. */
function soleTransform(yaml: string): unknown {
  const document: unknown = load(yaml);
  const states = isObject(document) && Object.keys(document).length === 1 ? document.states : [];
  const [state, second] = Array.isArray(states) ? (states as unknown[]) : [];
  if (second !== undefined || !isObject(state) || state.type !== 'noop') return undefined;
  return Object.keys(state).sort().join() === 'id,transform,type' ? state.transform : undefined;
}

function toData(input: unknown): unknown {
  return isObject(input) ? input : { input };
}

const cases = JSON.parse(readFileSync(join(conformance, 'workflows.json'), 'utf8')) as Case[];
const runs = readFileSync(join(conformance, 'runs.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Run);

const recordings: readonly Recording[] = [
  ...cases
    .filter((one) => one.rawInput === undefined && 'status' in one.expect)
    .map(({ name, yaml, input, expect: { output, errorCode } }) => ({
      name,
      transform: soleTransform(yaml),
      data: toData(input),
      output,
      error: errorCode ?? '',
    })),
  ...runs
    .filter((one) => one.status === 'complete' || one.errorMessage?.includes('evaluate jq/js'))
    .map(({ name, yaml, input, output, errorMessage }) => ({
      name,
      transform: soleTransform(yaml),
      data: toData(typeof input === 'string' ? JSON.parse(input) : input),
      output: output ? JSON.parse(output) : undefined,
      error: errorMessage ?? '',
    })),
].filter(({ transform }) => typeof transform === 'object' || (typeof transform === 'string' && transform !== ''));

const isBadCommand = ({ error = '' }: Recording) => /jq\.badCommand|evaluate jq\/js/.test(error);
const succeeded = recordings.filter(({ error, output }) => error === '' && output !== undefined);
const failed = recordings.filter(isBadCommand);

describe('a transform recorded from the original', () => {
  const sandbox = createSandbox();
  afterAll(() => sandbox.close());

  test('is recorded for more than 42 workflows', () => {
    expect(succeeded.length).toBeGreaterThan(30);
    expect(failed.length).toBeGreaterThan(12);
  });

  test.each(succeeded)('has the same result: $name', async ({ transform, data, output }) => {
    expect(await evaluateQuery(transform, data, sandbox)).toEqual(output);
  });

  test.each(failed)('fails with the same message: $name', async ({ transform, data, error = '' }) => {
    const message = await evaluateQuery(transform, data, sandbox).then(String, (reason: Error) => reason.message);
    // The position of a thrown text, ` at fn (<eval>:2:2(2))`, has the form of the original's engine.
    const words = error.split('failed to evaluate jq/js: ')[1]?.replace(/ at fn \(<eval>.*$/, '');
    expect(message).toContain(words ?? 'quer');
  });
});
