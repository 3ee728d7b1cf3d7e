import { afterAll, describe, expect, test } from 'vitest';
import { threadedReader } from '../../../../lib/adapters/local/texts/threads.ts';
import { compile } from '../../../../lib/compiler/compile.ts';
import { ServiceError } from '../../../../lib/domain/errors.ts';
import { compileText, MAX_INLINE } from '../../../../lib/domain/tree/reading.ts';
import { findingsOf } from '../../../../lib/lint/findings.ts';
import type { Processor } from '../../../../lib/ports/processor.ts';
import { pricedRuns } from '../../../../lib/pricing/reply.ts';

const TEXT = 'states:\n- id: a\n  type: delay\n  duration: P2D\n  transition: b\n- {id: b, type: noop}\n';
const LONG = `states:\n${Array.from({ length: 9000 }, (_, at) => `- {id: s${at}, type: noop}\n`).join('')}`;
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
    const result = await hasty.read('a', LONG, { as: 'findings' });
    expect(result).toEqual({ error: 'the workflow cannot be checked: timeout after 0.001 s' });
    expect(await read('a', WRONG, { as: 'plan' })).toEqual(compile(WRONG));
  });
});

describe('a text of a workflow', () => {
  const large = `${TEXT}# ${'x'.repeat(MAX_INLINE)}\n`;

  test('is refused with a correction if it takes too long', async () => {
    await expect(compileText({ reader: hasty }, { tenant: 'a', source: LONG })).rejects.toThrow(
      new ServiceError(
        'invalid',
        'the workflow cannot be checked: timeout after 0.001 s; move parts of it into subflows',
      ),
    );
  });

  test.each([
    ['a large text', large],
    ['a text with an anchor, which may repeat a part of it', TEXT.replace('P2D', '&x P2D')],
  ])('is read in a thread: %s', async (_, source) => {
    const closed = threadedReader();
    await closed.close();
    await expect(compileText({ reader: closed }, { tenant: 'a', source })).rejects.toThrow('the sandbox is closed');
    expect(await compileText({ reader }, { tenant: 'a', source })).toEqual(compile(source));
  });

  test('has its plan parsed in a turn for large data, if the plan is large', async () => {
    const turns: string[] = [];
    const processor = { takeLargeTurn: async (tenant: string) => void turns.push(tenant) } as unknown as Processor;
    await compileText({ reader, processor }, { tenant: 'a', source: large });
    expect(turns).toEqual([]);
    await compileText({ reader, processor }, { tenant: 'b', source: LONG });
    expect(turns).toEqual(['b']);
  });

  test('is read at once if it is small, or where no threads are', async () => {
    expect(await compileText({ reader: hasty }, { tenant: 'a', source: TEXT })).toEqual(compile(TEXT));
    expect(await compileText({}, { tenant: 'a', source: large })).toEqual(compile(large));
  });
});
