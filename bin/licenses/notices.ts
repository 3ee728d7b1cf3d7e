import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closureOf, type Lock } from './closure.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const NOTICE_FILE = /^(licen[cs]e|copying|notice)/i;

/** Software in packages that lack its license: the compiled jq with its library of regular expressions. */
const CONTAINED: readonly { readonly name: string; readonly file: string }[] = [
  { name: 'jq 1.8 (in jq-wasm)', file: 'bin/licenses/jq.txt' },
  { name: 'Oniguruma 6.9 (in jq-wasm)', file: 'bin/licenses/oniguruma.txt' },
];

/** The packages that the files of the console import: they are bundled, and no dependencies of the service. */
function packagesOfConsole(): string[] {
  const names = new Set<string>();
  for (const file of globSync('web/**/*.{ts,tsx}', { cwd: ROOT })) {
    for (const [, name = ''] of read(file).matchAll(/from '((?:@[\w.-]+\/)?[\w][\w.-]*)(?:\/[^']*)?'/g))
      names.add(name);
  }
  return [...names];
}

interface Notice {
  readonly name: string;
  readonly license: string;
  readonly text: string;
}

const tidy = (text: string): string => `${text.replaceAll('\r\n', '\n').trim()}\n`;

const APACHE_TERMS = /[^\n]*Apache License\s+Version 2\.0, January 2004[\s\S]*?END OF TERMS AND CONDITIONS[^\n]*/;
const wordsOf = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The Apache License is in fifty packages, and here once: each keeps what it adds, such as its copyright. */
function withoutApacheTerms(text: string): string {
  const [own = ''] = APACHE_TERMS.exec(read('LICENSE')) ?? [];
  return text.replace(APACHE_TERMS, (terms) =>
    wordsOf(terms) === wordsOf(own) ? '[The terms of the Apache License 2.0 are at the end of this file.]' : terms,
  );
}

function noticeOf(path: string, lock: Lock): Notice {
  const { version = '', license = '' } = lock[path] ?? {};
  const files = readdirSync(join(ROOT, path))
    .filter((file) => NOTICE_FILE.test(file))
    .toSorted();
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return {
    name: `${name} ${version}`,
    license,
    text: files.map((file) => withoutApacheTerms(tidy(read(join(path, file))))).join('\n'),
  };
}

/** The folders in node_modules of the packages that the service or its console contains. */
export const bundledPackages = (lock: Lock): string[] => closureOf(lock, 'required', packagesOfConsole());

/**
 * The text of THIRD-PARTY-NOTICES.txt: the name, version, license and notices of every package that the service or its
 * console contains, the packages with the same text together.
 */
export function notices(): string {
  const lock = (JSON.parse(read('package-lock.json')) as { readonly packages: Lock }).packages;
  const found = bundledPackages(lock).map((path) => noticeOf(path, lock));
  const contained = CONTAINED.map(({ name, file }) => ({ name, license: 'see below', text: tidy(read(file)) }));
  const groups = [...Map.groupBy([...found, ...contained], ({ text, license }) => `${license}\n${text}`).values()];
  const sections = groups
    .map((group) => {
      const names = [...new Set(group.map(({ name }) => name))].toSorted();
      const [{ license = '', text = '' } = {}] = group;
      const body = text === '' ? `Its package has no license text; it names the license ${license}.\n` : text;
      return { first: names[0] ?? '', section: `${names.join('\n')}\nLicense: ${license}\n\n${body}` };
    })
    .toSorted((a, b) => (a.first < b.first ? -1 : 1));
  const line = `\n${'-'.repeat(80)}\n\n`;
  const head = 'Weft contains or bundles these packages. Each is under its own license.\n';
  return [head, ...sections.map(({ section }) => section), tidy(read('LICENSE'))].join(line);
}
