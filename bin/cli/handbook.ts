import { loadAll } from './commands/index.ts';
import { EXIT_CODES } from './program.ts';
import type { Command } from './shell/command.ts';
import { commonLines, ownLines } from './shell/help.ts';

const INTRODUCTION = `# The command line

You find here every command of \`weft\` with its options. This page is made from the table of commands by \`npm run docs\`.

\`\`\`sh
npm run -s weft -- help                                        # in a clone
alias weft="$PWD/bin/weft.mjs"                                 # a clone, from every folder
npm install --global release/weft-workflows-0.1.0.tgz          # the package, which needs no clone
\`\`\`

The package is not in a registry yet: \`npm run release -- --dry-run\` makes it in the clone ([releasing](releasing.md)). It
needs Node 22.13 or newer and has no dependencies. Do not use \`npx weft\`: where the package is not installed, it runs a package
of another project with that name.

The program is called \`weft\` on this page. \`weft help\` lists the commands, \`weft help COMMAND\` describes one of them.

Results are written to the standard output, everything else to the standard error. An error is one line that names the
problem and its remedy. Colours are used only on a terminal, and not if \`NO_COLOR\` is set. Control characters in texts of a
service are printed as in JSON (\`\\u001b\`); values of variables, outputs of runs and sources keep them, except on a
terminal. With \`--json\`, every command
prints JSON.

${EXIT_CODES}

## How the service is selected

For the URL, the key and the namespace, the first of these sources that has a value is used:

1. the options \`--url\`, \`--key\` and \`--namespace\`
2. the profile that \`--profile\` names
3. \`WEFT_URL\`, \`WEFT_KEY\`, \`WEFT_NAMESPACE\`
4. the profile that \`WEFT_PROFILE\` names
5. \`DIREKTIV_ADDR\`, \`DIREKTIV_AUTH\` (also \`DIREKTIV_API_KEY\`, \`DIREKTIV_AUTH_TOKEN\`, \`DIREKTIV_TOKEN\`), \`DIREKTIV_NAMESPACE\`
6. the file \`.weft.yaml\`, or \`.direktiv.yaml\`, in the current folder or the nearest folder above: \`addr\`, \`auth\` (also \`api-key\`,
   \`auth-token\`), \`namespace\`, or the first of its \`profiles\`
7. the profile of the last \`weft login\`
8. the service that runs with the data folder \`WEFT_DATA\`, or with \`.weft\` in the current folder or the nearest folder
   above, and its key
9. \`http://127.0.0.1:8080\`

A key from a source that also has a URL is sent only to that URL. A URL that only such a file names may be that of
another person who wrote the file: it gets the key of the file or of \`--key\`, but never the key of the environment or of a
profile. To send that key, log in to the URL once (\`weft login --url URL\`), or give the URL with \`--url\` or \`WEFT_URL\`.
The key \`aws-iam\` stands for a [sign-in by IAM](sign-in.md#by-iam): requests have tokens that your credentials of AWS sign, for
that URL alone. Profiles are stored in
\`$XDG_CONFIG_HOME/weft/config.json\` (default \`~/.config/weft/config.json\`), which only you can read.

## Migrating a namespace

\`\`\`sh
weft export demo demo.tar.gz --url https://direktiv.example --auth TOKEN
weft import demo.tar.gz --dry-run
weft import demo.tar.gz
\`\`\`

\`export\` uses only the REST API, so that it reads Direktiv v0.6 to v0.8 as well as Weft. What a server does not serve is
left out, with a note. An archive contains workflows with their saved revisions, tags, router, switch, logger and
attributes; variables with their types; the settings of the namespace; and the names of secrets, registries and services.

\`import\` prints what it would create and update, asks for confirmation, and never deletes anything. It is idempotent: a
second import changes nothing, and an import after an interruption completes the rest. Workflows that are started by events
or schedules are enabled after everything else has been imported. Names in archives are validated: absolute paths, \`..\`,
links and files that differ from the exported ones are rejected.

A folder of workflow files can be imported as well: \`a/wf.yaml\` is the workflow \`a/wf\`, and \`a/wf.yaml.data.json\` is its
variable \`data.json\`. \`push\` sends such a folder without confirmation.
`;

const fenced = (lines: readonly string[]): string => ['```text', ...lines, '```'].join('\n');

function sectionOf([name, command]: readonly [string, Command]): string {
  const { about, usage, notes } = command;
  const options = ownLines(command);
  return [
    `### ${name}`,
    `${about}.`,
    fenced(usage.map((form) => `weft ${form}`)),
    ...(options.length === 0 ? [] : [fenced(options)]),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
  ].join('\n\n');
}

const NEXT = '**Next:** [pull requests and agents](tools.md), [testing workflows](testing.md), [editors](editors.md).';

/** The text of docs/command-line.md, made from the table of commands. */
export async function commandHandbook(): Promise<string> {
  const commands = Object.entries(await loadAll());
  const all = `## Commands\n\nOptions of every command:\n\n${fenced(commonLines())}`;
  return `${[INTRODUCTION.trimEnd(), all, ...commands.map(sectionOf), NEXT].join('\n\n')}\n`;
}
