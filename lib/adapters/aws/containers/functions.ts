import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type FunctionConfiguration,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  GetProvisionedConcurrencyConfigCommand,
  type LambdaClient,
  ProvisionedConcurrencyConfigNotFoundException,
  PublishVersionCommand,
  PutProvisionedConcurrencyConfigCommand,
  ResourceConflictException,
  ResourceNotFoundException,
  UpdateFunctionCodeCommand,
} from '@aws-sdk/client-lambda';
import { Passing } from '../../../containers/oci/connection.ts';
import { Unfit } from '../../../containers/oci/unsupported-image.ts';
import type { ContainerRevision } from '../../../ports/containers.ts';
import type { Architecture } from './wrapping.ts';

export interface FunctionsOptions {
  readonly client: LambdaClient;
  /** What containers run as: it may do nothing but write their log. */
  readonly roleArn: string;
  /** The log that all containers write to. */
  readonly logGroup: string;
}

/** A revision as a Lambda function. */
export interface FunctionPlan {
  readonly name: string;
  readonly revision: Pick<ContainerRevision, 'id' | 'size' | 'minScale'>;
  /** The image in the account's own registry, by its digest. */
  readonly imageUri: string;
  readonly architecture: Architecture;
}

/** MB, by size; as locally. */
const MEMORY = [512, 1024, 2048] as const;
/** What a state waits for its action unless it says otherwise (workflow-language reference, 11.8); Lambda has no more. */
const TIMEOUT_SECONDS = 900;

/** MB, the only place that a container can write to: its files and outputs of up to 128 MiB each. 512 cost nothing. */
const TEMPORARY = 2048;

const settingsOf = ({ revision }: FunctionPlan, { roleArn, logGroup }: FunctionsOptions) => ({
  Role: roleArn,
  Description: `Container service: ${revision.id}`,
  MemorySize: MEMORY[revision.size],
  Timeout: TIMEOUT_SECONDS,
  EphemeralStorage: { Size: TEMPORARY },
  LoggingConfig: { LogGroup: logGroup },
});

const codeOf = ({ imageUri, architecture }: FunctionPlan) => ({
  ImageUri: imageUri,
  Architectures: [architecture === 'amd64' ? ('x86_64' as const) : ('arm64' as const)],
});

/** Answers undefined where Lambda has no such thing. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const isMissing =
      error instanceof ResourceNotFoundException || error instanceof ProvisionedConcurrencyConfigNotFoundException;
    if (isMissing) return undefined;
    throw error;
  }
}

/** Another change of the function is under way: it passes. */
async function unlessBusy<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ResourceConflictException) throw new Passing(error.message, { cause: error });
    throw error;
  }
}

/** Whether it is ready; false: it takes a while yet. Throws Unfit when it never will be. */
function isReady(found: FunctionConfiguration): boolean {
  const { State, StateReason, StateReasonCode, LastUpdateStatus, LastUpdateStatusReason, LastUpdateStatusReasonCode } =
    found;
  if (State === 'Failed') throw new Unfit(StateReasonCode ?? 'Failed', StateReason ?? 'Lambda could not make it ready');
  if (LastUpdateStatus === 'Failed') {
    throw new Unfit(LastUpdateStatusReasonCode ?? 'Failed', LastUpdateStatusReason ?? 'Lambda could not change it');
  }
  // An idle function is made active by its next call.
  return (State === 'Active' || State === 'Inactive') && LastUpdateStatus !== 'InProgress';
}

async function create({ client, ...options }: FunctionsOptions, plan: FunctionPlan): Promise<void> {
  const { ImageUri, Architectures } = codeOf(plan);
  const made = client.send(
    new CreateFunctionCommand({
      FunctionName: plan.name,
      PackageType: 'Image',
      Code: { ImageUri },
      Architectures,
      ...settingsOf(plan, { client, ...options }),
    }),
  );
  // One that was there a moment ago is being taken away, or somebody else makes it.
  await unlessBusy(made);
}

/**
 * Brings the function a step further to what is planned. The ARN of its published version once it is ready, undefined
 * as long as it takes a while yet. Throws Unfit, Passing.
 */
export async function advanceFunction(options: FunctionsOptions, plan: FunctionPlan): Promise<string | undefined> {
  const { client } = options;
  const FunctionName = plan.name;
  const found = await unlessMissing(client.send(new GetFunctionCommand({ FunctionName })));
  if (found === undefined) {
    await create(options, plan);
    return undefined;
  }
  const { Configuration = {}, Code } = found;
  // A tag that led elsewhere when it was tried before.
  if (![Code?.ImageUri, Code?.ResolvedImageUri].includes(plan.imageUri)) {
    await unlessBusy(client.send(new UpdateFunctionCodeCommand({ FunctionName, ...codeOf(plan) })));
    return undefined;
  }
  if (!isReady(Configuration)) return undefined;
  // The same function again gives the same version.
  const { FunctionArn, Version } = await unlessBusy(client.send(new PublishVersionCommand({ FunctionName })));
  const version = await client.send(new GetFunctionConfigurationCommand({ FunctionName, Qualifier: Version }));
  return isReady(version) ? FunctionArn : undefined;
}

/** Brings the copies that are kept running a step further. False: it takes a while yet. Throws Unfit. */
export async function advanceScale({ client }: FunctionsOptions, version: string, minScale: number): Promise<boolean> {
  if (minScale === 0) return true;
  const [FunctionName, Qualifier] = [version.slice(0, version.lastIndexOf(':')), version.split(':').at(-1)];
  const asked = client.send(new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier }));
  const found = await unlessMissing(asked);
  if (found === undefined) {
    const wanted = { FunctionName, Qualifier, ProvisionedConcurrentExecutions: minScale };
    await unlessBusy(client.send(new PutProvisionedConcurrencyConfigCommand(wanted)));
    return false;
  }
  if (found.Status !== 'FAILED') return found.Status === 'READY';
  throw new Unfit('CannotScale', `${minScale} cannot be kept running: ${found.StatusReason ?? 'Lambda says no more'}`);
}

/** One that is not there is fine. */
export async function removeFunction({ client }: FunctionsOptions, name: string): Promise<void> {
  await unlessMissing(client.send(new DeleteFunctionCommand({ FunctionName: name })));
}
