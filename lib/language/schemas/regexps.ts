import { RE2JS } from 're2js';
import { partsOf } from '../pattern-parts.ts';

/** The short names of Unicode's general categories by their long ones, which ECMA-262 allows and RE2 does not know. */
const CATEGORIES: Readonly<Record<string, string>> = {
  Letter: 'L',
  Cased_Letter: 'LC',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  punct: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Other: 'C',
  Control: 'Cc',
  Format: 'Cf',
  Surrogate: 'Cs',
  Private_Use: 'Co',
};

const ESCAPE = /\\(?:c([A-Za-z])|u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})(?:\\u([\da-fA-F]{4}))?|([pP])\{([^}]*)\}|.)/gs;

function codePoints(high: string, low: string | undefined): string {
  const units = [high, ...(low === undefined ? [] : [low])].map((digits) => Number.parseInt(digits, 16));
  return Array.from(String.fromCharCode(...units), (letter) => `\\x{${letter.codePointAt(0)?.toString(16)}}`).join('');
}

/** The name of a class of characters in RE2: a category or a script, without the name of the property. */
function classOf(property: string): string {
  const name = property.replace(/^(?:General_Category|gc|Script|sc)=/, '');
  return Object.hasOwn(CATEGORIES, name) ? (CATEGORIES[name] ?? name) : name;
}

/** Rewrites the escapes of ECMA-262 that RE2 does not have. */
function withEscapesOfRe2(pattern: string): string {
  return pattern.replace(ESCAPE, (found: string, ...parts: (string | undefined)[]) => {
    const [control, point, high, low, letter, property] = parts;
    if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
    if (point !== undefined) return `\\x{${point}}`;
    if (high !== undefined) return codePoints(high, low);
    return letter === undefined || property === undefined ? found : `\\${letter}{${classOf(property)}}`;
  });
}

/** The most parts of a `pattern`, each repeated as often as its `{n}` says. */
export const MAX_PATTERN = 10_000;

function compile(pattern: string): RE2JS {
  if (partsOf(pattern, MAX_PATTERN) > MAX_PATTERN) {
    throw new Error(`pattern: it has more than ${MAX_PATTERN} parts, repeated ones counted each time`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const rewritten = withEscapesOfRe2(pattern);
    if (rewritten === pattern) throw error;
    return RE2JS.compile(rewritten);
  }
}

/**
 * Compiles the `pattern` of a schema by RE2, as the original does, whose time is linear, so that a pattern cannot hang a
 * step. A pattern that is none of RE2 is one of ECMA-262 with the flag `u`, if only its escapes differ. Throws if it is
 * neither. The text of the result is the pattern: Ajv identifies expressions by their texts.
 */
export function schemaRegExp(pattern: string): { test: (text: string) => boolean; toString: () => string } {
  const compiled = compile(pattern);
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
}
schemaRegExp.code = 're2';
