import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CDK = join(ROOT, 'node_modules', '.bin', 'cdk');
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The region of the emulator. */
export const REGION = 'us-east-1';
const ACCOUNT = '000000000000';
/** The emulator accepts any credentials. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** An account of AWS in a region, and the access to it. */
export interface AwsAccess {
  readonly account: string;
  readonly region: string;
  /** The endpoint of an emulator; undefined: that of AWS. */
  readonly endpoint: string | undefined;
  /** For clients of the SDK. */
  readonly client: {
    readonly region: string;
    readonly endpoint?: string;
    readonly credentials?: typeof CREDENTIALS;
  };
  /** For programs. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The access to an emulator, whatever profiles and credentials this machine has. */
export const emulatorAccess = (endpoint: string): AwsAccess => ({
  account: ACCOUNT,
  region: REGION,
  endpoint,
  client: { endpoint, region: REGION, credentials: CREDENTIALS },
  environment: {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  },
});

/** The place and the files of a deployment. */
export interface DeploymentOptions {
  readonly access: AwsAccess;
  /** The folder of the templates and bundles. */
  readonly assembly: string;
}

/** A deployment. */
export interface Deployed {
  /** The outputs by stack. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The ARNs of the stacks. */
  readonly stackIds: readonly string[];
}

/** Runs CDK's command line in a folder. Throws an error with its output when it fails. */
async function cdk(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const flags = ['--no-notices', '--no-color'];
  try {
    const { stdout } = await run(CDK, [...args, ...flags], { cwd: folder, env, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`cdk ${args[0]} failed:\n${`${stdout}\n${stderr}`.slice(-4000)}`);
  }
}

/** Deploys with CDK's command line. */
export class Deployment {
  readonly #folder: string;
  readonly #access: AwsAccess;
  readonly #assembly: string;

  private constructor(folder: string, { access, assembly }: DeploymentOptions) {
    this.#folder = folder;
    this.#access = access;
    this.#assembly = assembly;
  }

  /** Creates the temporary folder of the command line. */
  static async open(options: DeploymentOptions): Promise<Deployment> {
    return new Deployment(await mkdtemp(join(tmpdir(), 'weft-deployment-')), options);
  }

  bootstrap(): Promise<string> {
    return this.#cdk('bootstrap', `aws://${this.#access.account}/${this.#access.region}`);
  }

  /** Deploys the assembly, or another one with the same stacks. */
  async deploy(assembly = this.#assembly): Promise<Deployed> {
    const outputs = join(this.#folder, 'outputs.json');
    const flags = ['--require-approval', 'never', '--outputs-file', outputs];
    const printed = await this.#cdk('deploy', '--all', '--app', assembly, ...flags);
    const stackIds = printed.match(/arn:aws:cloudformation:\S+/g) ?? [];
    return { outputs: JSON.parse(await readFile(outputs, 'utf8')), stackIds };
  }

  /** Destroys a stack, or all. */
  destroy(stack = '--all'): Promise<string> {
    return this.#cdk('destroy', stack, '--app', this.#assembly, '--force');
  }

  /** Removes the temporary folder. */
  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** The administrator's API key, read as in docs/deploying.md. */
  async key(name: string): Promise<string> {
    const client = new SSMClient(this.#access.client);
    const { Parameter } = await client.send(new GetParameterCommand({ Name: `/${name}`, WithDecryption: true }));
    return (JSON.parse(Parameter?.Value ?? '{}') as { apikey?: string }).apikey ?? '';
  }

  // In a folder without an app: there, `cdk bootstrap` would synthesize the app again, without its bundles.
  #cdk(...args: readonly string[]): Promise<string> {
    const { endpoint, environment } = this.#access;
    // The home of an account holds its profiles.
    const home = endpoint === undefined ? {} : { HOME: this.#folder };
    return cdk(this.#folder, args, { ...process.env, ...home, CI: '1', ...environment });
  }
}
