import { call } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Sources } from './sources.ts';

/** An example that runs by one click in an empty namespace. */
export interface Example {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** The folder of its workflows. */
  readonly folder: string;
  /** Names of sources by the names of the workflows. */
  readonly workflows: Readonly<Record<string, keyof Sources>>;
  /** The workflow that is started, and its input. */
  readonly start: string;
  readonly input: unknown;
}

/** The examples that an empty namespace offers. */
export const EXAMPLES: readonly Example[] = [
  {
    id: 'hello',
    title: 'Say hello',
    about: 'One state that makes a greeting of its input.',
    folder: 'examples',
    workflows: { 'hello.yaml': 'hello' },
    start: 'hello.yaml',
    input: { name: 'Ada' },
  },
  {
    id: 'payment',
    title: 'Wait for a payment',
    about: 'An order waits for the event that it was paid. Send the event, and watch the run go on.',
    folder: 'examples',
    workflows: { 'payment.yaml': 'payment' },
    start: 'payment.yaml',
    input: { id: 'o-1', cents: 950 },
  },
  {
    id: 'saga',
    title: 'Undo what was done',
    about: 'Three calls, one of which fails: a busy bank is asked again, and what was done before is undone.',
    folder: 'examples/saga',
    workflows: { 'order.yaml': 'saga', bank: 'bank', carrier: 'carrier', stock: 'stock' },
    start: 'order.yaml',
    input: { quantity: 3, card: 'visa', country: 'XX' },
  },
];

const CONFLICT = 409;

/** Ignores the conflict of a change that was made before. */
async function once(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== CONFLICT) throw error;
  });
}

/** Stores the workflows of an example and starts it. Returns the id of the run. Throws ApiError. */
export async function runExample(namespace: string, example: Example, sources: Sources): Promise<string> {
  const parts = example.folder.split('/');
  for (const [index] of parts.entries()) {
    const node = parts.slice(0, index + 1).join('/');
    await once(call('createDirectory', { namespace, node }));
  }
  for (const [name, source] of Object.entries(example.workflows)) {
    const path = { namespace, node: `${example.folder}/${name}` };
    await once(call('createWorkflow', path, { body: sources[source], type: 'text/yaml' }));
  }
  const node = `${example.folder}/${example.start}`;
  const { instance } = await call('executeWorkflow', { namespace, node }, { body: JSON.stringify(example.input) });
  return instance;
}
