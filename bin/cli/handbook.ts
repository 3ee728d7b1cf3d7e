import { COMMANDS } from './commands/index.ts';
import { COMMON_NOTES, EXIT_CODES } from './program.ts';

const INTRODUCTION = `# The command line

Made by \`npm run docs\` from the table of commands. \`weft help\` tells the commands, \`weft help COMMAND\` one of them.
In a clone it is \`npx weft\`.

Results go to the standard output, everything else to the standard error. Errors are one line that says what to mend.
Colours are used on a terminal alone, and not where \`NO_COLOR\` is set. \`--json\` makes every command print JSON.

${EXIT_CODES}

## Which service

The address, the key and the namespace are looked for one by one, and the first that is found counts:

1. the options \`--url\`, \`--key\` and \`--namespace\`
2. the profile that \`--profile\` names
3. \`WEFT_URL\`, \`WEFT_KEY\`, \`WEFT_NAMESPACE\`
4. the profile that \`WEFT_PROFILE\` names
5. \`DIREKTIV_ADDR\`, \`DIREKTIV_AUTH\` (also \`DIREKTIV_API_KEY\`, \`DIREKTIV_AUTH_TOKEN\`, \`DIREKTIV_TOKEN\`), \`DIREKTIV_NAMESPACE\`
6. the file \`.direktiv.yaml\` of the folder or of the nearest above it: \`addr\`, \`auth\` (also \`api-key\`, \`auth-token\`),
   \`namespace\`, or the first of its \`profiles\`
7. the profile that was logged in last
8. \`http://127.0.0.1:8080\`

A key that was given together with an address goes to that address alone. Profiles are kept in
\`$XDG_CONFIG_HOME/weft/config.json\` (else \`~/.config/weft/config.json\`), which nobody else can read.

## Moving a namespace

\`\`\`sh
weft export demo demo.tar.gz --url https://direktiv.example --auth TOKEN
weft import demo.tar.gz --dry-run
weft import demo.tar.gz
\`\`\`

\`export\` uses calls of the interface alone, so it reads Direktiv v0.6 to v0.8 as well as Weft. What a server does not
serve is left out with a note. An archive holds workflows with their named revisions, tags, router, switch, logging and
attributes, variables with their types, the settings of the namespace, and the names of secrets, registries and services.

\`import\` tells what it would create and update, asks, and never deletes. A second import changes nothing; after an
interruption it does what is left. Workflows that events or the clock start are switched on when everything else is there.
Names from archives are not trusted: absolute paths, \`..\` and links are refused, and what is not what was exported.

A folder of workflow files is the other form: \`a/wf.yaml\` is the workflow \`a/wf\`, and \`a/wf.yaml.data.json\` its
variable \`data.json\`. \`push\` sends such a folder without asking.
`;

const fenced = (lines: readonly string[]): string => ['```text', ...lines, '```'].join('\n');

function sectionOf([name, { about, usage, notes }]: (typeof entries)[number]): string {
  const options = notes.length === 0 ? [] : [fenced(notes)];
  return [`### ${name}`, `${about}.`, fenced(usage.map((line) => `weft ${line}`)), ...options].join('\n\n');
}

const entries = Object.entries(COMMANDS);

/** docs/command-line.md, made from the table of commands. */
export function commandHandbook(): string {
  const all = `## Commands\n\nEvery command also has:\n\n${fenced(COMMON_NOTES)}`;
  return `${[INTRODUCTION.trimEnd(), all, ...entries.map(sectionOf)].join('\n\n')}\n`;
}
