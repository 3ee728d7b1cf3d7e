import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayerSource } from '../../../../lib/adapters/aws/containers/images/layers.ts';
import type { Architecture } from '../../../../lib/adapters/aws/containers/images/manifests.ts';
import { Repository } from '../../../../lib/containers/oci/registry.ts';
import { egressGuard } from '../../../../lib/egress/guard.ts';
import { MemoryTable } from '../../../contract/memory-table.ts';
import { archiveOf } from '../../local/containers/stage/image.ts';
import { addImage, addList, addNode, filesIn, type Made, NODE, NODE_LAYERS } from './stage/images.ts';
import { digestOf, type Store, startStore } from './stage/store.ts';

const guard = egressGuard({ allowsLoopback: true });
const TARGET = 'weft-containers';
const [ALPINE = {}, UPPER = {}] = NODE_LAYERS;
let source: Store;
let target: Store;
let table: MemoryTable;
let told: string[];

beforeEach(async () => {
  [source, target, table, told] = [await startStore(), await startStore(), new MemoryTable(), []];
});

afterEach(async () => {
  await source.close();
  await target.close();
});

/** The layers of an installation, asked for by a worker that has just begun. */
function ours(architecture: Architecture = 'arm64', program = 'program', isInTime = true) {
  const nodeImage = `${source.host}/${NODE}:1`;
  const layersFor = createLayerSource({ guard, table, program: async () => Buffer.from(program), nodeImage });
  return layersFor(
    architecture,
    new Repository(guard, target.base, TARGET, undefined, 'pull,push'),
    async (...words) => {
      told.push(words.join(': '));
      return isInTime;
    },
  );
}

const digests = async (...given: Parameters<typeof ours>) => (await ours(...given))?.map(({ digest }) => digest);
/** Waits until nothing is under way between the two. */
async function closed(): Promise<void> {
  while ((await source.connections()) + (await target.connections()) > 0) await sleep(5);
}

const namesIn = async () => Object.keys(await filesIn([...target.blobs.values()][0] ?? Buffer.alloc(0)));

async function refusal(made: Made): Promise<string> {
  await addNode(source, made);
  const { reason, message } = (await ours().catch((error: unknown) => error)) as Error & { reason: string };
  expect(target.blobs.size).toBe(0);
  return `${reason}: ${message.replaceAll(source.host, 'HOST')}`;
}

describe('the layer with Node', () => {
  test('is made once for all images of a processor, whoever asks', async () => {
    await addNode(source);
    const first = await digests();
    expect(told).toEqual(['Preparing: preparing Node, which runs beside every container']);
    const asked = [source.asked.length, target.asked.filter((one) => one.startsWith('PATCH')).length];
    expect(await digests()).toEqual(first);
    expect(told).toHaveLength(1);
    expect([source.asked.length, target.asked.filter((one) => one.startsWith('PATCH')).length]).toEqual(asked);
    await digests('amd64');
    expect(told).toHaveLength(2);
  });

  test('is the same bytes when it is made again, as where its repository has forgotten it', async () => {
    await addNode(source);
    const first = await digests();
    target.blobs.clear();
    expect(await digests()).toEqual(first);
    expect(told).toHaveLength(2);
    expect([...target.blobs.keys()]).toEqual([first?.[0]]);
  });

  test('stays as it is when the program is another one', async () => {
    await addNode(source);
    const [node, program] = (await digests()) ?? [];
    const [sameNode, otherProgram] = (await digests('arm64', 'other')) ?? [];
    expect(sameNode).toBe(node);
    expect(otherProgram).not.toBe(program);
  });

  test('is not begun where no time is left', async () => {
    await addNode(source);
    expect(await ours('arm64', 'program', false)).toBeUndefined();
    expect(source.asked).toEqual([]);
    expect(await ours()).toHaveLength(2);
  });

  test.each(['gzip', 'zstd', ''] as const)('is made of layers of the kind "%s"', async (zip) => {
    await addNode(source, { zip });
    await ours();
    expect(await namesIn()).toContain('opt/weft/node');
  });

  test('has what the later layers of the image have', async () => {
    await addNode(source, { layers: [ALPINE, UPPER, { 'usr/local/bin/node': 'newer' }] });
    await ours();
    const files = await filesIn([...target.blobs.values()][0] ?? Buffer.alloc(0));
    expect(files['opt/weft/node']).toBe('file 755 newer');
    expect(files['opt/weft/lib/libgcc_s.so.1']).toBe('file 755 gcc');
  });

  test('is made of an image of one processor too, and where /lib is /usr/lib', async () => {
    const merged = Object.fromEntries(
      Object.entries(ALPINE).map(([name, file]) => [name.replace(/^lib/, 'usr/lib'), file]),
    );
    await addImage(source, NODE, '1', { layers: [merged, UPPER] });
    await ours('amd64');
    expect(await namesIn()).toContain('opt/weft/lib/ld-musl-x86_64.so.1');
  });
});

describe('an image that Node cannot be taken from', () => {
  const named = "the image 'HOST/docker/library/node:1', which Node is taken from for containers,";
  const without = (name: string) => {
    const { [name]: _, ...rest } = UPPER;
    return rest;
  };

  test('is named with what it lacks, and nothing is kept of it', async () => {
    expect(await refusal({ layers: [ALPINE, without('usr/local/bin/node')] })).toBe(
      `NoNode: ${named} has no usr/local/bin/node`,
    );
    expect(await refusal({ layers: [{ 'bin/sh': 'sh' }, UPPER] })).toBe(`NoNode: ${named} has no lib/ld-musl-*.so.1`);
    expect(await refusal({ layers: [ALPINE, without('usr/lib/libgcc_s.so.1')] })).toBe(
      `NoNode: ${named} has no usr/lib/libgcc_s.so.1`,
    );
    expect(await refusal({ layers: [ALPINE, without('usr/lib/libstdc++.so.6.0.33')] })).toBe(
      `NoNode: ${named} has 'libstdc++.so.6' elsewhere, as 'libstdc++.so.6.0.33'`,
    );
  });

  test('is named where its layers cannot be read', async () => {
    expect(await refusal({ zip: 'lzma' })).toBe(
      `NoNode: ${named} has a layer of the kind 'application/vnd.oci.image.layer.v1.tar+lzma', which cannot be read here`,
    );
  });

  test('is named where it is not there, or not for the processor', async () => {
    expect(String(await ours().catch(String))).toMatch(
      /which Node is taken from for containers, cannot be had: .* 404 /,
    );
    await addList(source, NODE, '1', ['linux/amd64', 'linux/s390x'], { layers: NODE_LAYERS });
    await expect(ours()).rejects.toThrow(/is there for linux\/amd64, linux\/s390x; it needs to be for linux\/arm64$/);
    expect(await ours('amd64')).toHaveLength(2);
  });

  test('is asked again later when its registry is busy, breaks off or hands out something else', async () => {
    await addNode(source);
    source.refusals.push({ sign: /manifests/, status: 503 });
    await expect(ours()).rejects.toThrow('answered 503');
    const bytes = gzipSync(await archiveOf(UPPER));
    const digest = digestOf(bytes);
    source.blobs.set(digest, bytes.subarray(0, 100));
    await expect(ours()).rejects.toThrow(`the layer ${digest} broke off`);
    source.blobs.set(digest, gzipSync(await archiveOf({ ...UPPER, 'usr/local/bin/node': 'not Node' })));
    await expect(ours()).rejects.toThrow(`what came as ${digest} is something else`);
    expect(target.blobs.size).toBe(0);
    source.blobs.set(digest, bytes);
    expect(await ours()).toHaveLength(2);
  });

  test('leaves nothing behind, not even a connection, where the target does not take it', async () => {
    await addNode(source, { layers: [ALPINE, { ...UPPER, 'usr/local/bin/node': randomBytes(20_000_000) }] });
    target.refusals.push({ sign: /^PATCH/, status: 503 });
    await expect(ours()).rejects.toThrow('answered 503');
    await closed();
    expect(await ours()).toHaveLength(2);
    expect(told).toHaveLength(2);
  });

  test('leaves no upload open where its source breaks off', async () => {
    await addNode(source, { layers: [ALPINE, { ...UPPER, 'usr/local/bin/node': randomBytes(20_000_000) }, UPPER] });
    const bytes = gzipSync(await archiveOf(ALPINE));
    source.blobs.set(digestOf(bytes), bytes.subarray(0, 100));
    await expect(ours()).rejects.toThrow('broke off');
    await closed();
    expect(target.blobs.size).toBe(0);
  });
});
