// The types of the package, as a program of a user sees them.
import { type App, Stack } from 'aws-cdk-lib';
import { Weft } from 'weft-workflows/cdk';
import { createClient } from 'weft-workflows/client';
import { startWorker, TaskError } from 'weft-workflows/worker';

export const urlOf = (app: App): string => new Weft(new Stack(app, 'Flows'), 'Weft', { name: 'flows' }).url;

const options = { url: 'http://127.0.0.1:8080', key: 'key', namespace: 'demo' };

export async function namesOf(): Promise<string[]> {
  const { results } = await createClient(options).call('listNamespaces');
  return results.map(({ name }) => name);
}

export const start = () =>
  startWorker<{ readonly image: string }>({ ...options, queue: 'labelling' }, ({ input }) => {
    if (input.image === '') throw new TaskError('image.unreadable', 'empty');
    return { label: input.image };
  });
