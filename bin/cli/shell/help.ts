import { COMMON_OPTIONS, type Command, type Option, type Options, toTable } from './command.ts';

function flagsOf(name: string, { short, value }: Option): string {
  const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? flags : `${flags} ${value}`;
}

/** One line for each option; an alias is part of the line of its option. */
function optionLines(options: Options): string[] {
  const entries = Object.entries(options);
  const rows = entries.flatMap(([name, option]) => {
    if (typeof option.help !== 'string') return [];
    const aliases = entries.filter(([, { help }]) => typeof help !== 'string' && help.aliasOf === name);
    const also = aliases.map(
      ([alias, { short }]) => `; also ${flagsOf(alias, { type: 'string', help: '', ...(short && { short }) })}`,
    );
    return [[flagsOf(name, option), `${option.help}${also.join('')}`]];
  });
  return rows.length === 0 ? [] : toTable(rows).split('\n');
}

/** The options of every command, for the help. */
export const commonLines = (): string[] => optionLines(COMMON_OPTIONS);

/** The options of a command alone. */
export const ownLines = ({ options }: Command): string[] => optionLines(options);

/** The help of a command. */
export function helpOf(command: Command): string {
  const { about, usage, notes, options } = command;
  const lines = [`${about}.`, '', 'Usage:', ...usage.map((form) => `  weft ${form}`), '', 'Options:'];
  const all = optionLines({ ...options, ...COMMON_OPTIONS }).map((line) => `  ${line}`);
  return [...lines, ...all, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}
