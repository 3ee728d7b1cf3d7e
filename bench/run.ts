import { readFileSync, writeFileSync } from 'node:fs';
import { countCalls } from './calls.ts';
import { timeEvents } from './events.ts';
import { measureTimes, type Timing } from './times.ts';

/**
 * `npm run bench`: what operations cost (compared with bench/calls.json, written anew with --update) and how long
 * op=wait takes beside a bare server and a bare database write in the same minute.
 */
const GOLDEN = new URL('./calls.json', import.meta.url);

async function reportCalls(): Promise<void> {
  const counts = await countCalls();
  const text = `${JSON.stringify(counts, null, 2)}\n`;
  for (const [
    name,
    { database, readUnits, writeUnits, transitions, express, lambdas, events, perMillion },
  ] of Object.entries(counts)) {
    const calls = Object.entries(database).map(([call, times]) => `${times} ${call}`);
    console.log(`${name}: $${perMillion.toFixed(2)} a million`);
    console.log(`    ${calls.join(', ')}; ${readUnits} read and ${writeUnits} write units`);
    console.log(
      `    ${transitions} transitions, ${express} express executions, ${lambdas} Lambda calls, ${events} events`,
    );
  }
  if (process.argv.includes('--update')) writeFileSync(GOLDEN, text);
  else console.log(readFileSync(GOLDEN, 'utf8') === text ? 'as in bench/calls.json' : 'DIFFERS from bench/calls.json');
}

const show = ({ perSecond, p50, p99 }: Timing): string =>
  `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;

async function reportTimes(): Promise<void> {
  const { baseline, write, wait, load } = await measureTimes();
  console.log(`load of the machine before the service ran: ${load?.toFixed(2)}`);
  for (const clients of [1, 8] as const) {
    console.log(`${clients} client(s)`);
    console.log(`  node:http, same bytes    ${show(baseline[clients])}`);
    console.log(`  one write, on disk       ${show(write[clients])}`);
    console.log(`  op=wait on a noop        ${show(wait[clients])}`);
    console.log(`  a wait costs ${(write[clients].perSecond / wait[clients].perSecond).toFixed(2)} writes`);
  }
  const ratio = (wait.memory / baseline.memory).toFixed(2);
  console.log(
    `memory: ${wait.memory.toFixed(0)} MiB, ${ratio} times the bare server's ${baseline.memory.toFixed(0)} MiB`,
  );
}

async function reportEvents(): Promise<void> {
  for (const { listeners, started, woken } of await timeEvents([1, 1000, 10_000])) {
    const [startedText, wokenText] = [started, woken].map(
      ([p50, p99]) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    );
    console.log(`an event among ${listeners} listeners of other types: to a run's end by start ${startedText}`);
    console.log(`    to a waiting run's end ${wokenText}`);
  }
}

await reportCalls();
if (!process.argv.includes('--calls')) {
  await reportTimes();
  await reportEvents();
}
