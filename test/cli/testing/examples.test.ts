import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { main } from '../../../bin/cli/program.ts';
import { IS_FULL } from '../../effort.ts';

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** The examples with tests beside them. */
const tested = readdirSync(folder).filter((name) => existsSync(`${folder}${name}/workflow.test.yaml`));
/** These have events, waits, retries, containers, variables and subflows in few states; with full effort all are tried. */
const QUICK = [
  'approval-by-event',
  'audit-trail',
  'call-deadline',
  'fastest-mirror',
  'nightly-report',
  'order-payment',
  'request-trace',
  'saga-handlers',
  'third-time-lucky',
  'visit-counter',
];
const disturbed = IS_FULL ? tested.filter((name, at) => at % 5 === 0 || QUICK.includes(name)) : QUICK;

async function weft(args: readonly string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const code = await main(args, {
    env: {},
    cwd: folder,
    input: process.stdin,
    isInteractive: false,
    hasColour: false,
    signal: new AbortController().signal,
    print: async (chunk) => {
      out += Buffer.from(chunk as Uint8Array).toString();
    },
    printStatus: (line) => {
      out += `${line}\n`;
    },
    ask: async () => '',
  });
  return { code, out };
}

describe('the examples', () => {
  test('have tests, which pass', async () => {
    const { code, out } = await weft(['test', '.']);
    expect({ code, failed: out.split('\n').filter((line) => line.includes('✗')) }).toEqual({ code: 0, failed: [] });
    expect(tested.length).toBeGreaterThanOrEqual(33);
  });

  test('repetition does them no harm', async () => {
    const { code, out } = await weft(['test', ...disturbed, '--crash', 'every-step', '--events', 'dup,reorder']);
    expect({ code, harms: out.split('\n').filter((line) => /harm|✗/.test(line)) }).toEqual({ code: 0, harms: [] });
    const crashes = [...out.matchAll(/(\d+) crashes\n/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(crashes).toBeGreaterThan(100);
  });
});
