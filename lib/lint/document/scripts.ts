import type { Ast } from '../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../language/jq/syntax/errors.ts';
import { parseJq } from '../../language/jq/syntax/parser.ts';
import type { Position } from '../../language/position.ts';
import { closingBracket, MAX_SCRIPT, nextScript, type ScriptKind } from '../../language/scripts/scripts.ts';
import type { ScalarNode } from '../../language/yaml/parser.ts';

/** A `jq(...)` or `js(...)` in a text, by its offsets in that text. */
export interface LocatedScript {
  readonly kind: ScriptKind;
  readonly source: string;
  /** The offset of the source, behind the bracket. */
  readonly from: number;
}

/** The scripts of a text; `unclosed` is the offset of one without a closing bracket. */
export interface LocatedScripts {
  readonly scripts: readonly LocatedScript[];
  readonly unclosed?: number;
}

/** Finds the scripts of a text by the rule of the engine: every bracket counts (workflow-language 5.2). */
export function locateScripts(text: string): LocatedScripts {
  const scripts: LocatedScript[] = [];
  let rest = 0;
  for (let open = nextScript(text, 0); open >= 0; open = nextScript(text, rest)) {
    const from = open + 3;
    const close = closingBracket(text, from);
    if (close < 0) return { scripts, unclosed: open };
    scripts.push({ kind: text.startsWith('jq', open) ? 'jq' : 'js', source: text.slice(from, close), from });
    rest = close + 1;
  }
  return { scripts };
}

/** A script of a workflow. */
export interface Script extends LocatedScript {
  readonly node: ScalarNode;
  /** The whole text of the query is this script, so that its result keeps its type. */
  readonly isWhole: boolean;
  /** The position of an offset in the source of the script. */
  readonly at: (offset: number) => Position;
  /** The program of a jq script, or the error of one that cannot be parsed. */
  readonly program?: Ast | JqSyntaxError;
}

const programs = new Map<string, Ast | JqSyntaxError>();

/** Programs cached, so that the texts of a folder with the same programs are parsed once, and their characters. */
const MAX_PROGRAMS = 2000;
const MAX_CHARACTERS = 500_000;

let characters = 0;

/** Parses a jq program, from a cache if possible. */
export function programOf(source: string): Ast | JqSyntaxError {
  const known = programs.get(source);
  if (known !== undefined) return known;
  characters += source.length;
  if (programs.size >= MAX_PROGRAMS || characters > MAX_CHARACTERS) {
    programs.clear();
    characters = source.length;
  }
  const program = parse(source);
  programs.set(source, program);
  return program;
}

function parse(source: string): Ast | JqSyntaxError {
  // The compiler rejects it.
  if (source.length > MAX_SCRIPT.characters) return new JqSyntaxError('the program is too long', 0);
  try {
    return parseJq(source);
  } catch (error) {
    if (error instanceof JqSyntaxError) return error;
    throw error;
  }
}
