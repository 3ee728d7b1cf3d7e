import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleCopiedFile } from '../../../../../bin/functions/build.ts';
import { copyImage } from '../../../../../lib/adapters/aws/containers/images/copy.ts';
import { createLayerSource } from '../../../../../lib/adapters/aws/containers/images/layers.ts';
import type { Engine } from '../../../../../lib/adapters/local/containers/engine/engine.ts';
import { detectRunFlags } from '../../../../../lib/adapters/local/containers/engine/run-flags.ts';
import {
  prepareSidecarImage,
  type SidecarImage,
} from '../../../../../lib/adapters/local/containers/engine/sidecar-image.ts';
import { Repository } from '../../../../../lib/containers/oci/registry.ts';
import { egressGuard } from '../../../../../lib/egress/guard.ts';
import type { ContainerRevision } from '../../../../../lib/ports/containers.ts';
import { addImage, NODE } from '../../../../containers/fixtures/images.ts';
import { type RegistryServer, startRegistryServer } from '../../../../containers/fixtures/registry-server.ts';
import { type CalledFunction, containersContract, GREETING } from '../../../../contract/containers.ts';
import { MemoryTable } from '../../../../contract/memory-table.ts';
import { engineForTests, makeTestImage } from '../../../local/containers/fixtures/image.ts';
import { alpineNodeLayers, missingNode } from '../fixtures/alpine-node.ts';
import { type Bucket, startBucket } from '../fixtures/bucket.ts';
import { type PodmanEnvironment, startPodmanEnvironment } from '../fixtures/podman-environment.ts';
import { openReadyRevision } from '../fixtures/ready-revision.ts';

const engine = await engineForTests();
const SHELL = '/bin/busybox';
const missing =
  typeof engine === 'string'
    ? engine
    : (missingNode ??
      (engine.kind === 'podman' ? undefined : 'podman is not installed') ??
      (existsSync(SHELL) ? undefined : 'busybox-static is not installed'));

const FUNCTION = fileURLToPath(new URL('../../../local/containers/fixtures/function.mjs', import.meta.url));
const guard = egressGuard({ allowsPrivate: true });
const id = `weft-copied-${randomUUID().slice(0, 8)}`;

/** The parent of the temporary directories of calls on Lambda. */
const FOLDER = '/tmp/shared';

/** A shell script that answers a call: with the input, the working directory and parts of the environment. */
const ANSWER = `#!/busybox sh
while read -r line; do
  line=\${line%$(/busybox printf '\\r')}
  case "$line" in [Cc]ontent-[Ll]ength:*) size=\${line#*: } ;; '') break ;; esac
done
body=$(/busybox head -c "\${size:-0}")
answer="{\\"input\\":$body,\\"folder\\":\\"$PWD\\",\\"word\\":\\"$WORD\\",\\"options\\":\\"$NODE_OPTIONS\\",\\"marks\\":\\"$(/busybox env | /busybox grep -c WEFT)\\"}"
/busybox printf 'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n%s' "\${#answer}" "$answer"
`;
const SERVE = '#!/busybox sh\nexec /busybox nc -ll -p 8080 -e /srv/answer\n';

/** Runs a command of the engine without blocking this process, whose servers it uses. */
async function run(engine: Engine, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await engine.run(args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** The sidecar as it is deployed. */
async function programBundle(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-sidecar-'));
  await bundleCopiedFile('beside.mjs', folder);
  const bytes = readFileSync(join(folder, 'beside.mjs'));
  rmSync(folder, { recursive: true });
  return bytes;
}

describe('the copy of an image, run as Lambda runs it', () => {
  let source: RegistryServer;
  let target: RegistryServer;
  let bucket: Bucket;
  let flags: readonly string[] = [];
  let sidecar: SidecarImage;
  const images: string[] = [];
  const environments: string[] = [];
  const table = new MemoryTable();

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  beforeAll(async () => {
    if (typeof engine === 'string' || missing !== undefined) return;
    [source, target] = [
      await startRegistryServer(),
      await startRegistryServer({ scheme: 'basic', login: 'AWS:secret' }),
    ];
    bucket = await startBucket();
    sidecar = await prepareSidecarImage(engine);
    const found = await detectRunFlags(engine, sidecar);
    flags = 'problem' in found ? [] : found.flags.always;
    await addImage(source, `${NODE}:1`, { kind: 'oci', compression: 'zstd', layers: alpineNodeLayers() });
  }, 120_000);

  afterAll(async () => {
    if (typeof engine === 'string' || missing !== undefined) return;
    // A failed test leaves its environment.
    await engine.run([...engine.remove, ...environments.flatMap((name) => [name, `${name}-network`])]);
    for (const image of images) await engine.run(['rmi', '-f', image]);
    for (const one of [source, target, bucket]) await one.close();
  });

  /** Copies an image of the source, and starts an execution environment of the copy. */
  async function start(name: string, given: Partial<ContainerRevision> = {}): Promise<PodmanEnvironment> {
    if (typeof engine === 'string') throw new Error(engine);
    const repository = new Repository({
      guard,
      base: target.base,
      name: 'weft-containers',
      login: { user: 'AWS', token: 'secret' },
      actions: 'pull,push',
    });
    const layersFor = createLayerSource({
      guard,
      table,
      program: programBundle,
      nodeImage: `${source.host}/${NODE}:1`,
    });
    const fields = { command: [], environment: {}, credentials: [], ...given, image: `${source.host}/demo/${name}:1` };
    await copyImage({ guard, target: repository, layersFor, onProgress: async () => true }, fields, name);
    const image = `${target.host}/weft-containers:${name}`;
    await run(engine, ['pull', '-q', '--tls-verify=false', '--creds', 'AWS:secret', image]);
    images.push(image);
    environments.push(`${id}-${name}`);
    const bucketPort = Number((await bucket.client.config.endpoint?.())?.port);
    return startPodmanEnvironment({ engine, flags, sidecar, image, name: `${id}-${name}`, bucketPort });
  }

  async function call(environment: PodmanEnvironment, input: object): Promise<CalledFunction> {
    try {
      return await (await openReadyRevision(bucket, environment.client)).call(input);
    } finally {
      await environment.close();
    }
  }

  test('needs no file but its program, which has the working directory and the environment of the image', async () => {
    const config = {
      Entrypoint: ['./serve'],
      WorkingDir: '/srv',
      Env: ['WORD=of the image', 'NODE_OPTIONS=--no-such-option', 'LD_LIBRARY_PATH=/nowhere'],
    };
    const layers = [{ busybox: readFileSync(SHELL), 'srv/answer': ANSWER, 'srv/serve': SERVE }];
    await addImage(source, 'demo/scratch:1', { layers, config });
    const environment = await start('scratch', { environment: { WORD: 'a b=c' } });
    const { failure, json } = await call(environment, { n: 1 });
    expect(failure).toBeUndefined();
    expect(json()).toEqual({ input: { n: 1 }, folder: '/srv', word: 'a b=c', options: '--no-such-option', marks: '0' });
  }, 60_000);

  test('may have Alpine and a Node of its own', async () => {
    const config = { Entrypoint: ['node'], Cmd: ['/function.mjs'], Env: ['PATH=/usr/local/bin', 'GREETING=hello'] };
    const layers = [...alpineNodeLayers(), { 'function.mjs': readFileSync(FUNCTION) }];
    await addImage(source, 'demo/alpine:1', { kind: 'oci', compression: 'zstd', layers, config });
    const { failure, json } = await call(await start('alpine'), { do: 'echo' });
    expect(failure).toBeUndefined();
    expect(json()).toMatchObject({ environment: 'hello', args: [] });
  }, 60_000);

  describe('with programs of another C library, made by podman,', () => {
    containersContract(async () => {
      if (typeof engine === 'string') throw new Error(engine);
      const local = await makeTestImage(engine);
      await run(engine, ['push', '-q', '--tls-verify=false', local, `docker://${source.host}/demo/fn:1`]);
      const environment = await start('fn', { environment: { GREETING, SHARED: FOLDER } });
      const revision = await openReadyRevision(bucket, environment.client);
      return { ...revision, folder: FOLDER, close: () => environment.close() };
    }, missing);
  });
});
