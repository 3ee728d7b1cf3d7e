import { beforeEach, describe, expect, test } from 'vitest';
import { PrivateImages } from '../../../../lib/adapters/local/containers/private-images.ts';
import { RevisionsJournal } from '../../../../lib/adapters/local/containers/revisions-journal.ts';

const REPOSITORY = 'registry.example/private/image';

let images: PrivateImages;
let journal: RevisionsJournal;
beforeEach(() => {
  journal = new RevisionsJournal(':memory:');
  images = new PrivateImages(journal);
});

const isAvailable = (tenant: string, id = 'sha256:1') => images.isAvailable(id, REPOSITORY, tenant);

describe('an image of the engine', () => {
  test('is available to every tenant if it was not fetched with credentials', () => {
    expect(isAvailable('ada')).toBe(true);
  });

  test('is available only to the tenants that fetched it with credentials, also in a later process', async () => {
    await images.fetch(REPOSITORY, 'ada', async () => 'sha256:1');
    expect([isAvailable('ada'), isAvailable('eve')]).toEqual([true, false]);
    expect(new PrivateImages(journal).isAvailable('sha256:1', REPOSITORY, 'eve')).toBe(false);
    await images.fetch(REPOSITORY, 'eve', async () => 'sha256:1');
    expect([isAvailable('ada'), isAvailable('eve')]).toEqual([true, true]);
  });

  test('is not available to another tenant while one fetches it', async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const fetching = images.fetch(REPOSITORY, 'ada', () => promise);
    expect([isAvailable('ada'), isAvailable('eve')]).toEqual([true, false]);
    resolve(undefined);
    await fetching;
    expect(isAvailable('eve')).toBe(true);
  });
});
