import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
import { PACKAGE_FOLDER } from '../../lib/adapters/portable/package.ts';
import { acknowledge } from '../rights/acknowledgements.ts';
import type { Settings } from '../settings/settings.ts';
import { ALIASES } from './aliases.ts';
import { type Companion, companionHooks, REQUIRE } from './companions.ts';

const entryOf = (path: string): string => join(PACKAGE_FOLDER, 'functions', `${path}.ts`);
/** In a package (docs/decisions/028) functions are bundled already: each is a folder. */
const bundleOf = (path: string): string => join(PACKAGE_FOLDER, 'functions', path, 'index.mjs');

/** What causes a function to run: a request, a trigger of AWS, or a deployment. Each kind is a folder of functions/. */
export type FunctionKind = 'http' | 'triggers' | 'deploy';

export interface FunctionProps {
  readonly kind: FunctionKind;
  /** The name of its file in the kind's folder, without the extension. */
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
  /** Its file below functions/, without the extension. */
  readonly path: string;
  readonly handler: LambdaFunction;
  readonly role: Role;
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { kind, file, about, settings, scripts = false, companions = [], functionName } = props;
    this.path = `${kind}/${file}`;
    this.logs = new LogGroup(this, 'Logs', { retention: settings.logDays, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logs.grantWrite(this.role);
    this.handler = makeFunction(this, this.path, [...(scripts ? [THREAD] : []), ...companions], {
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
  path: string,
  companions: readonly Companion[],
  options: FunctionOptions,
): LambdaFunction {
  const runtime = Runtime.NODEJS_24_X;
  if (existsSync(entryOf(path))) {
    return new NodejsFunction(scope, 'Function', {
      ...options,
      runtime,
      entry: entryOf(path),
      projectRoot: PACKAGE_FOLDER,
      depsLockFilePath: join(PACKAGE_FOLDER, 'package-lock.json'),
      bundling: bundlingOf(companions),
    });
  }
  return new LambdaFunction(scope, 'Function', {
    ...options,
    runtime,
    handler: 'index.handler',
    code: Code.fromAsset(dirname(bundleOf(path))),
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
