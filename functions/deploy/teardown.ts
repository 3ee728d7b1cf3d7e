import type { CloudFormationCustomResourceEvent, Context } from 'aws-lambda';
import { removeFunctions } from '../../lib/adapters/aws/containers/teardown.ts';
import { serve } from '../../lib/adapters/aws/deploy/custom-resource.ts';
import {
  callAgain,
  emptyBucket,
  type HasTime,
  isUnfinished,
  noteUnfinished,
  removeMachines,
} from '../../lib/adapters/aws/deploy/teardown.ts';

/** The time that is left for the report to CloudFormation. */
const MARGIN_MS = 60_000;
/** CloudFormation waits for an hour, and a call lasts 15 minutes. */
const MAX_CALLS = 4;

/** The event of CloudFormation; `call` counts the calls for it, from 1. */
type Asked = CloudFormationCustomResourceEvent & { readonly call?: number };

type Left = Pick<Context, 'invokedFunctionArn' | 'getRemainingTimeInMillis'>;

/** Deletes the resources that the service created at run time, which block the deletion of its stacks. */
async function tearDown({ prefix, containers, bucket }: Record<string, unknown>, hasTime: HasTime): Promise<boolean> {
  if (typeof prefix === 'string' && !(await removeMachines(prefix, hasTime))) return false;
  if (typeof containers === 'string') await removeFunctions(containers);
  return typeof bucket !== 'string' || emptyBucket(bucket, hasTime);
}

const UNFINISHED =
  'there are more state machines or objects than can be deleted in the time that CloudFormation waits (Step Functions ' +
  'deletes one machine a second): delete the stack again to continue';

/**
 * Custom resource: acts only when its stack is deleted. Work that outlasts one call is continued by the next one,
 * for about an hour. What is left then is for the `next` resource of this kind, if there is one. A resource that `continues`
 * acts only after one has left something: the roll-back of an update that added it deletes it too.
 */
export async function handler(event: Asked, context: Left): Promise<void> {
  const { prefix, name = prefix, continues, next } = event.ResourceProperties;
  const { call = 1, RequestType, ResourceProperties } = event;
  const isOver = () => context.getRemainingTimeInMillis() < MARGIN_MS;
  let mustContinue = false;
  const work = async () => {
    if (RequestType !== 'Delete') return;
    if (continues === 'true' && !(await isUnfinished(context.invokedFunctionArn))) return;
    if (await tearDown(ResourceProperties, () => !isOver())) return;
    mustContinue = call < MAX_CALLS;
    if (mustContinue) return;
    if (next !== 'true') throw new Error(UNFINISHED);
    await noteUnfinished(context.invokedFunctionArn);
  };
  const done = work();
  await done.catch(() => undefined);
  if (mustContinue) await callAgain(context.invokedFunctionArn, { ...event, call: call + 1 });
  else await serve(event, String(name), () => done);
}
