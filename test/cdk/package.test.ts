import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleConstruct } from '../../bin/bundle.ts';
import { COPIED_FILES, LICENSE, NOTICES } from '../../cdk/functions/extra-files.ts';
import { ofType, type Resource } from './stack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A folder with CDK and the package, as `npm install` leaves it in the project of a user. */
let folder: string;

const IMPORTS =
  "import { App, CfnOutput, Stack } from 'aws-cdk-lib';\nimport { Weft, WeftData } from 'weft-workflows/cdk';\n";

const twice = (other: string) => `${IMPORTS}
const app = new App();
for (const region of ['eu-west-1', '${other}']) {
  new Weft(new Stack(app, 'In-' + region + app.node.children.length, { env: { region, account: '123456789012' } }), 'Weft');
}
`;

const page = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8');
const shown = [...page.matchAll(/^```ts\n(.*?)\n```$/gms)].map(([, code]) => code).join('\n');

/** The apps of the tests. */
const APPS = {
  alone: `${IMPORTS}
const stack = new Stack(new App(), 'Shop');
const { url, keyParameter, bus } = new Weft(stack, 'Flows', { name: 'flows', retain: false, logDays: 7 });
new CfnOutput(stack, 'Summary', { value: url + keyParameter + bus.eventBusName });
stack.node.root.synth();
`,
  several: `${IMPORTS}
const app = new App();
const env = { region: 'eu-west-1', account: '123456789012' };
const data = new Stack(app, 'Data', { env });
for (const name of ['flows', 'flows-2']) {
  const props = { name, kms: true };
  new Weft(new Stack(app, name, { env }), 'Weft', { ...props, data: new WeftData(data, name, props), brand: 'direktiv' });
}
app.synth();
`,
  parts: `${IMPORTS}
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
const stack = new Stack(new App(), 'Shop');
new Weft(stack, 'Flows', {
  kms: new Key(stack, 'Key').keyArn,
  alarms: new Topic(stack, 'Topic').topicArn,
  domain: 'flows.example.com',
  certificate: new Certificate(stack, 'Certificate', { domainName: 'flows.example.com' }).certificateArn,
  outbound: [{ target: new Queue(stack, 'Queue').queueArn, types: [{ prefix: 'com.' }] }],
  dashboard: true,
  tracing: true,
});
stack.node.root.synth();
`,
  wrong: `${IMPORTS}new Weft(new Stack(new App(), 'Shop'), 'Flows', { name: 'My Flows' });\n`,
  twins: twice('eu-west-1'),
  apart: twice('eu-west-2'),
  shown,
} as const;

/** Files beside functions of the package: the licenses beside all of them. */
const BESIDE = [LICENSE, NOTICES, ...COPIED_FILES];

/** Functions of the package that do nothing. Other tests bundle the real ones. */
async function standIns(dist: string): Promise<void> {
  const files = await readdir(join(ROOT, 'functions'), { recursive: true });
  for (const file of files.filter((path) => path.endsWith('.ts'))) {
    const place = join(dist, 'functions', file.replace(/\.ts$/, ''));
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'index.mjs'), `export const handler = async () => ${JSON.stringify(file)};\n`);
  }
  await mkdir(join(dist, 'functions/copies'));
  for (const file of BESIDE) await writeFile(join(dist, 'functions/copies', file), file);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-elsewhere-'));
  const home = join(folder, 'node_modules', 'weft-workflows');
  await mkdir(home, { recursive: true });
  await cp(join(ROOT, 'package.json'), join(home, 'package.json'));
  await bundleConstruct(join(home, 'dist'));
  await standIns(join(home, 'dist'));
  for (const name of ['aws-cdk-lib', 'constructs', '@types']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await synthAll();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Templates = Readonly<Record<string, { readonly Resources: Record<string, Resource>; readonly Outputs?: object }>>;

/** Runs one app after the other in one process, and writes down why one failed: CDK is loaded once. */
const RUNNER = `
import { writeFileSync } from 'node:fs';
for (const name of process.argv.slice(2)) {
  process.env.CDK_OUTDIR = './' + name + '.out';
  await import('./' + name + '.mjs').catch(({ message }) => writeFileSync('./' + name + '.error', message));
}
`;

async function synthAll(): Promise<void> {
  for (const [name, source] of Object.entries(APPS)) await writeFile(join(folder, `${name}.mjs`), source);
  await writeFile(join(folder, 'runner.mjs'), RUNNER);
  const env = { PATH: process.env['PATH'], HOME: folder, CDK_VALIDATION: 'false' };
  await run(process.execPath, ['runner.mjs', ...Object.keys(APPS)], { cwd: folder, env });
}

/** The templates that an app wrote, by stack. Throws the error that the app threw. */
async function templatesOf(name: keyof typeof APPS): Promise<Templates> {
  const error = await readFile(join(folder, `${name}.error`), 'utf8').catch(() => undefined);
  if (error !== undefined) throw new Error(error);
  const outdir = join(folder, `${name}.out`);
  const files = (await readdir(outdir)).filter((one) => one.endsWith('.template.json'));
  const read = async (one: string) => [one.split('.')[0], JSON.parse(await readFile(join(outdir, one), 'utf8'))];
  return Object.fromEntries(await Promise.all(files.map(read)));
}

describe('the construct in the app of a user', () => {
  test('creates an installation with its data in a stack of the app', async () => {
    const { Shop } = await templatesOf('alone');
    const { Resources = {}, Outputs = {} } = Shop ?? {};
    const functions = ofType(Resources, 'AWS::Lambda::Function').map(([, one]) => one);
    expect(functions.length).toBeGreaterThan(15);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Handler: 'index.handler', Architectures: ['arm64'] });
    }
    expect(ofType(Resources, 'AWS::DynamoDB::Table').map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual([
      'Delete',
      'Delete',
      'Delete',
    ]);
    // The app defines its own outputs.
    expect(Object.keys(Outputs)).toEqual(['Summary']);
    const steps = ofType(Resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('FlowsFunctionssteps'));
    const tables = ofType(Resources, 'AWS::DynamoDB::Table').map(([id]) => id);
    expect(steps?.[1]).toMatchObject({ DependsOn: expect.arrayContaining(tables) });
  });

  test('deploys each function with the licenses, and those with scripts with their thread', async () => {
    const out = join(folder, 'alone.out');
    const assets = (await readdir(out)).filter((name) => name.startsWith('asset.'));
    const contents = await Promise.all(
      assets.map(async (name) => ({ asset: name, files: await readdir(join(out, name)) })),
    );
    const functions = contents.filter(({ files }) => files.includes('index.mjs'));
    expect(functions.length).toBeGreaterThan(15);
    for (const { files } of functions) {
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'THIRD-PARTY-NOTICES.txt']));
    }
    const withThread = functions.filter(({ files }) => files.includes('sandbox-worker.mjs'));
    const sources = await Promise.all(
      withThread.map(
        async ({ asset }) => /"(.*)\.ts"/.exec(await readFile(join(out, asset, 'index.mjs'), 'utf8'))?.[1],
      ),
    );
    // The functions that evaluate scripts of users, and the functions that run states.
    expect(sources.toSorted()).toEqual([
      'lambdas/events',
      'lambdas/instances',
      'lambdas/system',
      'lambdas/tree',
      'lambdas/workers',
      'triggers/cron',
      'triggers/router',
      'triggers/steps',
      'triggers/sweep',
    ]);
  });

  test('creates several installations with separate data stacks, and without references between the stacks', async () => {
    const templates = await templatesOf('several');
    expect(Object.keys(templates).toSorted()).toEqual(['Data', 'flows', 'flows-2']);
    expect(JSON.stringify(templates)).not.toMatch(/Fn::ImportValue|"Export"/);
    const resources = templates['Data']?.Resources ?? {};
    expect(ofType(resources, 'AWS::DynamoDB::Table')).toHaveLength(6);
    expect(ofType(resources, 'AWS::S3::Bucket').map(([, { Properties }]) => Properties['BucketName'])).toEqual([
      'flows-blobs-123456789012-eu-west-1',
      'flows-2-blobs-123456789012-eu-west-1',
    ]);
    for (const name of ['flows', 'flows-2']) {
      const { Resources = {} } = templates[name] ?? {};
      expect(JSON.stringify(ofType(Resources, 'AWS::Lambda::Function'))).toContain(`"WEFT_RUNS":"${name}-runs"`);
    }
  });

  test('accepts names of other constructs that are known only at deployment', async () => {
    const { Shop } = await templatesOf('parts');
    const resources = Shop?.Resources ?? {};
    const [keyId] = ofType(resources, 'AWS::KMS::Key')[0] ?? [];
    const steps = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('FlowsFunctionssteps'));
    expect(JSON.stringify(steps)).toContain(`"WEFT_ROOT_KEY":{"Fn::GetAtt":["${keyId}","Arn"]}`);
    expect(ofType(resources, 'AWS::SNS::Topic')).toHaveLength(1);
    expect(ofType(resources, 'AWS::CloudWatch::Alarm')).toHaveLength(6);
    expect(JSON.stringify(ofType(resources, 'AWS::ApiGateway::DomainName'))).toContain('{"Ref":"Certificate');
  });

  test('rejects a property by its name', async () => {
    await expect(templatesOf('wrong')).rejects.toThrow('the property name: My Flows is no valid name');
  });

  test('rejects a second installation with the same name in the same place, and accepts it elsewhere', async () => {
    const message = 'In-eu-west-10/Weft and In-eu-west-11/Weft have the same name weft; give one of them another name';
    await expect(templatesOf('twins')).rejects.toThrow(message);
    await expect(templatesOf('apart')).resolves.toBeDefined();
  });

  test('does what docs/deploying.md shows', async () => {
    const templates = await templatesOf('shown');
    expect(Object.keys(templates).toSorted()).toEqual(['Flows', 'Orders', 'OrdersData']);
    expect(Object.keys(templates['Flows']?.Outputs ?? {})).toEqual(['Url']);
  });

  test('is declared for TypeScript, which refuses a property that does not exist', async () => {
    const app = (props: string) => `${IMPORTS}new Weft(new Stack(new App(), 'Shop'), 'Flows', ${props}).url.length;\n`;
    const iam = (permission: string) => `iam: { principals: { 'arn:aws:iam::123456789012:root': '${permission}' } }`;
    const right = `{ name: 'flows', retain: false, inbound: [{ namespace: 'a', pattern: {} }], ${iam('read')} }`;
    await writeFile(join(folder, 'right.ts'), app(right));
    await writeFile(join(folder, 'wrong.ts'), app("{ nmae: 'flows' }"));
    await writeFile(join(folder, 'root.ts'), app(`{ ${iam('root')} }`));
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--target', 'es2024'];
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, ...flags, 'right.ts', 'wrong.ts', 'root.ts'], {
      cwd: folder,
    }).catch((error: { readonly stdout: string }) => error);
    expect(stdout).toContain("'nmae' does not exist in type 'WeftProps'");
    expect(stdout).toContain('Type \'"root"\' is not assignable');
    expect(stdout.match(/error TS/g)).toHaveLength(2);
  });
});
