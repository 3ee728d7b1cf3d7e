import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { createSandbox, type Sandbox } from '../../../lib/language/sandbox/sandbox.ts';

let sandbox: Sandbox;
afterEach(() => sandbox.close());

/** The place of the priority behind the name of the thread, which is in parentheses and may contain spaces. */
const NICE_AT = 16;

/** How many threads of this process have a lower priority than the process. */
function loweredThreads(): number {
  const priorities = readdirSync('/proc/self/task').flatMap((id) => {
    const stat = statOf(id);
    return stat === undefined ? [] : [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[NICE_AT])];
  });
  return priorities.filter((priority) => priority > getPriority()).length;
}

/** Undefined for a thread that has ended since it was listed. */
function statOf(thread: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

describe.runIf(process.platform === 'linux')('the priority of a thread', () => {
  test('is lower while its script takes long, and that of no thread afterwards', async () => {
    sandbox = createSandbox();
    expect(loweredThreads()).toBe(0);
    const script = sandbox.evaluate('js', 'const end = Date.now() + 3000; while (Date.now() < end); return {n: 1}', {});
    await expect.poll(loweredThreads, { timeout: 10_000 }).toBe(1);
    expect(await script).toEqual({ n: 1 });
    expect(loweredThreads()).toBe(0);
    expect(await sandbox.evaluate('js', 'return {n: 2}', {})).toEqual({ n: 2 });
    expect(loweredThreads()).toBe(0);
  });

  test('is lower while a validation takes long, until the thread is ended at the deadline', async () => {
    sandbox = createSandbox({ deadlineMs: 3000 });
    const list = { $ref: '#/definitions/list' };
    const definitions = { list: { type: 'array', allOf: [{ items: list }, { items: list }] } };
    const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`);
    const validated = sandbox.violations({ definitions, ...list }, deep).catch((error: Error) => error.message);
    await expect.poll(loweredThreads, { timeout: 10_000 }).toBe(1);
    expect(await validated).toContain('timeout after 3 s');
    expect(loweredThreads()).toBe(0);
  });
});
