import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleConstruct } from '../../bin/bundle.ts';
import { ofType, type Resource } from './stack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The folder of another app with CDK and the package, as after `npm install`. */
let folder: string;

/** Stubs of the functions in the package: other tests bundle the real ones. */
async function standIns(dist: string): Promise<void> {
  const files = await readdir(join(ROOT, 'functions'), { recursive: true });
  for (const file of files.filter((path) => path.endsWith('.ts'))) {
    const place = join(dist, 'functions', file.replace(/\.ts$/, ''));
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'index.mjs'), `export const handler = async () => ${JSON.stringify(file)};\n`);
  }
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
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

type Templates = Readonly<Record<string, { readonly Resources: Record<string, Resource>; readonly Outputs?: object }>>;

/** Runs the app and returns its templates by stack. Throws with its output if it fails. */
async function synth(name: string, source: string): Promise<Templates> {
  const file = join(folder, `${name}.mjs`);
  const outdir = join(folder, `${name}.out`);
  await writeFile(file, source);
  await run(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, CDK_OUTDIR: outdir },
  });
  const files = (await readdir(outdir)).filter((one) => one.endsWith('.template.json'));
  const read = async (one: string) => [one.split('.')[0], JSON.parse(await readFile(join(outdir, one), 'utf8'))];
  return Object.fromEntries(await Promise.all(files.map(read)));
}

const IMPORTS =
  "import { App, CfnOutput, Stack } from 'aws-cdk-lib';\nimport { Weft, WeftData } from 'weft-workflows/cdk';\n";

describe('the construct in another app', () => {
  test('creates an installation with its data in a stack of the app', async () => {
    const { Shop } = await synth(
      'alone',
      `${IMPORTS}
const stack = new Stack(new App(), 'Shop');
const { url, keyParameter, bus } = new Weft(stack, 'Flows', { name: 'flows', retain: false, logDays: 7 });
new CfnOutput(stack, 'Told', { value: url + keyParameter + bus.eventBusName });
stack.node.root.synth();
`,
    );
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
    expect(Object.keys(Outputs)).toEqual(['Told']);
    const steps = ofType(Resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('FlowsFunctionssteps'));
    const tables = ofType(Resources, 'AWS::DynamoDB::Table').map(([id]) => id);
    expect(steps?.[1]).toMatchObject({ DependsOn: expect.arrayContaining(tables) });
  });

  test('creates several installations with separate data stacks, and without references between the stacks', async () => {
    const templates = await synth(
      'several',
      `${IMPORTS}
const app = new App();
const env = { region: 'eu-west-1', account: '123456789012' };
const data = new Stack(app, 'Data', { env });
for (const name of ['flows', 'flows-2']) {
  const settings = { name, kms: true };
  new Weft(new Stack(app, name, { env }), 'Weft', { ...settings, data: new WeftData(data, name, settings), brand: 'direktiv' });
}
app.synth();
`,
    );
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
    const { Shop } = await synth(
      'parts',
      `${IMPORTS}
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
    );
    const resources = Shop?.Resources ?? {};
    const [keyId] = ofType(resources, 'AWS::KMS::Key')[0] ?? [];
    const steps = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('FlowsFunctionssteps'));
    expect(JSON.stringify(steps)).toContain(`"WEFT_ROOT_KEY":{"Fn::GetAtt":["${keyId}","Arn"]}`);
    expect(ofType(resources, 'AWS::SNS::Topic')).toHaveLength(1);
    expect(ofType(resources, 'AWS::CloudWatch::Alarm')).toHaveLength(6);
    expect(JSON.stringify(ofType(resources, 'AWS::ApiGateway::DomainName'))).toContain('{"Ref":"Certificate');
  });

  test('rejects a property by its name', async () => {
    const source = `${IMPORTS}new Weft(new Stack(new App(), 'Shop'), 'Flows', { name: 'My Flows' });\n`;
    await expect(synth('wrong', source)).rejects.toThrow('the property name: My Flows is no valid name');
  });

  test('rejects a second installation with the same name in the same place, and accepts it elsewhere', async () => {
    const twice = (other: string) => `${IMPORTS}
const app = new App();
for (const region of ['eu-west-1', '${other}']) {
  new Weft(new Stack(app, 'In-' + region + app.node.children.length, { env: { region, account: '123456789012' } }), 'Weft');
}
`;
    const message = 'In-eu-west-10/Weft and In-eu-west-11/Weft have the same name weft; give one of them another name';
    await expect(synth('twins', twice('eu-west-1'))).rejects.toThrow(message);
    await expect(synth('apart', twice('eu-west-2'))).resolves.toBeDefined();
  });

  test('works as docs/deploying.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs/deploying.md'), 'utf8');
    const shown = [...page.matchAll(/^```ts\n(.*?)\n```$/gms)].map(([, code]) => code).join('\n');
    const templates = await synth('shown', shown);
    expect(Object.keys(templates).toSorted()).toEqual(['Flows', 'Orders', 'OrdersData']);
    expect(Object.keys(templates['Flows']?.Outputs ?? {})).toEqual(['Url']);
  });

  test('has type declarations, which reject unknown properties', async () => {
    const check = async (props: string) => {
      await writeFile(
        join(folder, 'app.ts'),
        `${IMPORTS}new Weft(new Stack(new App(), 'Shop'), 'Flows', ${props}).url.length;\n`,
      );
      const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--target', 'es2024'];
      const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      return run(process.execPath, [tsc, ...flags, 'app.ts'], { cwd: folder }).then(
        () => '',
        ({ stdout }: { readonly stdout: string }) => stdout,
      );
    };
    expect(await check("{ name: 'flows', retain: false, inbound: [{ namespace: 'a', pattern: {} }] }")).toBe('');
    expect(await check("{ nmae: 'flows' }")).toContain("'nmae' does not exist in type 'WeftProps'");
  });
});
