import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages, type Package, ROOT } from './packages.ts';

const NOTICE_FILE = /^(licen[cs]e|copying|notice)/i;

/** Software in packages that lack its license: the compiled jq with its library of regular expressions. */
const CONTAINED: readonly { readonly name: string; readonly file: string }[] = [
  { name: 'jq 1.8 (in jq-wasm)', file: 'bin/licenses/jq.txt' },
  { name: 'Oniguruma 6.9 (in jq-wasm)', file: 'bin/licenses/oniguruma.txt' },
];

interface Notice {
  readonly name: string;
  readonly license: string;
  readonly text: string;
}

const textOf = (file: string): string => `${readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()}\n`;

function noticeOf({ name, version, license, folder }: Package): Notice {
  const files = readdirSync(folder).filter((file) => NOTICE_FILE.test(file));
  const text = files.toSorted().map((file) => textOf(join(folder, file)));
  return { name: `${name} ${version}`, license, text: text.join('\n') };
}

/**
 * The text of THIRD-PARTY-NOTICES.txt: the name, version, license and notices of every package that the service or its
 * console contains, the packages with the same text together. The packages must be installed.
 */
export function notices(): string {
  const contained = CONTAINED.map(({ name, file }) => ({ name, license: 'see below', text: textOf(join(ROOT, file)) }));
  const found = [...bundledPackages().map(noticeOf), ...contained];
  const sections = [...Map.groupBy(found, ({ text, license }) => `${license}\n${text}`).values()].map((group) => {
    const names = [...new Set(group.map(({ name }) => name))].toSorted();
    const [{ license = '', text = '' } = {}] = group;
    const body = text === '' ? `Its package has no license text; it names the license ${license}.\n` : text;
    return `${names.join('\n')}\nLicense: ${license}\n\n${body}`;
  });
  const head = 'Weft contains or bundles these packages. Each is under its own license.\n';
  return [head, ...sections.toSorted()].join(`\n${'-'.repeat(80)}\n\n`);
}
