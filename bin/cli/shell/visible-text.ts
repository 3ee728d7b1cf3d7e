import { PAINT_CODES, type Terminal } from './terminal.ts';

/** Control characters, with the rest of a code that sets a colour, and characters that change the order of a text. */
const CONTROL = /\r\n|(?![\n\t])\p{Cc}(?:\[\d{1,2}m)?|[\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text in which control characters are written as in JSON; `kept` are those that stay. */
const withoutControls = (text: string, kept: ReadonlySet<string>): string =>
  text.replace(CONTROL, (found) => (kept.has(found) ? found : `${escaped(found)}${found.slice(1)}`));

/** The beginnings of a command to GitHub Actions, in both of its notations. */
const COMMAND = /^(?<space>\s*):(?=:)|#(?=#\[)/gmu;

const withoutCommands = (text: string): string =>
  text.replace(COMMAND, (found) => `${found.slice(0, -1)}${escaped(found.slice(-1))}`);

const LINE_BREAKS: ReadonlySet<string> = new Set(['\r\n']);
/** A text in which control characters other than line breaks are written as in JSON. */
export const visibleText = (text: string): string => withoutControls(text, LINE_BREAKS);

const WITH_COLOURS: ReadonlySet<string> = new Set([...LINE_BREAKS, ...PAINT_CODES]);

/**
 * A terminal that shows control characters instead of obeying them: all that commands print passes here, and much of it is
 * from services and files. Bytes are data and stay as they are, except where the standard output is a terminal. In GitHub
 * Actions, text does not become a command of the log. Colours that `paint` sets stay.
 */
export function withVisibleControls(terminal: Terminal): Terminal {
  const isInActions = terminal.env['GITHUB_ACTIONS'] === 'true';
  const visible = (text: string): string => {
    const clean = withoutControls(text, terminal.hasColour ? WITH_COLOURS : LINE_BREAKS);
    return isInActions ? withoutCommands(clean) : clean;
  };
  const decoder = new TextDecoder();
  const { drawStatus } = terminal;
  return {
    ...terminal,
    print: (chunk) => {
      if (typeof chunk === 'string') return terminal.print(visible(chunk));
      return terminal.print(terminal.printsToTerminal ? visible(decoder.decode(chunk, { stream: true })) : chunk);
    },
    printStatus: (line) => terminal.printStatus(visible(line)),
    ...(drawStatus === undefined ? {} : { drawStatus: (line) => drawStatus(visible(line)) }),
    ask: (question, how) => terminal.ask(visible(question), how),
  };
}
