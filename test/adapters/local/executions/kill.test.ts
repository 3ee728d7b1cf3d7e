import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Line {
  readonly resumed?: number;
  readonly started?: string;
  readonly effect?: Effect;
  readonly endings?: Record<string, { status: string; output: unknown }>;
}

interface Effect {
  readonly name: string;
  readonly round: number;
}

const SCRIPT = fileURLToPath(new URL('process.ts', import.meta.url));
const COUNT = 50;
const ROUNDS = 4;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'executions-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Starts a process and kills it with SIGKILL at the line for which `isEnough` is true. */
async function live(isEnough: (line: Line) => boolean, mode = 'asking'): Promise<Line[]> {
  const child = spawn(process.execPath, [SCRIPT, folder, String(COUNT), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: Line[] = [];
  for await (const text of createInterface(child.stdout)) {
    if (child.killed) continue;
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (isEnough(line)) child.kill('SIGKILL');
  }
  await exit;
  return lines;
}

function after(count: number, what: (line: Line) => boolean): (line: Line) => boolean {
  let seen = 0;
  return (line) => what(line) && ++seen === count;
}

test('no execution is lost and no step is skipped when the process is killed again and again', async () => {
  const isStart = (line: Line): boolean => line.started !== undefined;
  const isEffect = (line: Line): boolean => line.effect !== undefined;
  const lives = [
    await live(after(20, isStart)),
    await live(after(60, isEffect)),
    await live(after(60, isEffect)),
    await live(() => false, 'answering'),
  ];
  expect(lives[0]?.[0]).toEqual({ resumed: 0 });
  for (const [index, lines] of lives.slice(1).entries()) {
    const promised = lives[index]?.filter(isStart).length;
    expect(lines[0]?.resumed).toBeGreaterThanOrEqual(promised ?? COUNT);
  }

  const endings = lives.at(-1)?.at(-1)?.endings ?? {};
  expect(Object.values(endings)).toHaveLength(COUNT);
  for (const ending of Object.values(endings))
    expect(ending).toMatchObject({ status: 'SUCCEEDED', output: 'answered' });

  const calls = new Map<string, number>();
  for (const text of readFileSync(join(folder, 'effects.jsonl'), 'utf8').trim().split('\n')) {
    calls.set(text, (calls.get(text) ?? 0) + 1);
  }
  expect(calls.size).toBe(COUNT * ROUNDS);
  // A call is repeated only if its process died before the result was stored.
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(lives.length);
});
