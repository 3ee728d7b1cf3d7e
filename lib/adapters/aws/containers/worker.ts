import { readFile } from 'node:fs/promises';
import { ECRClient } from '@aws-sdk/client-ecr';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Sealer } from '../../../ports/sealer.ts';
import type { Table } from '../../../ports/table.ts';
import { guardOf } from '../../portable/web.ts';
import { layersOf } from './layers.ts';
import { Records } from './records.ts';
import { type Errand, type Round, type WorkOptions, work } from './work.ts';

/** One round of the state machine, in so many milliseconds. */
export type ContainerWork = (errand: Errand, milliseconds: number) => Promise<Round>;

export type WorkerOptions = Pick<WorkOptions, 'roleArn' | 'logGroup' | 'repositoryUri' | 'namePrefix'> & {
  readonly table: Table;
  readonly sealer: () => Sealer;
};

/** The program that is laid into images. A bundle has it beside itself (cdk/functions/function.ts). */
const BESIDE = new URL('./beside.mjs', import.meta.url);

/** What makes revisions ready and takes them away, as it runs in Lambda. */
export function containerWorker({ table, sealer, ...places }: WorkerOptions): ContainerWork {
  const guard = guardOf({ mayAskItself: false });
  const options: WorkOptions = {
    ...places,
    records: new Records({ table, sealer, now: Date.now }),
    client: new LambdaClient({ retryMode: 'standard', maxAttempts: 6 }),
    ecr: new ECRClient({ retryMode: 'standard', maxAttempts: 6 }),
    guard,
    layersFor: layersOf({ guard, table, program: () => readFile(BESIDE) }),
  };
  return (errand, milliseconds) => work(options, errand, milliseconds);
}
