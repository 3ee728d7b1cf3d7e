import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayerSource } from '../../../../../lib/adapters/aws/containers/images/layers.ts';
import type { Architecture } from '../../../../../lib/adapters/aws/containers/images/manifests.ts';
import { Repository } from '../../../../../lib/containers/oci/registry.ts';
import { egressGuard } from '../../../../../lib/egress/guard.ts';
import { archiveOf } from '../../../../containers/fixtures/archive.ts';
import {
  addImage,
  addList,
  addNode,
  filesIn,
  type ImageOptions,
  NODE,
  NODE_LAYERS,
} from '../../../../containers/fixtures/images.ts';
import { digestOf, type RegistryServer, startRegistryServer } from '../../../../containers/fixtures/registry-server.ts';
import { MemoryTable } from '../../../../contract/memory-table.ts';

const guard = egressGuard({ allowsPrivate: true });
const TARGET = 'weft-containers';
const [ALPINE = {}, UPPER = {}] = NODE_LAYERS;
let source: RegistryServer;
let target: RegistryServer;
let table: MemoryTable;
let progress: string[];

beforeEach(async () => {
  [source, target, table, progress] = [await startRegistryServer(), await startRegistryServer(), new MemoryTable(), []];
});

afterEach(async () => {
  await source.close();
  await target.close();
});

/** The layers of an installation, for a worker that has just started. */
function layers(architecture: Architecture = 'arm64', program = 'program', isInTime = true) {
  const nodeImage = `${source.host}/${NODE}:1`;
  const layersFor = createLayerSource({ guard, table, program: async () => Buffer.from(program), nodeImage });
  return layersFor(
    architecture,
    new Repository({ guard, base: target.base, name: TARGET, login: undefined, actions: 'pull,push' }),
    async (...words) => {
      progress.push(words.join(': '));
      return isInTime;
    },
  );
}

const digests = async (...given: Parameters<typeof layers>) => (await layers(...given))?.map(({ digest }) => digest);
/** Waits until both registries have no connections. */
async function closed(): Promise<void> {
  while ((await source.connections()) + (await target.connections()) > 0) await sleep(5);
}

const namesIn = async () => Object.keys(await filesIn([...target.blobs.values()][0] ?? Buffer.alloc(0)));

async function errorOf(image: ImageOptions): Promise<string> {
  await addNode(source, image);
  const { reason, message } = (await layers().catch((error: unknown) => error)) as Error & { reason: string };
  expect(target.blobs.size).toBe(0);
  return `${reason}: ${message.replaceAll(source.host, 'HOST')}`;
}

describe('the layer with Node', () => {
  test('is made once for all images of an architecture, by all workers', async () => {
    await addNode(source);
    const first = await digests();
    expect(progress).toEqual(['Preparing: preparing Node, which runs beside every container']);
    const requests = [source.requests.length, target.requests.filter((request) => request.startsWith('PATCH')).length];
    expect(await digests()).toEqual(first);
    expect(progress).toHaveLength(1);
    expect([source.requests.length, target.requests.filter((request) => request.startsWith('PATCH')).length]).toEqual(
      requests,
    );
    await digests('amd64');
    expect(progress).toHaveLength(2);
  });

  test('has the same bytes when it is made again, because its repository has lost it', async () => {
    await addNode(source);
    const first = await digests();
    target.blobs.clear();
    expect(await digests()).toEqual(first);
    expect(progress).toHaveLength(2);
    expect([...target.blobs.keys()]).toEqual([first?.[0]]);
  });

  test('does not depend on the program of the sidecar', async () => {
    await addNode(source);
    const [node, program] = (await digests()) ?? [];
    const [sameNode, otherProgram] = (await digests('arm64', 'other')) ?? [];
    expect(sameNode).toBe(node);
    expect(otherProgram).not.toBe(program);
  });

  test('is not started when no time is left', async () => {
    await addNode(source);
    expect(await layers('arm64', 'program', false)).toBeUndefined();
    expect(source.requests).toEqual([]);
    expect(await layers()).toHaveLength(2);
  });

  test.each(['gzip', 'zstd', ''] as const)('is made of layers with the compression "%s"', async (compression) => {
    await addNode(source, { compression });
    await layers();
    expect(await namesIn()).toContain('opt/weft/node');
  });

  test('has the files of the topmost layers of the image', async () => {
    await addNode(source, { layers: [ALPINE, UPPER, { 'usr/local/bin/node': 'newer' }] });
    await layers();
    const files = await filesIn([...target.blobs.values()][0] ?? Buffer.alloc(0));
    expect(files['opt/weft/node']).toBe('file 755 newer');
    expect(files['opt/weft/lib/libgcc_s.so.1']).toBe('file 755 gcc');
  });

  test('is made also of an image for one architecture, whose libraries are in /usr/lib', async () => {
    const merged = Object.fromEntries(
      Object.entries(ALPINE).map(([name, file]) => [name.replace(/^lib/, 'usr/lib'), file]),
    );
    await addImage(source, `${NODE}:1`, { layers: [merged, UPPER] });
    await layers('amd64');
    expect(await namesIn()).toContain('opt/weft/lib/ld-musl-x86_64.so.1');
  });
});

describe('an image without a usable Node', () => {
  const subject = "the image 'HOST/docker/library/node:1', which Node is taken from for containers,";
  const without = (name: string) => {
    const { [name]: _, ...rest } = UPPER;
    return rest;
  };

  test('fails with what is missing, and nothing is pushed', async () => {
    expect(await errorOf({ layers: [ALPINE, without('usr/local/bin/node')] })).toBe(
      `NoNode: ${subject} has no usr/local/bin/node`,
    );
    expect(await errorOf({ layers: [{ 'bin/sh': 'sh' }, UPPER] })).toBe(`NoNode: ${subject} has no lib/ld-musl-*.so.1`);
    expect(await errorOf({ layers: [ALPINE, without('usr/lib/libgcc_s.so.1')] })).toBe(
      `NoNode: ${subject} has no usr/lib/libgcc_s.so.1`,
    );
    expect(await errorOf({ layers: [ALPINE, without('usr/lib/libstdc++.so.6.0.33')] })).toBe(
      `NoNode: ${subject} has 'libstdc++.so.6' elsewhere, as 'libstdc++.so.6.0.33'`,
    );
  });

  test('fails when its layers have an unknown compression', async () => {
    expect(await errorOf({ compression: 'lzma' })).toBe(
      `NoNode: ${subject} has a layer of the kind 'application/vnd.oci.image.layer.v1.tar+lzma', which cannot be read here`,
    );
  });

  test('fails when it does not exist, or not for the architecture', async () => {
    expect(String(await layers().catch(String))).toMatch(
      /which Node is taken from for containers, cannot be had: .* 404 /,
    );
    await addList(source, `${NODE}:1`, ['linux/amd64', 'linux/s390x'], { layers: NODE_LAYERS });
    await expect(layers()).rejects.toThrow(/is there for linux\/amd64, linux\/s390x; it needs to be for linux\/arm64$/);
    expect(await layers('amd64')).toHaveLength(2);
  });

  test('may be tried again after its registry was busy, broke off or sent other bytes', async () => {
    await addNode(source);
    source.nextErrors.push({ pattern: /manifests/, status: 503 });
    await expect(layers()).rejects.toThrow('answered 503');
    const bytes = gzipSync(await archiveOf(UPPER));
    const digest = digestOf(bytes);
    source.blobs.set(digest, bytes.subarray(0, 100));
    await expect(layers()).rejects.toThrow(`the layer ${digest} broke off`);
    source.blobs.set(digest, gzipSync(await archiveOf({ ...UPPER, 'usr/local/bin/node': 'not Node' })));
    await expect(layers()).rejects.toThrow(`the received bytes do not match ${digest}`);
    expect(target.blobs.size).toBe(0);
    source.blobs.set(digest, bytes);
    expect(await layers()).toHaveLength(2);
  });

  test('leaves nothing in the target and no connection when the target rejects the layer', async () => {
    await addNode(source, { layers: [ALPINE, { ...UPPER, 'usr/local/bin/node': randomBytes(20_000_000) }] });
    target.nextErrors.push({ pattern: /^PATCH/, status: 503 });
    await expect(layers()).rejects.toThrow('answered 503');
    await closed();
    expect(await layers()).toHaveLength(2);
    expect(progress).toHaveLength(2);
  });

  test('leaves nothing in the target when the source breaks off', async () => {
    await addNode(source, { layers: [ALPINE, { ...UPPER, 'usr/local/bin/node': randomBytes(20_000_000) }, UPPER] });
    const bytes = gzipSync(await archiveOf(ALPINE));
    source.blobs.set(digestOf(bytes), bytes.subarray(0, 100));
    await expect(layers()).rejects.toThrow('broke off');
    await closed();
    expect(target.blobs.size).toBe(0);
  });
});
