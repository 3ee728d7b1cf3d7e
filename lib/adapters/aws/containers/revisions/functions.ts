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
import { RevisionFailedError, TransientError } from '../../../../containers/errors.ts';
import type { ContainerRevision } from '../../../../ports/containers.ts';
import type { Architecture } from '../images/manifests.ts';

/** The options that all functions of containers share. */
export interface FunctionsOptions {
  readonly client: LambdaClient;
  /** The execution role of containers: it allows nothing but writing their log. */
  readonly roleArn: string;
  /** The log group of all containers. */
  readonly logGroup: string;
}

/** A revision as a Lambda function. */
export interface FunctionPlan {
  readonly name: string;
  readonly revision: Pick<ContainerRevision, 'id' | 'size' | 'minScale'>;
  /** The image in the account's own registry, with its digest. */
  readonly imageUri: string;
  readonly architecture: Architecture;
}

/** Memory in MB by the revision's size; the same as locally. */
const MEMORY_MB = [512, 1024, 2048] as const;
/** The default timeout of an action (workflow-language reference, 11.8), which is also the longest of Lambda. */
const TIMEOUT_SECONDS = 900;
/** Size of /tmp in MB, the only writable folder: files and outputs have up to 128 MiB each. 512 are free of charge. */
const TEMPORARY_MB = 2048;

const settingsOf = ({ revision }: FunctionPlan, { roleArn, logGroup }: FunctionsOptions) => ({
  Role: roleArn,
  Description: `Container service: ${revision.id}`,
  MemorySize: MEMORY_MB[revision.size],
  Timeout: TIMEOUT_SECONDS,
  EphemeralStorage: { Size: TEMPORARY_MB },
  LoggingConfig: { LogGroup: logGroup },
});

const codeOf = ({ imageUri, architecture }: FunctionPlan) => ({
  ImageUri: imageUri,
  Architectures: [architecture === 'amd64' ? ('x86_64' as const) : ('arm64' as const)],
});

/**
 * Brings the function one step closer to its plan. Returns the ARN of its published version when it is ready, undefined
 * while Lambda is still working.
 * @throws RevisionFailedError, TransientError
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
  // The image's tag referred to another digest at an earlier attempt.
  if (![Code?.ImageUri, Code?.ResolvedImageUri].includes(plan.imageUri)) {
    await unlessBusy(client.send(new UpdateFunctionCodeCommand({ FunctionName, ...codeOf(plan) })));
    return undefined;
  }
  if (!isReady(Configuration)) return undefined;
  // Publishing an unchanged function returns the same version.
  const { FunctionArn, Version } = await unlessBusy(client.send(new PublishVersionCommand({ FunctionName })));
  const version = await client.send(new GetFunctionConfigurationCommand({ FunctionName, Qualifier: Version }));
  return isReady(version) ? FunctionArn : undefined;
}

/**
 * Brings the provisioned concurrency of a version one step closer to `minScale`. Returns false while Lambda is still
 * working.
 * @throws RevisionFailedError, TransientError
 */
export async function advanceScale({ client }: FunctionsOptions, version: string, minScale: number): Promise<boolean> {
  if (minScale === 0) return true;
  const [FunctionName, Qualifier] = [version.slice(0, version.lastIndexOf(':')), version.split(':').at(-1)];
  const request = new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier });
  const found = await unlessMissing(client.send(request));
  if (found === undefined) {
    const wanted = { FunctionName, Qualifier, ProvisionedConcurrentExecutions: minScale };
    await unlessBusy(client.send(new PutProvisionedConcurrencyConfigCommand(wanted)));
    return false;
  }
  if (found.Status !== 'FAILED') return found.Status === 'READY';
  const problem = `${minScale} cannot be kept running: ${found.StatusReason ?? 'Lambda says no more'}`;
  throw new RevisionFailedError('CannotScale', problem);
}

/** Deletes a function; one that does not exist is deleted already. */
export async function removeFunction({ client }: FunctionsOptions, name: string): Promise<void> {
  await unlessMissing(client.send(new DeleteFunctionCommand({ FunctionName: name })));
}

async function create(options: FunctionsOptions, plan: FunctionPlan): Promise<void> {
  const { ImageUri, Architectures } = codeOf(plan);
  const request = new CreateFunctionCommand({
    FunctionName: plan.name,
    PackageType: 'Image',
    Code: { ImageUri },
    Architectures,
    ...settingsOf(plan, options),
  });
  // A function with this name is being deleted, or another process creates it.
  await unlessBusy(options.client.send(request));
}

/** Whether the function can be called; false while Lambda is still working. Throws RevisionFailedError if it failed. */
function isReady(found: FunctionConfiguration): boolean {
  const { State, StateReason, StateReasonCode, LastUpdateStatus, LastUpdateStatusReason, LastUpdateStatusReasonCode } =
    found;
  if (State === 'Failed') {
    throw new RevisionFailedError(StateReasonCode ?? 'Failed', StateReason ?? 'Lambda could not make it ready');
  }
  if (LastUpdateStatus === 'Failed') {
    const reason = LastUpdateStatusReasonCode ?? 'Failed';
    throw new RevisionFailedError(reason, LastUpdateStatusReason ?? 'Lambda could not change it');
  }
  // Its next call activates an inactive function.
  return (State === 'Active' || State === 'Inactive') && LastUpdateStatus !== 'InProgress';
}

/** The response, or undefined where the resource does not exist. */
async function unlessMissing<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    const isMissing =
      error instanceof ResourceNotFoundException || error instanceof ProvisionedConcurrencyConfigNotFoundException;
    if (isMissing) return undefined;
    throw error;
  }
}

/** The response. Throws TransientError while another change of the function is in progress. */
async function unlessBusy<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ResourceConflictException) throw new TransientError(error.message, { cause: error });
    throw error;
  }
}
