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
  readonly accepted?: string;
  readonly taken?: string;
  readonly ended?: true;
}

const SCRIPT = fileURLToPath(new URL('bus-process.ts', import.meta.url));
const COUNT = 60;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bus-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Starts a process that publishes from a number on, and kills it with SIGKILL at the given line among those that
 * `counts` accepts.
 */
async function live(first: number, killAt: number, counts: (line: Line) => boolean, count = COUNT): Promise<Line[]> {
  const child = spawn(process.execPath, [SCRIPT, folder, String(first), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: Line[] = [];
  for await (const text of createInterface(child.stdout)) {
    if (child.killed) continue;
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (lines.filter(counts).length === killAt) child.kill('SIGKILL');
  }
  await exit;
  return lines;
}

test('no accepted message is lost when the process is killed again and again', async () => {
  const isAccepted = (line: Line): boolean => line.accepted !== undefined;
  const isTaken = (line: Line): boolean => line.taken !== undefined;
  const lives = [
    await live(0, 10, isAccepted),
    await live(COUNT, 5, isTaken),
    await live(2 * COUNT, 40, isAccepted),
    await live(3 * COUNT, Number.POSITIVE_INFINITY, isTaken, 0),
  ];
  expect(lives.at(-1)?.at(-1)).toEqual({ ended: true });
  expect(lives.slice(1).some(([line]) => (line?.resumed ?? 0) > 0)).toBe(true);
  const accepted = lives.flat().flatMap(({ accepted: id }) => id ?? []);
  expect(accepted.length).toBeGreaterThanOrEqual(50);
  const taken = new Set(readFileSync(join(folder, 'taken.txt'), 'utf8').trim().split('\n'));
  expect(accepted.filter((id) => !taken.has(id))).toEqual([]);
});
