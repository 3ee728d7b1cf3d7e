// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables are those of the shell.
import { ownMember } from '../../../lib/language/own-members.ts';
import { COMMON_OPTIONS, type Command, type Options } from './command.ts';

type Commands = Readonly<Record<string, Command>>;

/** The kinds of names that the service can complete, by the placeholders of arguments and options. */
export const NAME_KINDS = ['workflows', 'namespaces', 'runs'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

const PLACEHOLDERS: Readonly<Record<NameKind, RegExp>> = {
  workflows: /\bPATH\b/,
  namespaces: /\bNAMESPACE\b|\bFROM\b|\bTO\b|\bNS\d\b/,
  runs: /\bINSTANCE\b/,
};

const kindsIn = (text: string): NameKind[] => NAME_KINDS.filter((kind) => PLACEHOLDERS[kind].test(text));

/** The option whose value is a name, by its long name. */
const OPTION_KINDS: Readonly<Record<string, NameKind>> = {
  namespace: 'namespaces',
  workflow: 'workflows',
  instance: 'runs',
};

interface Subject {
  /** The verb; empty for a command without verbs. */
  readonly verb: string;
  readonly kinds: readonly NameKind[];
  /** It takes local files too. */
  readonly takesFiles: boolean;
}

/** The kinds of names that the arguments of a command are, by verb, from its usage. */
function subjectsOf({ usage, words }: Pick<Command, 'usage' | 'words'>): Subject[] {
  const subjects = new Map<string, Set<NameKind>>();
  const ofFiles = new Set<string>();
  for (const line of usage) {
    // Options have placeholders of their own.
    const [, first = '', ...rest] = line.replace(/\[?--?[\w-]+ [A-Z=|]+\]?/g, '').split(' ');
    const verbs = words.length === 0 ? [''] : first.replace(/[[\]]/g, '').split('|');
    const taken = words.length === 0 ? [first, ...rest].join(' ') : rest.join(' ');
    for (const verb of verbs) {
      subjects.set(verb, new Set([...(subjects.get(verb) ?? []), ...kindsIn(taken)]));
      if (/\b(FILE|FOLDER|DIRECTORY)\b/.test(taken)) ofFiles.add(verb);
    }
  }
  return [...subjects].flatMap(([verb, kinds]) =>
    kinds.size === 0 ? [] : [{ verb, kinds: [...kinds], takesFiles: ofFiles.has(verb) }],
  );
}

const allOptions = ({ options }: Command): Options => ({ ...options, ...COMMON_OPTIONS });

function wordsOf(command: Command): string {
  return [...command.words, ...Object.keys(allOptions(command)).map((flag) => `--${flag}`)].join(' ');
}

const bashNames = (kinds: readonly NameKind[]): string => kinds.map((kind) => `$(_weft_names ${kind})`).join(' ');

/** A script that completes commands, their words and options, and the names that the service has. */
function bash(commands: Commands): string {
  const rows = Object.entries(commands);
  const cases = rows.map(([name, command]) => `    ${name}) words='${wordsOf(command)}' ;;`);
  const subjects = rows.flatMap(([name, command]) =>
    subjectsOf(command).map(({ verb, kinds }) => {
      const pattern = verb === '' ? `'${name} '*` : `'${name} ${verb}'`;
      return `      ${pattern}) words="$words ${bashNames(kinds)}" ;;`;
    }),
  );
  const options = Object.entries(OPTION_KINDS).map(([name, kind]) => `    --${name}) words=$(_weft_names ${kind}) ;;`);
  return [
    '_weft_names() {',
    '  local at place=()',
    '  for (( at = 1; at < COMP_CWORD; at++ )); do',
    '    case "${COMP_WORDS[at]}" in -n|--namespace|--url|-P|--profile) place+=("${COMP_WORDS[at]}" "${COMP_WORDS[at + 1]}") ;; esac',
    '  done',
    '  [ "$1" = namespaces ] && place=()',
    '  weft completion names "$1" "${place[@]}" 2>/dev/null',
    '}',
    '_weft() {',
    '  local words word=$2 previous=${COMP_WORDS[COMP_CWORD - 1]}',
    '  local command=',
    '  [ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]}',
    '  case "$command" in',
    `    ''|help) words='help ${Object.keys(commands).join(' ')}' ;;`,
    ...cases,
    '  esac',
    '  case "$word" in',
    '    -*) ;;',
    '    *) [ "$COMP_CWORD" -gt 2 ] && words= ;;',
    '  esac',
    '  case "$word" in',
    '    -*) ;;',
    '    *) [ -n "$command" ] && case "$command ${COMP_WORDS[2]}" in',
    ...subjects,
    '    esac ;;',
    '  esac',
    '  case "$previous" in',
    '    -n) words=$(_weft_names namespaces) ;;',
    ...options,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _weft weft',
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** Whether the second and third word of the line are a command and its verb, and whether a verb is still to be written. */
const FISH_FUNCTIONS = `function __weft_in
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"; or return 1
  test (count $argv) -lt 2; or test "$words[3]" = "$argv[2]"
end
function __weft_verb_of
  __weft_in $argv[1]; and test (count (commandline -opc)) -eq 2
end`;

/** The same for fish, which also shows what commands and options do. */
function fish(commands: Commands): string {
  const rows = Object.entries(commands);
  const names = (kind: NameKind) => `'(weft completion names ${kind} 2>/dev/null)'`;
  const first = rows.map(
    ([name, { about }]) => `complete -c weft -f -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
  );
  const others = rows.flatMap(([name, command]) => {
    const within = `complete -c weft -n '__weft_in ${name}'`;
    const verbs =
      command.words.length === 0
        ? []
        : [`complete -c weft -n '__weft_verb_of ${name}' -f -a '${command.words.join(' ')}'`];
    const subjects = subjectsOf(command).flatMap(({ verb, kinds, takesFiles }) => {
      const place = `complete -c weft -n '__weft_in ${`${name} ${verb}`.trim()}'${takesFiles ? '' : ' -f'}`;
      return kinds.map((kind) => `${place} -a ${names(kind)}`);
    });
    const options = Object.entries(allOptions(command)).flatMap(([flag, { short, type, help }]) => {
      if (typeof help !== 'string') return [];
      const kind = ownMember(OPTION_KINDS, flag);
      const value = kind === undefined ? (type === 'string' ? ' -r' : '') : ` -x -a ${names(kind)}`;
      return [`${within} -l ${flag}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quoted(help)}`];
    });
    return [...verbs, ...subjects, ...options];
  });
  return [FISH_FUNCTIONS, ...first, ...others].join('\n');
}

/** The completion scripts by shell. */
export const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = {
  bash,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
  fish,
};
