import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '../../lib/api/docs/openapi.ts';
import { LAST_VERSION } from '../../lib/domain/migrations/index.ts';
import { sectionsOf } from './changelog.ts';
import { changeProblems, type Description, operationsOf, type Release, type Versions } from './compatibility.ts';
import type { Manifest } from './manifest.ts';
import { versionProblems } from './versions.ts';

const DOCUMENT = 'docs/openapi.json';
const CHANGES = 'CHANGELOG.md';

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');

/** The package.json of the clone. */
export const manifestOf = (root: string): Manifest => JSON.parse(read(root, 'package.json')) as Manifest;

/** The output of Git without the last newline. Throws Error with what Git prints. */
function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
}

/** The versions of the code. */
export function versionsOf(root: string): Versions {
  return { package: manifestOf(root).version, api: API_VERSION, schema: LAST_VERSION };
}

/** The schema versions of the archives in test/upgrade/. */
function archivedVersions(root: string): number[] {
  const names = globSync('test/upgrade/*.tar.br', { cwd: root });
  return names.map((name) => Number(/schema-(\d+)/.exec(name)?.[1]));
}

/** The release that the last tag names, with its document and change log; undefined if there is no tag. */
function lastRelease(root: string): Release | undefined {
  const own = `v${manifestOf(root).version}`;
  const tags = git(root, 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
  const tag = tags.find((one) => one !== '' && one !== own);
  if (tag === undefined) return undefined;
  const document = JSON.parse(git(root, 'show', `${tag}:${DOCUMENT}`)) as Description;
  const [section] = sectionsOf(git(root, 'show', `${tag}:${CHANGES}`));
  if (section?.schema === undefined) throw new Error(`${CHANGES} of ${tag} names no schema version`);
  return {
    versions: { package: tag.slice(1), api: document.info.version, schema: section.schema },
    operations: operationsOf(document),
  };
}

/** Where the versions of the repository disagree, or grew too little since the last tag. */
export function repositoryProblems(root: string): string[] {
  const code = versionsOf(root);
  const document = JSON.parse(read(root, DOCUMENT)) as Description;
  const lock = (JSON.parse(read(root, 'package-lock.json')) as { readonly version: string }).version;
  const [section] = sectionsOf(read(root, CHANGES));
  const stated = { code, lock, document: document.info.version, section, archived: archivedVersions(root) };
  const last = lastRelease(root);
  const next = { versions: code, operations: operationsOf(document) };
  return [...versionProblems(stated), ...(last === undefined ? [] : changeProblems(last, next))];
}

/** Why this state of the clone cannot be released, each with its correction; a trial needs none of it. */
export function refusals(root: string): string[] {
  const { version } = manifestOf(root);
  const [section] = sectionsOf(read(root, CHANGES));
  const isTagged = git(root, 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`);
  const isClean = git(root, 'status', '--porcelain') === '';
  return [
    ...(isClean ? [] : ['the working tree has changes: commit them (git status)']),
    ...(section?.date === undefined ? [`${CHANGES}: replace 'not released' of ${version} by the date`] : []),
    ...(isTagged ? [] : [`the commit has no tag v${version}: git tag -a v${version} -m v${version}`]),
  ];
}
