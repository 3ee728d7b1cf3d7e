import { readFile } from 'node:fs/promises';
import { ECRClient } from '@aws-sdk/client-ecr';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { egressGuard } from '../../../../egress/guard.ts';
import type { Sealer } from '../../../../ports/sealer.ts';
import type { Table } from '../../../../ports/table.ts';
import { createLayerSource } from '../images/layers.ts';
import { type ReconcileOptions, type ReconcileResult, type ReconcileTask, reconcile } from './reconcile.ts';
import { RevisionRecords } from './records.ts';

/** Runs one round of a reconciliation, which takes at most `milliseconds`. */
export type ReconcileRound = (task: ReconcileTask, milliseconds: number) => Promise<ReconcileResult>;

/** The resources of the deployment that the worker uses. */
export type WorkerOptions = Pick<ReconcileOptions, 'roleArn' | 'logGroup' | 'repositoryUri' | 'namePrefix'> & {
  readonly table: Table;
  readonly sealer: () => Sealer;
};

/** The bundle of the sidecar, which is deployed beside this function's own bundle (cdk/functions/companions.ts). */
const SIDECAR = new URL('./beside.mjs', import.meta.url);

/** The reconciliation of revisions as it runs in Lambda. */
export function containerWorker({ table, sealer, ...resources }: WorkerOptions): ReconcileRound {
  const guard = egressGuard({ allowsPrivate: false });
  const options: ReconcileOptions = {
    ...resources,
    records: new RevisionRecords({ table, sealer, now: Date.now }),
    client: new LambdaClient({ retryMode: 'standard', maxAttempts: 6 }),
    ecr: new ECRClient({ retryMode: 'standard', maxAttempts: 6 }),
    guard,
    layersFor: createLayerSource({ guard, table, program: () => readFile(SIDECAR) }),
  };
  return (task, milliseconds) => reconcile(options, task, milliseconds);
}
