/** Blocks that the judges of this folder do not take. */
export interface Exception {
  readonly page: string;
  /** Absent: each language. */
  readonly language?: string;
  /** How the text begins; absent: any text. */
  readonly begins?: string;
  /** The test that judges the block instead, or why none can. */
  readonly because: `test/${string}` | { readonly reason: string };
}

const isOutput = 'test/service/system/readme.test.ts';
const noReader = (program: string) => ({ reason: `no reader of the settings of ${program} is installed` });

export const EXCEPTIONS: readonly Exception[] = [
  { page: 'AGENTS.md', language: 'indented', begins: 'request   ->', because: { reason: 'a drawing' } },
  { page: 'AGENTS.md', language: 'text', begins: 'bin/  ', because: 'test/architecture' },
  { page: 'README.md', language: 'text', begins: 'Weft listening', because: isOutput },
  { page: 'README.md', language: 'text', begins: 'created demo', because: isOutput },
  { page: 'README.md', language: 'text', begins: 'service ', because: { reason: 'the output has times of this run' } },
  { page: 'docs/api.md', because: 'test/api/docs/docs.test.ts' },
  { page: 'docs/command-line.md', language: 'text', because: 'test/cli/weft.test.ts' },
  {
    page: 'docs/decisions/029-containers-on-lambda.md',
    language: 'indented',
    because: { reason: 'the command of a process in a container' },
  },
  { page: 'docs/deploying.md', language: 'ts', because: 'test/cdk/package.test.ts' },
  { page: 'docs/editors.md', language: 'lua', because: noReader('Neovim') },
  { page: 'docs/editors.md', language: 'toml', because: noReader('Helix') },
  { page: 'docs/events.md', language: 'indented', begins: 'received ->', because: { reason: 'a drawing' } },
  { page: 'docs/first-hour.md', language: 'text', because: isOutput },
  { page: 'docs/lint.md', because: 'test/lint/lint.test.ts' },
  { page: 'docs/one-machine.md', language: 'text', begins: 'weft.example.com {', because: noReader('Caddy') },
  { page: 'docs/one-machine.md', language: 'text', begins: 'FROM weft', because: { reason: 'its build needs Debian' } },
  { page: 'docs/one-machine.md', language: 'nginx', because: noReader('nginx') },
  {
    page: 'docs/operations.md',
    language: 'indented',
    begins: 'fields @timestamp',
    because: noReader('CloudWatch Logs Insights'),
  },
  { page: 'docs/runs.md', language: 'indented', begins: 'Where: ', because: { reason: 'a part of an output' } },
  {
    page: 'docs/runs.md',
    language: 'indented',
    begins: 'the present revision',
    because: { reason: 'a part of an output' },
  },
  { page: 'docs/states/error.md', language: 'text', because: 'test/service/system/handbook.test.ts' },
  { page: 'docs/testing.md', language: 'text', begins: '  ✗ it', because: { reason: 'a part of an output' } },
  { page: 'editors/vscode/README.md', because: { reason: 'commands of Visual Studio Code' } },
];
