import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testedNode } from '../bin/server/node-version.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
const containerfile = readFileSync('deploy/Containerfile', 'utf8');
const unit = readFileSync('deploy/weft.service', 'utf8');

const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

test('the image and the unit start what npm start starts', () => {
  const command = /^CMD (\[.*\])$/m.exec(containerfile)?.[1] ?? '[]';
  expect((JSON.parse(command) as string[]).join(' ')).toBe(scripts.start);
  expect(settingOf('ExecStart')).toBe(`/usr/bin/${scripts.start}`);
});

test('the image has the tested version of Node', () => {
  expect(/^ARG NODE=.*\/node:([\d.]+)-/m.exec(containerfile)?.[1]).toBe(testedNode());
});

test('the image has every folder that the service imports, and the context of its build no more', () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  );
  const allowed = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+$/gm);
  expect(allowed?.toSorted()).toEqual([...new Set(copied)].toSorted());
  const outside = globSync('{bin/server,functions/http,lib}/**/*.ts').filter((file) =>
    /from '(\.\.\/)+(bench|cdk|docs|examples|test)\//.test(readFileSync(file, 'utf8')),
  );
  expect(outside).toEqual([]);
});

const tool = spawnSync('systemd-analyze', ['--version']);

test.skipIf(tool.error !== undefined)('the unit is valid for systemd', () => {
  // Where its program is missing, systemd-analyze reports that problem alone.
  const { stderr } = spawnSync('systemd-analyze', ['verify', 'deploy/weft.service'], { encoding: 'utf8' });
  const problems = stderr.split('\n').filter((line) => line.includes('weft.service'));
  const isKnown = (line: string) => !existsSync('/usr/bin/node') && line.includes('/usr/bin/node is not executable');
  expect(problems.filter((line) => !isKnown(line))).toEqual([]);
});
