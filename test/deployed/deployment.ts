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
const LARGEST_OUTPUT = 64 * 1024 * 1024;
export const REGION = 'us-east-1';
const ACCOUNT = '000000000000';
/** The emulator takes any. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

export interface DeploymentOptions {
  /** Where AWS is. */
  readonly endpoint: string;
  /** Where the templates and bundles are. */
  readonly assembly: string;
}

/** Synthesizes into a folder. The app is told the context, `name=flows` and the like. */
export async function synthesize(assembly: string, context: readonly string[]): Promise<void> {
  const told = context.flatMap((pair) => ['-c', pair]);
  await cdk(ROOT, ['synth', '--quiet', '--output', assembly, ...told], process.env);
}

/** Runs CDK's command line in a folder. Throws what it says when it fails. */
async function cdk(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const flags = ['--no-notices', '--no-color'];
  try {
    const { stdout } = await run(CDK, [...args, ...flags], { cwd: folder, env, maxBuffer: LARGEST_OUTPUT });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`cdk ${args[0]} failed:\n${`${stdout}\n${stderr}`.slice(-4000)}`);
  }
}

/** The ordinary tools of CDK, against an endpoint of one's own. */
export class Deployment {
  readonly #folder: string;
  readonly #endpoint: string;
  readonly #assembly: string;

  private constructor(folder: string, { endpoint, assembly }: DeploymentOptions) {
    this.#folder = folder;
    this.#endpoint = endpoint;
    this.#assembly = assembly;
  }

  static async open(options: DeploymentOptions): Promise<Deployment> {
    return new Deployment(await mkdtemp(join(tmpdir(), 'weft-deployment-')), options);
  }

  bootstrap(): Promise<string> {
    return this.#cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`);
  }

  /** Deploys what was synthesized, and answers the outputs of its stacks. */
  async deploy(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
    const outputs = join(this.#folder, 'outputs.json');
    const how = ['--require-approval', 'never', '--outputs-file', outputs];
    await this.#cdk('deploy', '--all', '--app', this.#assembly, ...how);
    return JSON.parse(await readFile(outputs, 'utf8'));
  }

  destroy(): Promise<string> {
    return this.#cdk('destroy', '--all', '--app', this.#assembly, '--force');
  }

  /** Removes its files. */
  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** The administrative key, as the README has it fetched. */
  async key(name: string): Promise<string> {
    const client = new SSMClient({ endpoint: this.#endpoint, region: REGION, credentials: CREDENTIALS });
    const { Parameter } = await client.send(new GetParameterCommand({ Name: `/${name}`, WithDecryption: true }));
    return (JSON.parse(Parameter?.Value ?? '{}') as { apikey?: string }).apikey ?? '';
  }

  // In a folder of its own: bootstrapping beside an app would synthesize it once more, without its bundles.
  #cdk(...args: readonly string[]): Promise<string> {
    return cdk(this.#folder, args, {
      ...process.env,
      HOME: this.#folder,
      CI: '1',
      AWS_ENDPOINT_URL: this.#endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    });
  }
}
