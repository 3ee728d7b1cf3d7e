/**
 * `npm run bench`: counts the calls of each operation and compares them with bench/calls.json, then measures times.
 * `--lint` alone measures the lint of workflow texts, which needs no service.
 * `--against FOLDER` measures the times of another checkout and of this one in turn, and prints the ratio of their rates.
 * `--peers dbos,restate` measures Weft and other engines for durable workflows in turn, see bench/peers.
 * `--calls` or `--times` alone do one of both; with `--update` the calls are written into bench/calls.json, the times into
 * docs/performance.md, the peers' figures into docs/performance.md and README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { countCalls } from './calls.ts';
import { compareTimes } from './comparison.ts';
import { timeEvents } from './events.ts';
import { LINES, timeLint, WORKFLOWS } from './lint.ts';
import { comparePeers } from './peers/measure.ts';
import { peersIn } from './peers/options.ts';
import * as peerReport from './peers/report.ts';
import { PEERS, type Peer } from './peers/systems.ts';
import { reportOf } from './report.ts';
import { measureTimes } from './times.ts';

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

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);
const README = new URL('../README.md', import.meta.url);
const REPORT = /(?<=<!-- Written by `npm run bench -- --times --update`. -->\n\n).*?(?=\n\n<!-- End -->)/s;
const PEERS_REPORT =
  /(?<=<!-- Written by `npm run bench -- --peers dbos,restate --update`. -->\n\n).*?(?=\n\n<!-- End -->)/s;
const PEERS_SUMMARY = /^Locally, with all defaults, .*$/m;

function replaceIn(file: URL, place: RegExp, text: string): void {
  const before = readFileSync(file, 'utf8');
  if (!place.test(before)) throw new Error(`${file.pathname} has no place for the figures`);
  writeFileSync(
    file,
    before.replace(place, () => text),
  );
}

async function reportTimes(): Promise<void> {
  const times = await measureTimes();
  const report = reportOf(times);
  console.log(report);
  if (!process.argv.includes('--update')) return;
  replaceIn(DOCUMENT, REPORT, report);
}

async function reportPeers(peers: readonly Peer[]): Promise<void> {
  const isUpdate = process.argv.includes('--update');
  if (isUpdate && peers.length < PEERS.length) throw new Error(`--update needs all peers: --peers ${PEERS.join(',')}`);
  const comparison = await comparePeers(peers);
  const report = await peerReport.reportOf(comparison);
  console.log(report);
  if (!isUpdate) return;
  replaceIn(DOCUMENT, PEERS_REPORT, report);
  replaceIn(README, PEERS_SUMMARY, peerReport.summaryOf(comparison));
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

function reportLint(): void {
  const { folder, keystroke, parse } = timeLint();
  console.log(`lint of ${WORKFLOWS} workflows, cold: ${folder.toFixed(0)} ms`);
  console.log(
    `a keystroke at ${LINES} lines: ${keystroke.toFixed(1)} ms, ${(keystroke / parse).toFixed(1)} times parsing alone (${parse.toFixed(1)} ms)`,
  );
}

async function reportComparison(checkout: string): Promise<void> {
  for (const [name, { before, after }] of await compareTimes(checkout)) {
    const parts = ([1, 8] as const).map((clients) => {
      const [from, to] = [before[clients].perSecond, after[clients].perSecond];
      return `${clients} clients ${from.toFixed(0)} -> ${to.toFixed(0)} a second, ${(to / from).toFixed(2)}x, processor time ${(after[clients].cpu / before[clients].cpu).toFixed(2)}x`;
    });
    console.log(`${name}: ${parts.join('; ')}`);
  }
}

const [onlyCalls, onlyTimes, onlyLint] = ['--calls', '--times', '--lint'].map((flag) => process.argv.includes(flag));
if (onlyLint) {
  reportLint();
  process.exit();
}
const against = process.argv.indexOf('--against');
if (against > 0) {
  const checkout = process.argv[against + 1];
  if (checkout === undefined) throw new Error('--against needs the folder of a checkout');
  await reportComparison(checkout);
  process.exit();
}
const peers = peersIn(process.argv);
if (peers !== undefined) {
  await reportPeers(peers);
  process.exit();
}
const areRowsSelected = process.env['BENCH_ROWS'] !== undefined;
if (areRowsSelected && process.argv.includes('--update')) throw new Error('--update needs all rows: unset BENCH_ROWS');
if (!onlyTimes && !areRowsSelected) await reportCalls();
if (!onlyCalls) await reportTimes();
if (!onlyCalls && !onlyTimes && !areRowsSelected) {
  reportLint();
  await reportEvents();
}
