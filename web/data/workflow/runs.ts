import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { call, filterQuery } from '../api/client.ts';
import { textOfBase64 } from '../format/text.ts';

const ofWorkflow = (path: string) => ({ field: 'AS', type: 'WORKFLOW', val: path });

/** The number of runs in progress of a workflow, or of the workflows below a directory. */
export async function pendingRuns(namespace: string, path: string): Promise<number> {
  const filters = [ofWorkflow(path), { field: 'STATUS', type: 'MATCH', val: 'pending' }];
  const { instances } = await call('listInstances', { namespace }, { query: { ...filterQuery(filters), limit: 1 } });
  return instances.pageInfo.total;
}

/** The input of an earlier run. */
export interface PastInput {
  readonly run: InstanceRecord;
  readonly text: string;
}

/** The different inputs of the newest runs of a workflow. */
export async function pastInputs(namespace: string, path: string, most: number): Promise<readonly PastInput[]> {
  const query = { ...filterQuery([ofWorkflow(path)]), limit: most * 2 };
  const { instances } = await call('listInstances', { namespace }, { query });
  const own = instances.results.filter((run) => run.as === path);
  const inputs = await Promise.all(
    own.map(async (run) => {
      const { data } = await call('getInstanceInput', { namespace, instance: run.id });
      return { run, text: textOfBase64(data) };
    }),
  );
  const seen = new Set<string>();
  const isNew = ({ text }: PastInput): boolean => text !== '' && !seen.has(text) && seen.add(text) !== undefined;
  return inputs.filter(isNew).slice(0, most);
}
