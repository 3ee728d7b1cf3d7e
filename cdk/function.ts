import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { type ICommandHooks, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const entryOf = (file: string): string => join(ROOT, 'functions', `${file}.ts`);

/** Whether there is a file of that name, without its ending, in functions/. */
export const hasFile = (file: string): boolean => existsSync(entryOf(file));

export interface FunctionProps {
  /** The name of its file in functions/, without the ending. */
  readonly file: string;
  readonly about: string;
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** It runs scripts of users, or would, so the thread that runs them lies beside it; and it gets more memory. */
  readonly scripts?: boolean;
  /** Where somebody must know its name before it is made. */
  readonly functionName?: string;
}

/** Packages of the CommonJS kind call `require`, which a module does not have. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** The thread for scripts, as lib/language/sandbox.ts wants it: one file beside the function, the engines inside. */
const WORKER: ICommandHooks = {
  beforeBundling: () => [],
  beforeInstall: () => [],
  afterBundling: (from, to) => [
    [
      `"${join(from, 'node_modules', '.bin', 'esbuild')}"`,
      `"${join(from, 'lib', 'language', 'sandbox-worker.ts')}"`,
      '--bundle --platform=node --target=node24 --format=esm --loader:.wasm=binary --log-level=warning',
      `--minify-whitespace --minify-syntax --banner:js="${REQUIRE}"`,
      `--outfile="${join(to, 'sandbox-worker.mjs')}"`,
    ].join(' '),
  ],
};

/** Lambda gives a whole core at 1,769 MB; jq compiles its library for each script, which wants most of one. */
const MEMORY_MB = { scripts: 1024, plain: 512 } as const;

/** One Lambda: a file of functions/ as one bundled module, a role that may do nothing yet but log, a log group. */
export class WeftFunction extends Construct {
  readonly handler: NodejsFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { file, about, settings, scripts = false, functionName } = props;
    const logGroup = new LogGroup(this, 'Logs', { retention: settings.logDays, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.handler = new NodejsFunction(this, 'Function', {
      ...(functionName === undefined ? {} : { functionName }),
      description: about,
      entry: entryOf(file),
      projectRoot: ROOT,
      depsLockFilePath: join(ROOT, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: scripts ? MEMORY_MB.scripts : MEMORY_MB.plain,
      timeout: props.timeout,
      environment: props.environment,
      role: this.role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      bundling: bundlingOf(scripts),
    });
  }
}

/** The SDK comes along, so that what was tested is what runs; names stay, because errors leave by them. */
function bundlingOf(scripts: boolean) {
  return {
    format: OutputFormat.ESM,
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: REQUIRE,
    bundleAwsSDK: true,
    externalModules: [],
    esbuildArgs: { '--minify-whitespace': true, '--minify-syntax': true },
    ...(scripts ? { commandHooks: WORKER } : {}),
  };
}
