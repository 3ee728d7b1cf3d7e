import { textAt } from '../client/replies.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, toTable, type ValuesOf } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...NAMESPACE_OPTION, ...TARGET_OPTIONS } as const;

type Values = ValuesOf<typeof OPTIONS>;

async function queues(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = (await service.call('GET', `${base}/workers`)) as { readonly queues: readonly object[] };
  const cells = reply.queues.map((queue) => ['queue', 'ready', 'held'].map((name) => textAt(queue, name)));
  return result(values, reply.queues, () => toTable([['QUEUE', 'READY', 'HELD'], ...cells]));
}

/** The holder of a task, and the end of its lease or the time at which it is offered again. */
const holderOf = (task: object): string => textAt(task, 'worker');
const timeOf = (task: object): string => textAt(task, 'leaseUntil') || textAt(task, 'from');

async function tasks(values: Values, [queue = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const path = `${base}/workers/${encodeURIComponent(queue)}`;
  const reply = (await service.call('GET', path)) as { readonly tasks: readonly object[] };
  const fields = ['task', 'status', 'priority', 'taken', 'instance', 'state'];
  const cells = reply.tasks.map((task) => [...fields.map((name) => textAt(task, name)), holderOf(task), timeOf(task)]);
  const head = ['TASK', 'STATUS', 'PRIORITY', 'TAKEN', 'INSTANCE', 'STATE', 'WORKER', 'UNTIL'];
  return result(values, reply.tasks, () => toTable([head, ...cells]));
}

export const workers = defineVerbs({
  about: 'Lists the queues of tasks for workers, and the open tasks of a queue',
  usage: ['workers [queues]', 'workers tasks QUEUE'],
  notes: ['A task is ready, leased by a worker, or delayed.'],
  options: OPTIONS,
  defaultVerb: 'queues',
  verbs: {
    queues: { takes: [], run: queues },
    tasks: { takes: ['QUEUE'], run: tasks },
  },
});
