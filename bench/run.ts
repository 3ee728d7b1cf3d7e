/**
 * `npm run bench`: counts the calls of each operation and compares them with bench/calls.json (`--update` writes the file),
 * then measures times, unless `--calls` is set.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { countCalls } from './calls.ts';
import { timeEvents } from './events.ts';
import { measureTimes, RUNS_FOR_MEMORY, RUNS_FOR_PAGES, type Times, type Timings } from './times.ts';

const GOLDEN = new URL('./calls.json', import.meta.url);

async function reportCalls(): Promise<void> {
  const counts = await countCalls();
  const text = `${JSON.stringify(counts, null, 2)}\n`;
  for (const [name, one] of Object.entries(counts)) {
    const calls = Object.entries(one.database).map(([call, times]) => `${times} ${call}`);
    console.log(`${name}: $${one.perMillion.toFixed(2)} a million`);
    console.log(`    ${calls.join(', ')}; ${one.readUnits} read and ${one.writeUnits} write units`);
    const { transitions, express, lambdas, events } = one;
    console.log(
      `    ${transitions} transitions, ${express} express executions, ${lambdas} Lambda calls, ${events} events`,
    );
  }
  if (process.argv.includes('--update')) writeFileSync(GOLDEN, text);
  else
    console.log(
      readFileSync(GOLDEN, 'utf8') === text ? 'equal to bench/calls.json' : 'DIFFERENT from bench/calls.json',
    );
}

const PER_SECOND = { 1: 'at 1 client', 8: 'at 8 clients' } as const;

/** A row: the rate at 1 and 8 clients, latency, processor time, and the ratios of the rates to a commit and a bare reply. */
function row(name: string, timings: Timings, { commit, bare }: Pick<Times, 'commit' | 'bare'>): string {
  const cells = ([1, 8] as const).flatMap((clients) => {
    const { perSecond, p50, p99, cpu } = timings[clients];
    const ratios = [commit, bare].map((other) => (perSecond / other[clients].perSecond).toFixed(2)).join(' / ');
    return [`${perSecond.toFixed(0)}/s`, `${p50.toFixed(2)} / ${p99.toFixed(1)}`, cpu.toFixed(2), ratios];
  });
  return `| ${[name, ...cells].join(' | ')} |`;
}

async function reportTimes(): Promise<void> {
  const times = await measureTimes();
  const { commit, bare, workloads, memory, pages, starts, load } = times;
  console.log(`load average during the measurement: ${load?.toFixed(2)}`);
  const columns = Object.values(PER_SECOND).flatMap((at) => [at, 'p50 / p99 ms', 'CPU ms', 'to commit / bare']);
  console.log(`| work | ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}`);
  console.log(row('one durable commit', commit, times));
  console.log(row('bare node:http reply', bare, times));
  for (const [name, timings] of workloads) console.log(row(name, timings, times));
  const [commits, replies] = [1000 / commit[1].perSecond, 1000 / bare[1].perSecond];
  const size = (name: string, ms: number) =>
    console.log(
      `${name}: ${ms.toFixed(1)} ms (${(ms / commits).toFixed(1)} commits, ${(ms / replies).toFixed(0)} replies)`,
    );
  for (const [name, ms] of pages) size(`a page of ${name} at ${RUNS_FOR_PAGES} runs`, ms);
  console.log(`memory after ${RUNS_FOR_MEMORY} runs: ${memory.toFixed(0)} MiB`);
  size('start to first answer', starts[0]);
  size(`start to first answer with ${RUNS_FOR_PAGES} runs`, starts[1]);
}

async function reportEvents(): Promise<void> {
  for (const { listeners, started, resumed } of await timeEvents([1, 1000, 10_000])) {
    const [startedText, resumedText] = [started, resumed].map(
      ([p50, p99]) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    );
    console.log(
      `an event with ${listeners} listeners of other types, to the end of the run that it starts: ${startedText}`,
    );
    console.log(`    to the end of the run that it resumes: ${resumedText}`);
  }
}

if (process.env['BENCH_ROWS'] === undefined) await reportCalls();
if (!process.argv.includes('--calls')) {
  await reportTimes();
  if (process.env['BENCH_ROWS'] === undefined) await reportEvents();
}
