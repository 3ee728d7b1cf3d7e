import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The packages of a user's project beside Weft: those that the construct is written for, and types of Node. */
const BESIDE = ['aws-cdk-lib', 'constructs', '@types'];

/** An empty project in which the package is installed. */
export interface Project {
  readonly folder: string;
  /** The package in it, with its dependencies: bytes. */
  readonly bytes: number;
}

async function bytesIn(folder: string): Promise<number> {
  const { stdout } = await run('du', ['--bytes', '--summarize', folder]);
  return Number.parseInt(stdout, 10);
}

/** Installs an archive of the package into an empty project, which the caller removes. Throws what npm prints. */
export async function installInto(archive: string): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-release-'));
  await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
  // The package needs no other package, so that npm fetches none.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: folder });
  const bytes = await bytesIn(join(folder, 'node_modules'));
  for (const name of BESIDE) await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const file of await readdir(join(HERE, 'trial'))) await copyFile(join(HERE, 'trial', file), join(folder, file));
  return { folder, bytes };
}

/** A Node that a trial uses. */
export interface Node {
  readonly version: string;
  readonly program: string;
}

/** The Node that runs this program, and the older one of bin/release/node/, which is installed if it is missing. */
export async function nodesOf(): Promise<Node[]> {
  const folder = join(HERE, 'node');
  const find = async () =>
    (await readdir(join(folder, 'node_modules')).catch(() => [])).find((name) => name.startsWith('node-'));
  if ((await find()) === undefined) await run('npm', ['ci'], { cwd: folder });
  const name = await find();
  if (name === undefined) throw new Error(`bin/release/node has no Node for ${process.platform}-${process.arch}`);
  const older = join(folder, 'node_modules', name, 'bin', 'node');
  return [older, process.execPath].map((program) => ({
    program,
    version: execFileSync(program, ['--version'], { encoding: 'utf8' }).trim(),
  }));
}

/** A service that a trial uses. */
export interface Target {
  readonly url: string;
  readonly key: string;
}

/** A use of the package: a program of the project with its arguments, and the text that it must print. */
export interface Use {
  readonly name: string;
  readonly args: readonly string[];
  readonly prints: RegExp;
}

const WEFT = join('node_modules', 'weft-workflows', 'bin', 'weft.mjs');
const example = (file: string): string => join(ROOT, 'examples', 'hello', file);

/** The uses of every part of the package. `label` names what they create, so that several trials share a service. */
export const usesOf = (label: string): readonly Use[] => [
  { name: 'weft --version', args: [WEFT, '--version'], prints: /^v\d+\.\d+\.\d+$/ },
  { name: 'weft validate', args: [WEFT, 'validate', example('workflow.yaml')], prints: /^0 problems in 1 file$/ },
  { name: 'weft test', args: [WEFT, 'test', example('workflow.test.yaml')], prints: /^[1-9]\d* passed, 0 failed$/ },
  { name: 'weft namespaces', args: [WEFT, 'namespaces', 'create', label], prints: /^created / },
  { name: 'weft exec', args: [WEFT, 'exec', example('workflow.yaml'), '-n', label], prints: /^\{$/ },
  { name: './client', args: ['client.mjs', `${label}-client`], prints: /^\{"text":"hello"\}\n404$/ },
  { name: './worker', args: ['worker.mjs', `${label}-worker`], prints: /^\{"double":42\}$/ },
  { name: './cdk', args: ['construct.mjs', join('.', `${label}.out`)], prints: /^(1[6-9]|[2-9]\d)$/ },
];

/** Runs a use in a project. Returns why it does not work; undefined if it does. */
export async function tryUse(project: Project, node: Node, use: Use, target: Target): Promise<string | undefined> {
  const env = {
    PATH: process.env['PATH'],
    HOME: project.folder,
    WEFT_URL: target.url,
    WEFT_KEY: target.key,
    CDK_VALIDATION: 'false',
  };
  const { stdout, stderr } = await run(node.program, [...use.args], { cwd: project.folder, env }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return new RegExp(use.prints, 'm').test(stdout.trim()) ? undefined : `${stdout}${stderr}`.trim();
}

/** A program of a user in TypeScript: a text, because the types of the package do not exist in the clone. */
const TYPED = `import { type App, Stack } from 'aws-cdk-lib';
import { Weft } from 'weft-workflows/cdk';
import { createClient } from 'weft-workflows/client';
import { startWorker, TaskError } from 'weft-workflows/worker';

export const urlOf = (app: App): string => new Weft(new Stack(app, 'Flows'), 'Weft', { name: 'flows' }).url;

const options = { url: 'http://127.0.0.1:8080', key: 'key', namespace: 'demo' };

export async function namesOf(): Promise<string[]> {
  const { results } = await createClient(options).call('listNamespaces');
  return results.map(({ name }) => name);
}

export const start = () =>
  startWorker<{ readonly image: string }>({ ...options, queue: 'labelling' }, ({ input }) => {
    if (input.image === '') throw new TaskError('image.unreadable', 'empty');
    return { label: input.image };
  });
`;

/** Compiles a program in TypeScript that uses every part. Returns what the compiler prints; undefined if it accepts it. */
export async function tryTypes({ folder }: Project): Promise<string | undefined> {
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--target', 'es2024'];
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const types = ['--lib', 'es2024,dom', '--types', 'node'];
  await writeFile(join(folder, 'typed.ts'), TYPED);
  return run(process.execPath, [tsc, ...flags, ...types, 'typed.ts'], { cwd: folder }).then(
    () => undefined,
    (error: { readonly stdout: string }) => error.stdout,
  );
}

/** Removes a project. */
export const removeProject = ({ folder }: Project): Promise<void> => rm(folder, { recursive: true });
