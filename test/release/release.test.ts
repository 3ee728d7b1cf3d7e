import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sectionsOf } from '../../bin/release/changelog.ts';
import { changeProblems, type Release } from '../../bin/release/compatibility.ts';
import { ALLOWED, contentProblems, filesWith, LIMITS } from '../../bin/release/contents.ts';
import { publishedManifest } from '../../bin/release/manifest.ts';
import { refusals, repositoryProblems } from '../../bin/release/repository.ts';
import { type Bom, restrictBom } from '../../bin/release/sbom.ts';
import { LAST_VERSION } from '../../lib/domain/migrations/index.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly name: string;
  readonly version: string;
};

describe('the published package', () => {
  test('has no dependencies: its modules contain them', () => {
    const published = publishedManifest(manifest);
    expect(published).toMatchObject({
      name: 'weft-workflows',
      bin: { weft: 'bin/weft.mjs' },
      engines: { node: '>=22.13' },
    });
    const [, least = ''] = /^>=([\d.]+)$/.exec(String((published['engines'] as { readonly node: string }).node)) ?? [];
    for (const page of [
      'docs/workers.md',
      'docs/tools.md',
      'docs/command-line.md',
      'docs/testing.md',
      'clients/worker.ts',
    ])
      expect(readFileSync(page, 'utf8'), page).toMatch(new RegExp(`needs\\s+Node ${least} or`));
    for (const field of ['private', 'scripts', 'dependencies', 'devDependencies']) {
      expect(manifest).toHaveProperty(field);
      expect(published).not.toHaveProperty(field);
    }
  });

  const FILES = [
    'package.json README.md LICENSE bin/weft.mjs dist/weft.mjs dist/sandbox-worker.mjs dist/package.json dist/worker.mjs dist/templates/api/hello.yaml',
    'dist/workflow.schema.json dist/client/index.mjs dist/cdk/index.mjs dist/functions/triggers/cron/index.mjs',
    'dist/functions/copies/LICENSE',
    'dist/functions/lambdas/console/console/index.html',
  ]
    .join(' ')
    .split(' ')
    .map((path) => ({ path, size: 1 }));
  const packed = { filename: 'a.tgz', size: 1, unpackedSize: 1, files: FILES };

  test('contains nothing but what a list names, and all of it', () => {
    expect(contentProblems(packed)).toEqual([]);
    const more = [...FILES, { path: 'test/secret.pem', size: 1 }, { path: 'dist/functions/x/y/.env', size: 1 }];
    expect(contentProblems({ ...packed, files: more }).map((one) => one.split(' ')[0])).toEqual([
      'test/secret.pem',
      'dist/functions/x/y/.env',
    ]);
    for (const pattern of ALLOWED) {
      const files = FILES.filter(({ path }) => !pattern.test(path));
      expect(contentProblems({ ...packed, files })).toContain(`the package has no file ${pattern.source}`);
    }
  });

  test('has a limit of its size, packed and unpacked', () => {
    const large = { ...packed, size: LIMITS.archive + 1, unpackedSize: LIMITS.unpacked + 1 };
    expect(contentProblems(large)).toEqual([
      'the archive has 10.5 MB, and may have 10.5 MB',
      'its files have 36.0 MB, and may have 36.0 MB',
    ]);
  });

  test('contains no path of the clone in which it was made', () => {
    const contents = new Map([
      ['a.mjs', 'import "/home/ada/weft/lib"'],
      ['b.mjs', 'import "node:fs"'],
    ]);
    expect(filesWith('/home/ada/weft/', contents)).toEqual(['a.mjs']);
  });
});

describe('the bill of materials', () => {
  test('has the packages that are bundled, and what they need of each other', () => {
    const componentOf = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name, version: '1.0.0' });
    const bom: Bom = {
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { ...componentOf('folder'), properties: [] } },
      components: ['a', 'b', 'vitest'].map(componentOf),
      dependencies: [
        { ref: 'folder@1.0.0', dependsOn: ['a@1.0.0', 'vitest@1.0.0'] },
        { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
        { ref: 'vitest@1.0.0', dependsOn: ['b@1.0.0'] },
      ],
    };
    expect(restrictBom(bom, 'weft-workflows', new Set(['a@1.0.0', 'b@1.0.0']))).toMatchObject({
      metadata: { component: { name: 'weft-workflows' } },
      components: [{ name: 'a' }, { name: 'b' }],
      dependencies: [
        { ref: 'folder@1.0.0', dependsOn: ['a@1.0.0'] },
        { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
      ],
    });
  });
});

describe('the change log', () => {
  test('has a section for each version, with those of the API and the stored schema', () => {
    const text = '# Changes\n\n## 1.2.0 - not released\n\nREST API 1.1.0, stored schema 4.\n\n## 1.1.9 - 2026-11-02\n';
    expect(sectionsOf(text)).toEqual([
      { version: '1.2.0', date: undefined, api: '1.1.0', schema: 4 },
      { version: '1.1.9', date: '2026-11-02', api: undefined, schema: undefined },
    ]);
  });

  test('has no headings of another form', () => {
    expect(() => sectionsOf('# Changes\n\n## Not released\n')).toThrow("'## Not released' is not '## VERSION - DATE'");
  });

  test('of this repository begins with the version of the package, its API and its stored schema', () => {
    expect(sectionsOf(readFileSync('CHANGELOG.md', 'utf8'))[0]?.version).toBe(manifest.version);
    expect(repositoryProblems('.')).toEqual([]);
  });
});

describe('semantic versions', () => {
  const release = (own: string, api: string, schema: number, operations: readonly string[]): Release => ({
    versions: { package: own, api, schema },
    operations: new Set(operations),
  });
  const last = release('1.4.2', '2.3.0', 3, ['list', 'get']);

  test.each([
    ['a correction is a patch of the package', release('1.4.3', '2.3.0', 3, ['list', 'get']), 0],
    ['a release has a new version', release('1.4.2', '2.3.0', 3, ['list', 'get']), 1],
    ['a version does not become smaller', release('1.3.9', '2.3.0', 3, ['list', 'get']), 1],
    ['a new operation is a minor version of both', release('1.5.0', '2.4.0', 3, ['list', 'get', 'new']), 0],
    ['a patch is too little for it', release('1.4.3', '2.3.1', 3, ['list', 'get', 'new']), 2],
    ['a removed operation is a major version of both', release('2.0.0', '3.0.0', 3, ['list']), 0],
    ['a minor version is too little for it', release('1.5.0', '2.4.0', 3, ['list']), 2],
    ['a new schema is a minor version of the package', release('1.5.0', '2.3.0', 4, ['list', 'get']), 0],
    ['a patch is too little for that', release('1.4.3', '2.3.0', 4, ['list', 'get']), 1],
  ])('%s', (_, next, problems) => {
    expect(changeProblems(last, next)).toHaveLength(problems);
  });

  test('before 1.0.0 a minor version may remove operations', () => {
    const first = release('0.1.0', '1.0.0', 3, ['list', 'get']);
    expect(changeProblems(first, release('0.2.0', '2.0.0', 3, ['get']))).toEqual([]);
    expect(changeProblems(first, release('0.1.1', '2.0.0', 3, ['get']))).toEqual([
      'the package: 0.1.1 after 0.1.0 is too small a change: list was removed',
    ]);
  });
});

describe('a clone', () => {
  let root: string;
  const git = (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    execFileSync('git', [...identity, ...args], { cwd: root, stdio: 'pipe' });
  };
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const pathsOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`/${name}`, { get: { operationId: name } }]));
  function state(version: string, operations: readonly string[], date = '2026-11-23'): void {
    write('package.json', JSON.stringify({ name: 'weft-workflows', version }));
    write('package-lock.json', JSON.stringify({ version }));
    write('docs/openapi.json', JSON.stringify({ info: { version: '1.0.0' }, paths: pathsOf(operations) }));
    write('CHANGELOG.md', `# Changes\n\n## ${version} - ${date}\n\nREST API 1.0.0, stored schema ${LAST_VERSION}.\n`);
  }
  const commit = () => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a commit');
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'weft-repository-'));
    git('init', '--quiet');
    for (const folder of ['docs', 'test/upgrade']) mkdirSync(join(root, folder), { recursive: true });
    for (let schema = 1; schema <= LAST_VERSION; schema += 1) write(`test/upgrade/v0.1.0-schema-${schema}.tar.br`, '');
    state('0.1.0', ['list', 'get']);
    commit();
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('is released only if it is clean, dated and tagged', () => {
    expect(refusals(root)).toEqual(['the commit has no tag v0.1.0: git tag -a v0.1.0 -m v0.1.0']);
    git('tag', 'v0.1.0');
    expect(refusals(root)).toEqual([]);
    state('0.1.0', ['list', 'get'], 'not released');
    expect(refusals(root)).toEqual([
      'the working tree has changes: commit them (git status)',
      "CHANGELOG.md: replace 'not released' of 0.1.0 by the date",
    ]);
  });

  test('has the same versions everywhere', () => {
    expect(repositoryProblems(root)).toEqual([]);
    write('package-lock.json', JSON.stringify({ version: '0.0.9' }));
    write('CHANGELOG.md', '# Changes\n\n## 0.0.9 - 2026-11-23\n\nREST API 1.0.0, stored schema 9.\n');
    rmSync(join(root, 'test/upgrade/v0.1.0-schema-1.tar.br'));
    expect(repositoryProblems(root)).toEqual([
      'package-lock.json has version 0.0.9, package.json 0.1.0',
      'the newest section of CHANGELOG.md is 0.0.9, package.json has 0.1.0',
      `the newest section of CHANGELOG.md must contain 'REST API 1.0.0, stored schema ${LAST_VERSION}'`,
      'test/upgrade/ has no archive of data with schema version 1',
    ]);
  });

  test('is compared with the last tag', () => {
    git('tag', 'v0.1.0');
    state('0.1.1', ['get']);
    commit();
    expect(repositoryProblems(root)).toEqual([
      'the REST API: 1.0.0 after 1.0.0 is too small a change: list (GET /list) was removed',
      'the package: 0.1.1 after 0.1.0 is too small a change: list (GET /list) was removed',
    ]);
  });
});
