/**
 * Node on Alpine, laid out as docker's image of it has it: made of what bin/ci-containers.sh has fetched, where the
 * names of libraries end with a mark of whoever packed them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Files } from '../../../local/containers/stage/image.ts';

const FOLDER =
  process.env['ALPINE_NODE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'weft', 'alpine-node');

/** Why it is not there, in words for a skipped test; undefined: it is. */
export const missingNode: string | undefined =
  existsSync(join(FOLDER, 'node')) && process.arch === 'x64'
    ? undefined
    : `there is no Node of Alpine in ${FOLDER} (bin/ci-containers.sh fetches it, for x64)`;

const MARKED = /^(lib.+)-[0-9a-f]{8}(\.so[\d.]*)$/;

/** A name in the table of strings of a program; it may become shorter. */
function rename(program: Buffer, from: string, to: string): void {
  const [old, name] = [Buffer.from(`\0${from}\0`), Buffer.from(`\0${to}\0`)];
  for (let at = program.indexOf(old); at >= 0; at = program.indexOf(old, at + 1)) name.copy(program, at);
}

/** The layer of Alpine, and the one of Node. */
export function alpineNodeLayers(): readonly Files[] {
  const files = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name))] as const);
  const names = files.flatMap(([name]) => {
    const [, stem, version = ''] = MARKED.exec(name) ?? [];
    const [major = ''] = /^\.so\.\d+/.exec(version) ?? [];
    return stem === undefined ? [] : [{ from: name, file: stem + version, link: stem + major }];
  });
  for (const [, bytes] of files) for (const { from, link } of names) rename(bytes, from, link);
  const loader = 'ld-musl-x86_64.so.1';
  const bytesOf = Object.fromEntries(files);
  const libraries = names.flatMap(({ from, file, link }): [string, Files[string]][] => [
    [`usr/lib/${file}`, bytesOf[from]],
    ...(link === file ? [] : [[`usr/lib/${link}`, { link: file }] as [string, Files[string]]]),
  ]);
  return [
    { [`lib/${loader}`]: bytesOf[loader], 'lib/libc.musl-x86_64.so.1': { link: loader } },
    { 'usr/local/bin/node': bytesOf['node'], ...Object.fromEntries(libraries) },
  ];
}
