import { execSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { companionCommand } from '../../../../cdk/functions/companions.ts';
import { copyImage } from '../../../../lib/adapters/aws/containers/copying.ts';
import { layersOf } from '../../../../lib/adapters/aws/containers/layers.ts';
import type { Engine } from '../../../../lib/adapters/local/containers/engine.ts';
import { findRunFlags } from '../../../../lib/adapters/local/containers/run-flags.ts';
import { makeSidecarImage, type SidecarImage } from '../../../../lib/adapters/local/containers/sidecar-image.ts';
import { guardOf } from '../../../../lib/adapters/portable/web.ts';
import { Repository } from '../../../../lib/containers/oci/registry.ts';
import type { ContainerRevision } from '../../../../lib/ports/containers.ts';
import { type CalledFunction, containersContract, GREETING } from '../../../contract/containers.ts';
import { MemoryTable } from '../../../contract/memory-table.ts';
import { engineForTests, makeTestImage } from '../../local/containers/stage/image.ts';
import { alpineNodeLayers, missingNode } from './stage/alpine-node.ts';
import { type Bucket, startBucket } from './stage/bucket.ts';
import { type Environment, startEnvironment } from './stage/environment.ts';
import { addImage, NODE } from './stage/images.ts';
import { callingLambda } from './stage/ready.ts';
import { type Store, startStore } from './stage/store.ts';

const engine = await engineForTests();
const SHELL = '/bin/busybox';
const missing =
  typeof engine === 'string'
    ? engine
    : (missingNode ??
      (engine.kind === 'podman' ? undefined : 'podman is not installed') ??
      (existsSync(SHELL) ? undefined : 'busybox-static is not installed'));

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const FUNCTION = fileURLToPath(new URL('../../local/containers/stage/function.mjs', import.meta.url));
const guard = guardOf({ mayAskItself: true });
const id = `weft-wrapped-${randomUUID().slice(0, 8)}`;

/** Where temporary directories of calls are on Lambda. */
const FOLDER = '/tmp/shared';

/** What a shell answers to a call: what came in, where it is, and what it has of its environment. */
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

/** Runs a command of the engine, which asks servers of this very process. */
async function done(engine: Engine, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await engine.run(words);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** The program as it is deployed. */
function programBundle(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'weft-beside-'));
  execSync(companionCommand('beside.mjs', ROOT, folder));
  const bytes = readFileSync(join(folder, 'beside.mjs'));
  rmSync(folder, { recursive: true });
  return bytes;
}

describe('an image that is wrapped for Lambda, as Lambda runs it', () => {
  let source: Store;
  let target: Store;
  let bucket: Bucket;
  let flags: readonly string[] = [];
  let sidecar: SidecarImage;
  const images: string[] = [];
  const copies: string[] = [];
  const table = new MemoryTable();

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  beforeAll(async () => {
    if (typeof engine === 'string' || missing !== undefined) return;
    [source, target] = [await startStore(), await startStore({ asks: 'basic', login: 'AWS:secret' })];
    bucket = await startBucket();
    sidecar = await makeSidecarImage(engine);
    const found = await findRunFlags(engine, sidecar, []);
    flags = 'problem' in found ? [] : found.flags.always;
    await addImage(source, NODE, '1', { kind: 'oci', zip: 'zstd', layers: alpineNodeLayers() });
  });

  afterAll(async () => {
    if (typeof engine === 'string' || missing !== undefined) return;
    // A call that never ends leaves its copy.
    await engine.run([...engine.remove, ...copies.flatMap((name) => [name, `${name}-network`])]);
    for (const image of images) await engine.run(['rmi', '-f', image]);
    for (const one of [source, target, bucket]) await one.close();
  });

  /** Wraps an image of the source, and lets Lambda have a copy of it. */
  async function start(name: string, given: Partial<ContainerRevision> = {}): Promise<Environment> {
    if (typeof engine === 'string') throw new Error(engine);
    const repository = new Repository(
      guard,
      target.base,
      'weft-containers',
      { user: 'AWS', token: 'secret' },
      'pull,push',
    );
    const layersFor = layersOf({
      guard,
      table,
      program: async () => programBundle(),
      nodeImage: `${source.host}/${NODE}:1`,
    });
    const fields = { command: [], environment: {}, credentials: [], ...given, image: `${source.host}/demo/${name}:1` };
    await copyImage({ guard, target: repository, layersFor, next: async () => true }, fields, name);
    const image = `${target.host}/weft-containers:${name}`;
    await done(engine, ['pull', '-q', '--tls-verify=false', '--creds', 'AWS:secret', image]);
    images.push(image);
    copies.push(`${id}-${name}`);
    const bucketPort = Number((await bucket.client.config.endpoint?.())?.port);
    return startEnvironment({ engine, flags, sidecar, image, name: `${id}-${name}`, bucketPort });
  }

  async function call(copy: Environment, input: object): Promise<CalledFunction> {
    try {
      return await (await callingLambda(bucket, copy.client)).call(input, {});
    } finally {
      await copy.close();
    }
  }

  test('needs nothing in it but its own program, which has its folder and its environment', async () => {
    const config = {
      Entrypoint: ['./serve'],
      WorkingDir: '/srv',
      Env: ['WORD=of the image', 'NODE_OPTIONS=--no-such-option', 'LD_LIBRARY_PATH=/nowhere'],
    };
    const layers = [{ busybox: readFileSync(SHELL), 'srv/answer': ANSWER, 'srv/serve': SERVE }];
    await addImage(source, 'demo/scratch', '1', { layers, config });
    const copy = await start('scratch', { environment: { WORD: 'a b=c' } });
    const { failure, json } = await call(copy, { n: 1 });
    expect(failure).toBeUndefined();
    expect(json()).toEqual({ input: { n: 1 }, folder: '/srv', word: 'a b=c', options: '--no-such-option', marks: '0' });
  });

  test('may be one of Alpine with a Node of its own', async () => {
    const config = { Entrypoint: ['node'], Cmd: ['/function.mjs'], Env: ['PATH=/usr/local/bin', 'GREETING=hello'] };
    const layers = [...alpineNodeLayers(), { 'function.mjs': readFileSync(FUNCTION) }];
    await addImage(source, 'demo/alpine', '1', { kind: 'oci', zip: 'zstd', layers, config });
    const { failure, json } = await call(await start('alpine'), { do: 'echo' });
    expect(failure).toBeUndefined();
    expect(json()).toMatchObject({ environment: 'hello', args: [] });
  });

  describe('and was made by podman, of programs of another C library,', () => {
    containersContract(async () => {
      if (typeof engine === 'string') throw new Error(engine);
      const local = await makeTestImage(engine);
      await done(engine, ['push', '-q', '--tls-verify=false', local, `docker://${source.host}/demo/fn:1`]);
      const copy = await start('fn', { environment: { GREETING, SHARED: FOLDER } });
      const calling = await callingLambda(bucket, copy.client);
      return { ...calling, folder: FOLDER, close: () => copy.close() };
    }, missing);
  });
});
