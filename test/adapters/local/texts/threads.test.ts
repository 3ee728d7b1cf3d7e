import { afterAll, describe, expect, test } from 'vitest';
import { threadedReader } from '../../../../lib/adapters/local/texts/threads.ts';
import { compile } from '../../../../lib/compiler/compile.ts';
import { findingsOf } from '../../../../lib/lint/findings.ts';
import { pricedRuns } from '../../../../lib/pricing/reply.ts';

const TEXT = 'states:\n- id: a\n  type: delay\n  duration: P2D\n  transition: b\n- {id: b, type: noop}\n';
const WRONG = 'states:\n- {id: a, type: nop}\n';

const readers = [threadedReader(), threadedReader({ deadlineMs: 1 })] as const;
const [reader, hasty] = readers;
afterAll(() => Promise.all(readers.map((one) => one.close())));

const read = async (...args: Parameters<typeof reader.read>): Promise<unknown> => {
  const result = await reader.read(...args);
  return 'text' in result ? JSON.parse(result.text) : result;
};

describe('a text that is read in a thread', () => {
  test('has the same plan, problems, findings and prices', async () => {
    const { plan } = compile(TEXT) as Extract<ReturnType<typeof compile>, { plan: unknown }>;
    expect(await read('a', TEXT, { as: 'plan' })).toEqual({ plan });
    expect(await read('a', WRONG, { as: 'plan' })).toEqual(compile(WRONG));
    expect(await read('a', TEXT, { as: 'findings' })).toEqual(findingsOf(TEXT));
    expect(await read('a', TEXT, { as: 'prices', items: 10 })).toEqual(pricedRuns(plan, 10));
    expect(await read('a', WRONG, { as: 'prices', items: 10 })).toEqual([]);
  });

  test('fails when it takes longer than the deadline, and the next one is read', async () => {
    const states = Array.from({ length: 9000 }, (_, at) => `- {id: s${at}, type: noop}\n`).join('');
    const result = await hasty.read('a', `states:\n${states}`, { as: 'findings' });
    expect(result).toEqual({ error: 'the workflow cannot be checked: timeout after 0.001 s' });
    expect(await read('a', WRONG, { as: 'plan' })).toEqual(compile(WRONG));
  });
});
