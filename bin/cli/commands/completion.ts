import { at, rowsAt, textAt } from '../client/replies.ts';
import { namespacePath, needNamespace, openService, type Service } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { type Command, defineCommand, result, success, UsageError } from '../shell/command.ts';
import { NAME_KINDS, type NameKind, SHELLS } from '../shell/completion.ts';
import { workflowsBelow } from '../workflows/listing.ts';

type Commands = Readonly<Record<string, Command>>;

/** The number of the newest runs that the shell completes. */
const MAX_RUNS = 50;

/** Reads the names of each kind that a shell completes. */
const NAMES: Readonly<Record<NameKind, (service: Service) => Promise<string[]>>> = {
  namespaces: async (service) =>
    (rowsAt({ list: await service.call('GET', '/api/namespaces') }, 'list') ?? []).map((row) => textAt(row, 'name')),
  workflows: async (service) => {
    const remote = { service, namespace: needNamespace(service), note: () => undefined };
    return (await workflowsBelow(remote, '')).map(({ path }) => path);
  },
  runs: async (service) => {
    const reply = await service.call('GET', `${namespacePath(needNamespace(service))}/instances?limit=${MAX_RUNS}`);
    return (rowsAt({ list: at(reply, 'instances') }, 'list') ?? []).map((row) => textAt(row, 'id'));
  },
};

const isKind = (text: string): text is NameKind => (NAME_KINDS as readonly string[]).includes(text);

const OPTIONS = { ...NAMESPACE_OPTION, ...TARGET_OPTIONS } as const;

/** The command that prints completion scripts for all commands, including itself. */
export const completionOf = (commands: () => Promise<Commands>): Command =>
  defineCommand({
    about: 'Prints a script for command completion in a shell',
    usage: [`completion ${Object.keys(SHELLS).join('|')}`, `completion names ${NAME_KINDS.join('|')}`],
    notes: [
      'bash: add to ~/.bashrc: eval "$(weft completion bash)"',
      'zsh: add to ~/.zshrc: eval "$(weft completion zsh)"',
      'fish: weft completion fish > ~/.config/fish/completions/weft.fish',
      'The scripts complete the names of workflows, namespaces and runs by `weft completion names`.',
    ],
    options: OPTIONS,
    words: [...Object.keys(SHELLS), 'names'],
    run: async (values, [shell = '', kind = '', ...more], terminal) => {
      if (shell === 'names' && isKind(kind) && more.length === 0) {
        const names = await NAMES[kind](await openService(values, terminal));
        return result(values, names, () => names.join('\n'));
      }
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (script === undefined || kind !== '') {
        throw new UsageError(`expected one of ${Object.keys(SHELLS).join(', ')}, names ${NAME_KINDS.join('|')}`);
      }
      return success(script(await commands()));
    },
  });
