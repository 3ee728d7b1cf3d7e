import type { Client } from '../access/client.ts';

/** How a worker ends a task. */
type TaskEnd = { readonly output: unknown } | { readonly code: string; readonly message: string };

/** The ends of tasks by the JSON text of their input, in sequence; the last one is repeated. */
export type WorkerScript = Readonly<Record<string, readonly TaskEnd[]>>;

interface Task {
  readonly task: string;
  readonly lease: string;
  readonly input: unknown;
}

/** Serves the tasks of a queue by a script until `until` is settled. `path` is that of the queue. */
export async function serveQueue(
  client: Client,
  path: string,
  script: WorkerScript,
  until: Promise<unknown>,
): Promise<void> {
  const counts = new Map<string, number>();
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  until.then(end, end);
  while (!isOver) {
    const polled = await client.call('POST', `${path}?op=poll`, { json: { max: 10, wait: 'PT1S' } });
    if (polled.status !== 200) throw new Error(`polling ${path}: ${polled.status} ${polled.text}`);
    const { tasks } = polled.json() as unknown as { readonly tasks: readonly Task[] };
    for (const { task, lease, input } of tasks) {
      const name = JSON.stringify(input);
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      const ends = script[name] ?? [{ code: 'script.unknown', message: `no answer to ${name}` }];
      const chosen = ends[Math.min(count, ends.length - 1)] as TaskEnd;
      const op = 'output' in chosen ? 'complete' : 'fail';
      await client.call('POST', `${path}?op=${op}`, { json: { task, lease, ...chosen } });
    }
  }
}
