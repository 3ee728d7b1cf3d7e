/**
 * Writes verdicts.txt, what yaml.v3 makes of the official suite and of our own texts: `node test/language/yaml/oracle/record.ts`.
 * It needs Go, which the test that compares the verdicts does not. A line has a digest, since the values are the suite's.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '../../../../lib/language/json.ts';
import { parseJson } from '../../../../lib/language/json-numbers.ts';
import { CASES } from '../suite/cases.ts';
import { digestOf } from './digest.ts';
import { TEXTS } from './texts.ts';

const { dirname } = import.meta;
const { status, stdout } = spawnSync('go', ['run', '.'], {
  cwd: dirname,
  input: JSON.stringify([...CASES.map(({ yaml }) => yaml), ...TEXTS]),
  stdio: ['pipe', 'pipe', 'inherit'],
  encoding: 'utf8',
});
if (status !== 0) process.exit(1);
const lines = stdout.trimEnd().split('\n');
const digests = lines.map((line) => digestOf(line === 'error' ? line : toJson(parseJson(line))));
writeFileSync(join(dirname, 'verdicts.txt'), `${digests.join('\n')}\n`);
