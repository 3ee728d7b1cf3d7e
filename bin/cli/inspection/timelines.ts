import { toPrettyJson } from '../../../lib/language/json.ts';
import { textOf } from '../../../lib/language/own-members.ts';
import { at, listAt, statusOf, textAt, textsAt } from '../client/replies.ts';
import { paint, type Terminal } from '../shell/terminal.ts';

const BAR_WIDTH = 30;

/** A duration in words: `12 ms`, `3.4 s`, `5 min 3 s`, `2 h 10 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const timeAt = (step: unknown, name: string): number => Date.parse(textAt(step, name));

/** The bar of a step: its place and length within the time of the run. */
function barOf(step: unknown, from: number, to: number): string {
  const scale = BAR_WIDTH / Math.max(to - from, 1);
  const begin = Math.min(Math.floor((timeAt(step, 'entered') - from) * scale), BAR_WIDTH - 1);
  const left = Number.isNaN(timeAt(step, 'left')) ? to : timeAt(step, 'left');
  const length = Math.max(Math.round((left - timeAt(step, 'entered')) * scale), 1);
  return `${' '.repeat(begin)}${'█'.repeat(Math.min(length, BAR_WIDTH - begin))}`.padEnd(BAR_WIDTH);
}

/** The explanation of a failure as lines: place, expression, the value that it saw, hints, patterns of catch. */
export function failureLines(error: unknown): string[] {
  const lines: string[] = [];
  const line = textAt(error, 'at', 'line');
  const file = textAt(error, 'at', 'file');
  const place = file === '' ? 'of the workflow' : `of ${file}`;
  if (line !== '') lines.push(`at line ${line}, column ${textAt(error, 'at', 'column')} ${place}`);
  const expression = textAt(error, 'expression');
  if (expression !== '') lines.push(`expression: ${expression}`);
  const type = textAt(error, 'saw', 'type');
  if (type !== '') lines.push(`it saw ${type}: ${textAt(error, 'saw', 'sample')}`);
  lines.push(...textsAt(error, 'near'));
  const patterns = textsAt(error, 'unmatched').map((pattern) => `'${pattern}'`);
  if (patterns.length > 0) lines.push(`no pattern of catch matches the code: ${patterns.join(', ')}`);
  return lines;
}

/** The request of a call of a native function: `GET https://api.test/orders 200 in 80ms`; empty for another call. */
function sentText(call: unknown): string {
  const [to, status, ms] = [textAt(call, 'to'), textAt(call, 'status'), textAt(call, 'ms')];
  if (to === '') return '';
  return [to, status, ms === '' ? '' : `in ${durationText(Number(ms))},`].filter((text) => text !== '').join(' ');
}

function linesBelow(step: unknown, terminal: Terminal): string[] {
  const lines: string[] = [];
  const code = textAt(step, 'error', 'code');
  if (code !== '') lines.push(paint(terminal, 'red', `${code}: ${textAt(step, 'error', 'message')}`));
  lines.push(...failureLines(at(step, 'error')));
  const calls = listAt(step, 'calls');
  for (const call of calls) {
    const failure = textAt(call, 'error', 'code');
    const retry = textAt(call, 'retryInMs');
    const unawaited = at(call, 'unawaited') === true ? ', for which nothing waited' : '';
    const next = retry === '' ? '' : `, next attempt after ${durationText(Number(retry))}`;
    const returned = at(call, 'reused') === true ? 'returned before, not repeated' : 'returned';
    const outcome = failure === '' ? returned : `${failure}: ${textAt(call, 'error', 'message')}${next}${unawaited}`;
    const queued = textAt(call, 'queuedMs');
    const waited = queued === '' ? '' : `queued for ${durationText(Number(queued))},`;
    const made = [waited, sentText(call), outcome].filter((text) => text !== '').join(' ');
    lines.push(`call ${textAt(call, 'call')}, attempt ${textAt(call, 'attempt')}: ${textAt(call, 'instance')} ${made}`);
  }
  const count = Number(textAt(step, 'callCount') || 0);
  if (count > calls.length) lines.push(`and ${count - calls.length} further calls`);
  const events = listAt(step, 'events');
  if (events.length > 0) lines.push(`took ${events.map((id) => `event ${textOf(id)}`).join(', ')}`);
  return lines;
}

/** The time of a run, and the widths of the columns of its steps. */
interface Scale {
  readonly from: number;
  readonly to: number;
  readonly nWidth: number;
  readonly stateWidth: number;
}

function stepLines(step: unknown, { from, to, nWidth, stateWidth }: Scale, terminal: Terminal): string[] {
  const left = timeAt(step, 'left');
  const ms = Number.isNaN(left) ? 'open' : durationText(left - timeAt(step, 'entered'));
  const why = textAt(step, 'because');
  const next = textAt(step, 'to');
  const way = [next === '' ? '' : `to ${next}`, why === '' ? '' : `(${why})`].filter((text) => text !== '').join(' ');
  const head = [
    textAt(step, 'n').padStart(nWidth),
    textAt(step, 'state').padEnd(stateWidth),
    barOf(step, from, to),
    ms.padStart(12),
    way,
  ];
  const indent = ' '.repeat(nWidth + 2);
  return [head.join('  ').trimEnd(), ...linesBelow(step, terminal).map((line) => `${indent}${line}`)];
}

/** The timeline of a run as text: a line for each step with a bar, and its errors and calls below it. */
export function timelineText(reply: unknown, terminal: Terminal, now: number): string {
  const steps = listAt(reply, 'steps');
  const instance = at(reply, 'instance');
  const from = Date.parse(textAt(instance, 'createdAt'));
  const isPending = textAt(instance, 'status') === 'pending';
  const to = isPending ? now : Date.parse(textAt(instance, 'updatedAt'));
  const widthOf = (name: string) => Math.max(0, ...steps.map((step) => textAt(step, name).length));
  const scale = { from, to, nWidth: widthOf('n'), stateWidth: widthOf('state') };
  const elidedFrom = Number(textAt(reply, 'elided', 'from') || 0);
  const lines = [
    `${textAt(reply, 'workflow', 'path')}  ${statusOf(instance)}  ${durationText(Math.max(to - from, 0))}`,
  ];
  let isNamed = elidedFrom === 0;
  for (const step of steps) {
    if (!isNamed && Number(textAt(step, 'n')) > elidedFrom) {
      isNamed = true;
      const by = Object.entries((at(reply, 'elided', 'by') ?? {}) as Record<string, number>);
      lines.push(`… ${by.map(([state, times]) => `${state} ${times} times`).join(', ')}`);
    }
    lines.push(...stepLines(step, scale, terminal));
  }
  if (steps.length === 0) lines.push('nothing is recorded of this run');
  const rerunOf = textAt(reply, 'rerunOf');
  if (rerunOf !== '') lines.push(`repeats ${rerunOf}`);
  for (const id of listAt(reply, 'reruns')) lines.push(`repeated by ${textOf(id)}`);
  return lines.join('\n');
}

/** A step as text: the data at its entry and at its end, and the log lines between. */
export function stepText(reply: unknown): string {
  const show = (name: string) => {
    const value = at(reply, name);
    return value === undefined ? 'not recorded' : toPrettyJson(value);
  };
  const lines = listAt(reply, 'log', 'lines').map((line) => `\n  ${textAt(line, 'level')}  ${textAt(line, 'msg')}`);
  const log = lines.length === 0 ? '' : `\nlog:${lines.join('')}`;
  return `in: ${show('in')}\nout: ${show('out')}${log}${at(reply, 'log', 'more') === true ? '\n  …' : ''}`;
}

/** The queue of a worker's task, with its holder and the end of its lease, or the time at which it is offered again. */
function workerText(call: unknown): string {
  const worker = at(call, 'worker');
  if (worker === undefined) return '';
  const queue = `, in the queue '${textAt(worker, 'queue')}'`;
  const until = textAt(worker, 'leaseUntil');
  if (until !== '') return `${queue}, leased by '${textAt(worker, 'worker')}' until ${until}`;
  const from = textAt(worker, 'from');
  return from === '' ? queue : `${queue}, from ${from}`;
}

/** When a call that failed is attempted again. */
function retryText(call: unknown): string {
  const retry = at(call, 'retry');
  if (retry === undefined) return '';
  const code = textAt(retry, 'error', 'code');
  const of = textAt(retry, 'of');
  const failed = code === '' ? '' : ` with '${code}': ${textAt(retry, 'error', 'message')}`;
  return `${failed}; retry ${textAt(retry, 'attempt')}${of === '' ? '' : ` of ${of}`} at ${textAt(retry, 'at')}`;
}

/** The place of a queued run, and the runs for whose ends it waits. */
function queueText(queue: unknown): string {
  const key = textAt(queue, 'key');
  const ofKey = key === '' ? '' : ` of the key '${key}'`;
  const holders = listAt(queue, 'heldBy').map((id) => `held by ${textOf(id)}`);
  return [`is number ${textAt(queue, 'place')} in the queue of ${ownerText(queue)}${ofKey}`, ...holders].join('\n');
}

/** Whose limits hold a run or a call: those of a workflow, or of functions. */
const ownerText = (queue: unknown): string => textAt(queue, 'workflow') || `functions of '${textAt(queue, 'scope')}'`;

/** The limits of its function for which a call waits. */
function limitText(call: unknown): string {
  const [queue, held] = [at(call, 'concurrency'), at(call, 'held')];
  if (queue !== undefined) return `, ${queueText(queue).replaceAll('\n', ', ')}`;
  return held === undefined ? '' : `, ${heldText(held)}`;
}

function heldText(held: unknown): string {
  const key = textAt(held, 'key');
  const ofKey = key === '' ? '' : ` for the key '${key}'`;
  return `is held back by the ${textAt(held, 'by')} of ${ownerText(held)}${ofKey} until ${textAt(held, 'until')}`;
}

/** The wait of a run, as text. */
export function waitingText(reply: unknown): string {
  const waiting = at(reply, 'waiting');
  const status = textAt(reply, 'instance', 'status');
  const queue = at(reply, 'concurrency');
  if (queue !== undefined) return queueText(queue);
  const held = at(reply, 'held');
  if (held !== undefined) return heldText(held);
  if (waiting === undefined)
    return status === 'pending'
      ? 'the run is at work at this moment'
      : `the run has ended: ${statusOf(at(reply, 'instance'))}`;
  const lines = [
    `waits in '${textAt(waiting, 'state')}' since ${textAt(waiting, 'since')}, until ${textAt(waiting, 'until')} at most`,
  ];
  if (at(waiting, 'for', 'delay') !== undefined) lines.push('for the time to pass');
  for (const filter of listAt(waiting, 'for', 'events', 'filters')) {
    const got = at(filter, 'received') === true ? ' (received)' : '';
    lines.push(`for an event of type ${textAt(filter, 'type')} with ${JSON.stringify(at(filter, 'context'))}${got}`);
  }
  for (const call of listAt(waiting, 'for', 'calls', 'open')) {
    const workflow = textAt(call, 'workflow');
    const name = workflow === '' ? textAt(call, 'instance') : `${workflow} ${textAt(call, 'instance')}`;
    const held = workerText(call) + limitText(call) + retryText(call);
    lines.push(
      `for call ${textAt(call, 'call')}, attempt ${textAt(call, 'attempt')}: ${name}, ${textAt(call, 'status')}${held}`,
    );
  }
  for (const miss of listAt(waiting, 'nearMisses')) {
    const [wanted, got] = [at(miss, 'expected'), at(miss, 'found')].map((value) => JSON.stringify(value));
    lines.push(`near miss: event ${textAt(miss, 'event')}: ${textAt(miss, 'attribute')} is ${got}, not ${wanted}`);
  }
  return lines.join('\n');
}
