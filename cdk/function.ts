import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type FunctionOptions,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import { ALIASES } from './aliases.ts';
import { type Companion, companionHooks, REQUIRE } from './companions.ts';
import type { Settings } from './settings.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const entryOf = (file: string): string => join(ROOT, 'functions', `${file}.ts`);
/** In a package (docs/decisions/028) functions are bundled already: each is a folder. */
const builtOf = (file: string): string => join(ROOT, 'functions', file);

/** Whether there is a file of that name, without its ending, in functions/. */
export const hasFile = (file: string): boolean => existsSync(entryOf(file)) || existsSync(builtOf(file));

export interface FunctionProps {
  /** The name of its file in functions/, without the ending. */
  readonly file: string;
  readonly about: string;
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** It runs scripts of users, or would, so the thread that runs them lies beside it; and it gets more memory. */
  readonly scripts?: boolean;
  /** What else lies beside it. */
  readonly companions?: readonly Companion[];
  /** Where somebody must know its name before it is made. */
  readonly functionName?: string;
}

const THREAD: Companion = 'sandbox-worker.mjs';

/** Lambda gives a whole core at 1,769 MB; jq compiles its library for each script, which wants most of one. */
const MEMORY_MB = { scripts: 1024, plain: 512 } as const;

/** One Lambda: a file of functions/ as one bundled module, a role that may do nothing yet but log, a log group. */
export class WeftFunction extends Construct {
  readonly file: string;
  readonly handler: LambdaFunction;
  readonly role: Role;
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { file, about, settings, scripts = false, companions = [], functionName } = props;
    this.file = file;
    this.logs = new LogGroup(this, 'Logs', { retention: settings.logDays, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logs.grantWrite(this.role);
    this.handler = makeFunction(this, file, [...(scripts ? [THREAD] : []), ...companions], {
      ...(functionName === undefined ? {} : { functionName }),
      description: about,
      architecture: Architecture.ARM_64,
      memorySize: scripts ? MEMORY_MB.scripts : MEMORY_MB.plain,
      timeout: props.timeout,
      environment: props.environment,
      role: this.role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(settings.tracing ? { tracing: Tracing.ACTIVE } : {}),
    });
    if (settings.tracing) acknowledge(this.role, { 'IAM5[Resource::*]': 'The actions of X-Ray know no resources.' });
  }
}

function makeFunction(
  scope: Construct,
  file: string,
  companions: readonly Companion[],
  options: FunctionOptions,
): LambdaFunction {
  const runtime = Runtime.NODEJS_24_X;
  if (existsSync(entryOf(file))) {
    return new NodejsFunction(scope, 'Function', {
      ...options,
      runtime,
      entry: entryOf(file),
      projectRoot: ROOT,
      depsLockFilePath: join(ROOT, 'package-lock.json'),
      bundling: bundlingOf(companions),
    });
  }
  return new LambdaFunction(scope, 'Function', {
    ...options,
    runtime,
    handler: 'index.handler',
    code: Code.fromAsset(builtOf(file)),
  });
}

/** The SDK comes along, so that what was tested is what runs; names stay, because errors leave by them. */
function bundlingOf(companions: readonly Companion[]) {
  return {
    format: OutputFormat.ESM,
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: REQUIRE,
    bundleAwsSDK: true,
    externalModules: [],
    minify: true,
    keepNames: true,
    esbuildArgs: Object.fromEntries(Object.entries(ALIASES).map(([name, other]) => [`--alias:${name}`, other])),
    commandHooks: companionHooks(companions),
  };
}
