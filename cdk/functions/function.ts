import type { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  type FunctionOptions,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { connectTo } from '../rights/network.ts';
import type { Settings } from '../settings/settings.ts';
import { bundledCode } from './bundles.ts';
import type { ExtraFile } from './extra-files.ts';
import { isAtOnce, LIVE } from './live.ts';
import { newLogGroup } from './log-group.ts';

/** The kind of a function is a folder of functions/: for requests, for triggers of AWS, or for deployments. */
export type FunctionKind = 'lambdas' | 'triggers' | 'deploy';

export interface FunctionProps {
  readonly kind: FunctionKind;
  /** The name of its file in the kind's folder, without the extension. */
  readonly file: string;
  /** Its description in AWS. */
  readonly about: string;
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** It evaluates queries and scripts of users: it has the sandbox and more memory. */
  readonly scripts?: boolean;
  /**
   * It evaluates scripts with the usual memory: it waits most of its time, and the price of waiting grows with the
   * memory.
   */
  readonly waits?: boolean;
  /** Further files that are bundled beside it. */
  readonly extraFiles?: readonly ExtraFile[];
  /** Only if other resources refer to it before it exists. */
  readonly functionName?: string;
}

/** What evaluates scripts: the sandbox, and the regular expressions of their queries and patterns. */
const SCRIPTS: readonly ExtraFile[] = ['sandbox-worker.mjs', 're2.cjs'];

/** Lambda provides a full core at 1,769 MB; jq compiles its library for each script, which uses most of a core. */
const MEMORY_MB = { scripts: 1024, plain: 512 } as const;

/** The concurrent calls that are reserved for a function in the account's quota. They are its limit as well. */
function reservedFor({ concurrency }: Settings, file: string): Pick<FunctionOptions, 'reservedConcurrentExecutions'> {
  const reserved = Object.hasOwn(concurrency, file) ? concurrency[file] : undefined;
  return reserved === undefined ? {} : { reservedConcurrentExecutions: reserved };
}

/** A Lambda function: a file of functions/ as one bundled module, a role that may only log, a log group. */
export class WeftFunction extends Construct {
  /** The path of its file below functions/, without the extension. */
  readonly path: string;
  readonly handler: LambdaFunction;
  /**
   * The alias `live` of a function that is rolled out: with a careful `rollout` each function but those of the deployment;
   * always one with a name of its own, because state machines and schedules store its ARN, which must not change with a
   * setting.
   */
  readonly alias: Alias | undefined;
  readonly role: Role;
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { kind, file, about, settings, scripts = false, waits = false, extraFiles = [], functionName } = props;
    this.path = `${kind}/${file}`;
    this.logs = newLogGroup(this, 'Logs', settings);
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logs.grantWrite(this.role);
    this.handler = new LambdaFunction(this, 'Function', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: bundledCode(this.path, [...(scripts ? SCRIPTS : []), ...extraFiles]),
      ...(functionName === undefined ? {} : { functionName }),
      description: about,
      architecture: Architecture.ARM_64,
      ...reservedFor(settings, file),
      memorySize: scripts && !waits ? MEMORY_MB.scripts : MEMORY_MB.plain,
      timeout: props.timeout,
      environment: props.environment,
      role: this.role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(settings.tracing ? { tracing: Tracing.ACTIVE } : {}),
    });
    const isRolledOut = kind !== 'deploy' && (functionName !== undefined || !isAtOnce(settings));
    this.alias = isRolledOut
      ? new Alias(this, 'Live', { aliasName: LIVE, version: this.handler.currentVersion as IVersion })
      : undefined;
    if (settings.vpc !== undefined) connectTo(settings.vpc, this.handler, this.role);
    if (settings.tracing) acknowledge(this.role, { 'IAM5[Resource::*]': 'The actions of X-Ray have no resources.' });
  }

  /** What other resources call: the alias, if there is one. */
  get called(): IFunction {
    // The classes of CDK declare optional properties as `undefined`, and their interfaces as absent.
    return (this.alias as IFunction | undefined) ?? this.handler;
  }
}
