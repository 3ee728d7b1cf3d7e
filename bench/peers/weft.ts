import { join } from 'node:path';
import { eventOf, KEY, type Send } from '../clients/client.ts';
import { START_FLAGS, untilListening } from '../clients/npm-start.ts';
import { openWireClient } from '../clients/wire-client.ts';
import { startProgram, until } from './processes.ts';
import type { Running, System } from './systems.ts';

const CHILD = 'functions:\n- {id: child, type: subflow, workflow: one}\nstates:\n';

/** Ten states in sequence, made of the fields that each has beside id and transition. */
function inSequence(fields: string): string {
  const states = Array.from({ length: 10 }, (_, n) => {
    return `- {id: s${n}, ${fields}${n < 9 ? `, transition: s${n + 1}` : ''}}\n`;
  });
  return states.join('');
}

const WORKFLOWS: Readonly<Record<string, string>> = {
  one: 'states:\n- {id: s0, type: noop}\n',
  chain: `states:\n${inSequence('type: noop')}`,
  calls: `${CHILD}${inSequence('type: action, action: {function: child}')}`,
  fan: `${CHILD}- {id: each, type: foreach, array: 'jq([range(20) | {n: .}])', action: {function: child}}\n`,
  wait: 'states:\n- {id: wait, type: consumeEvent, event: {type: signal, context: {key: jq(.key)}}}\n',
};

const BASE = '/api/namespaces/bench';

const run =
  (workflow: string, how: 'wait' | 'execute' = 'wait') =>
  (send: Send, key: string) =>
    send('POST', `${BASE}/tree/${workflow}?op=${how}`, JSON.stringify({ key }));

const PENDING = `${BASE}/instances?limit=1&filter.field=STATUS&filter.type=MATCH&filter.val=pending`;

/** Polls a list until it has this many entries. */
function untilTotal(send: Send, path: string, count: number): Promise<void> {
  return until(`${count} entries of ${path}`, async () => (await send('GET', path)).includes(`"total":${count},`), 5);
}

async function start(folder: string): Promise<Running> {
  const program = startProgram(process.execPath, [...START_FLAGS, join(import.meta.dirname, '../../bin/local.ts')], {
    env: { ...process.env, PORT: '0', APIKEY: KEY, WEFT_DATA: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await untilListening(program.child);
  program.child.stdout?.resume();
  const { send, close } = await openWireClient(url);
  await send('PUT', BASE);
  for (const [name, yaml] of Object.entries(WORKFLOWS)) {
    await send('PUT', `${BASE}/tree/${name}?op=create-workflow`, yaml);
  }
  close();
  return {
    url,
    pids: [program.pid],
    requests: {
      one: run('one'),
      chain: run('chain'),
      // States that do not wait share a commit, so each step is a call: its end is stored before the next one begins.
      committedChain: run('calls'),
      calls: run('calls'),
      fan: run('fan'),
      begin: run('one', 'execute'),
      wait: run('wait'),
      signal: (anySend, key) => anySend('POST', `${BASE}/broadcast`, eventOf('signal', key, { key })),
    },
    drain: (anySend) => untilTotal(anySend, PENDING, 0),
    untilWaiting: (anySend, count) => untilTotal(anySend, `${BASE}/event-listeners?limit=1`, count),
    end: program.end,
  };
}

/** Weft as `npm start` runs it, with all defaults. */
export const WEFT: System = {
  title: 'Weft',
  versions: async () => `this checkout, Node ${process.versions.node}`,
  durability:
    'SQLite, one file. An answer is sent when the commit is on the disk (`fdatasync`); commits of several requests share a flush. Limits and the record of the states are on.',
  license: 'Apache-2.0.',
  steps:
    'In *one commit*, ten steps are ten `noop` states, which Weft runs as one batch with one commit at its end. In *a commit each*, each step is a workflow of its own that an `action` calls, which is the workflow of the child calls: the end of each call is stored before the next one begins, so a crash repeats no step. The disk is flushed before the answer, and not necessarily between two steps.',
  start,
};
