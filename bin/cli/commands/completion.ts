import { COMMON_OPTIONS, type Command, defineCommand, success, UsageError } from '../shell/command.ts';

type Commands = Readonly<Record<string, Command>>;

function wordsOf({ words, options }: Command): string {
  const flags = Object.keys({ ...options, ...COMMON_OPTIONS }).map((flag) => `--${flag}`);
  return [...words, ...flags].join(' ');
}

/** A script that completes the first word by commands, and the others by the words and options of the command. */
function bash(commands: Commands): string {
  const cases = Object.entries(commands).map(([name, command]) => `    ${name}) words='${wordsOf(command)}' ;;`);
  return [
    '_weft() {',
    '  local words word=$2',
    '  local command=$(( COMP_CWORD > 1 ))',
    '  [ "$command" = 1 ] && command=$(echo "$COMP_LINE" | cut -d" " -f2)',
    '  case "$command" in',
    `    0|help) words='help ${Object.keys(commands).join(' ')}' ;;`,
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _weft weft',
  ].join('\n');
}

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = {
  bash,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
};

/** The command that prints completion scripts for all commands, including itself. */
export const completionOf = (commands: () => Promise<Commands>): Command =>
  defineCommand({
    about: 'Prints a script for command completion in a shell',
    usage: ['completion bash|zsh'],
    notes: ['Add this line to ~/.bashrc: eval "$(weft completion bash)"'],
    options: {},
    words: Object.keys(SHELLS),
    run: async (_, [shell = '', ...more]) => {
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (script === undefined || more.length > 0) {
        throw new UsageError(`expected one of ${Object.keys(SHELLS).join(', ')}`);
      }
      return success(script(await commands()));
    },
  });
