/**
 * `npm run bench`: counts the calls of each operation and compares them with bench/calls.json (`--update` writes the file),
 * then measures times, unless `--calls` is set.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { countCalls } from './calls.ts';
import { timeEvents } from './events.ts';
import { measureTimes, type Timing } from './times.ts';

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

const format = ({ perSecond, p50, p99 }: Timing): string =>
  `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;

async function reportTimes(): Promise<void> {
  const { baseline, write, wait, load } = await measureTimes();
  console.log(`load average before the measurement of the service: ${load?.toFixed(2)}`);
  for (const clients of [1, 8] as const) {
    console.log(`${clients} client(s)`);
    console.log(`  node:http, same reply    ${format(baseline[clients])}`);
    console.log(`  one write on disk        ${format(write[clients])}`);
    console.log(`  op=wait on a noop        ${format(wait[clients])}`);
    console.log(
      `  one wait takes the time of ${(write[clients].perSecond / wait[clients].perSecond).toFixed(2)} writes`,
    );
  }
  const ratio = (wait.memory / baseline.memory).toFixed(2);
  console.log(
    `memory: ${wait.memory.toFixed(0)} MiB, ${ratio} times the ${baseline.memory.toFixed(0)} MiB of the node:http server`,
  );
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

await reportCalls();
if (!process.argv.includes('--calls')) {
  await reportTimes();
  await reportEvents();
}
