import { describe, expect, test } from 'vitest';
import type { Sample } from '../../bench/peers/load.ts';
import type { Comparison, Measured } from '../../bench/peers/measure.ts';
import { peersIn } from '../../bench/peers/options.ts';
import { ratioTo, reportOf, summaryOf } from '../../bench/peers/report.ts';
import { CLIENTS, ROW_NAMES } from '../../bench/peers/rows.ts';

/** A system with these figures in each row, one a round, and so many failures in each sample. */
function measured(figures: readonly number[], failed = 0): Measured {
  const samples = figures.map((figure): Sample => ({ figure, failed, cpu: figure / 100 }));
  const row = Object.fromEntries(CLIENTS.map((clients) => [clients, samples]));
  const rows = Object.fromEntries(ROW_NAMES.map((name) => [name, row])) as Measured['rows'];
  return { rows, memory: [...figures] };
}

const comparisonOf = (weft: Measured, restate: Measured, load = 0): Comparison => ({
  systems: new Map([
    ['weft', weft],
    ['restate', restate],
  ]),
  rounds: 3,
  load,
});

describe('the option --peers', () => {
  test('names peers, in the order of the table', () => {
    expect(peersIn(['node', 'run.ts', '--peers', 'restate,dbos'])).toEqual(['dbos', 'restate']);
    expect(peersIn(['node', 'run.ts', '--peers', 'restate', '--update'])).toEqual(['restate']);
    expect(peersIn(['node', 'run.ts', '--times'])).toBeUndefined();
  });

  test.each([[['--peers']], [['--peers', '--update']], [['--peers', 'dbos,temporal']]])('refuses %j', (args) => {
    expect(() => peersIn(args)).toThrow('--peers needs names of dbos, restate, separated by commas');
  });
});

describe('the table of the peers', () => {
  const comparison = comparisonOf(measured([90, 300, 100]), measured([50, 40, 1], 2));

  test('has ratios of the medians: of rates to the peer, of times to Weft', () => {
    expect(ratioTo(comparison, 'restate', 'one', 8)).toBe(2.5);
    expect(ratioTo(comparison, 'restate', 'signal', 8)).toBe(0.4);
  });

  test('has figures, ratios, failures of all rounds and memory', async () => {
    const report = await reportOf(comparison);
    expect(report).toContain('3 rounds, of which the medians count');
    expect(report).toContain('| work | Weft | Restate | Weft better than Restate, times |');
    expect(report).toContain(
      '| start one step, wait | 100 / 100 / 100 | 40 (6 failed) / 40 (6 failed) / 40 (6 failed) | 2.5 / 2.5 / 2.5 |',
    );
    expect(report).toContain('| memory at the end, MiB | 100 | 40 | 0.4 |');
    expect(report).toContain('| fan-out over 20 children | 1 / 1 / 1 | 0.4 / 0.4 / 0.4 |');
    expect(report).not.toContain('first impression');
  });

  test('says when other programs used the machine', async () => {
    expect(await reportOf(comparisonOf(measured([1]), measured([1]), 1000))).toContain('first impression');
  });

  test('gives the README the ratios at 8 clients', () => {
    expect(summaryOf(comparison)).toMatch(
      /^Locally, with all defaults, .*that of Restate: one step 2\.5, ten steps with a commit each 2\.5, a fan-out over 20 children 2\.5 \(/,
    );
  });
});
