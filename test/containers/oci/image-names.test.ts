import { describe, expect, test } from 'vitest';
import {
  credentialsFor,
  parseImageName,
  qualifiedName,
  registryHostOf,
} from '../../../lib/containers/oci/image-names.ts';

describe('the name of an image', () => {
  test.each([
    ['node', 'docker.io/library/node'],
    ['direktiv/request:v4', 'docker.io/direktiv/request:v4'],
    ['index.docker.io/direktiv/request', 'docker.io/direktiv/request'],
    ['localhost/mine', 'localhost/mine'],
    ['GHCR.io/a/b@sha256:0', 'ghcr.io/a/b@sha256:0'],
    ['127.0.0.1:5000/a', '127.0.0.1:5000/a'],
  ])('%s is short for %s', (image, qualified) => {
    expect(qualifiedName(image)).toBe(qualified);
    expect(registryHostOf(image)).toBe(qualified.split('/')[0]);
  });

  test('decides which credentials are for its registry', () => {
    const urls = [
      'https://docker.io',
      'https://index.docker.io/v1/',
      'docker.io/direktiv',
      'https://docker.io/dire',
      'https://docker.io.example.com',
      'http://ghcr.io',
    ];
    const all = urls.map((url) => ({ url, user: 'ada', token: 'x' }));
    expect(credentialsFor('direktiv/request', all).map(({ url }) => url)).toEqual(urls.slice(0, 3));
    expect(credentialsFor('ghcr.io/a/b', all).map(({ url }) => url)).toEqual(['http://ghcr.io']);
  });

  test.each([
    ['node', 'https://registry-1.docker.io', 'library/node', 'latest'],
    ['GHCR.io/a/b:v1', 'https://ghcr.io', 'a/b', 'v1'],
    ['localhost/mine', 'http://localhost', 'mine', 'latest'],
    ['[::1]:5000/a', 'http://[::1]:5000', 'a', 'latest'],
    ['my-registry.example.com:5000/a.b/c_d', 'https://my-registry.example.com:5000', 'a.b/c_d', 'latest'],
  ])('%s has the registry %s', (image, base, repository, reference) => {
    expect(parseImageName(image)).toEqual({ base, repository, reference });
  });

  test.each([
    'dir:/var/lib/images',
    'docker-archive:/tmp/image.tar',
    'oci:/etc',
    'docker-daemon:mine:latest',
    'docker://example.com/a',
    '-x.example.com/a',
    'example.com:port/a',
    'a//b',
    'A',
    '',
  ])('%j is none', (image) => {
    expect(parseImageName(image)).toBeUndefined();
  });
});
