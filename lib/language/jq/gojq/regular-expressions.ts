import { RE2JS } from 're2js';

/** Expressions compiled of one thread; when there are more, all are forgotten. */
const MAX_COMPILED = 200;

const compiled = new Map<string, RE2JS | undefined>();

/** Returns the expression as gojq compiles it; undefined for a text that is no RE2 expression. */
function compile(pattern: string, flags: string): RE2JS | undefined {
  const text = `${flags.includes('m') ? '(?s)' : ''}${flags.includes('i') ? '(?i)' : ''}${pattern.replaceAll('(?<', '(?P<')}`;
  if (compiled.has(text)) return compiled.get(text);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  let expression: RE2JS | undefined;
  try {
    expression = RE2JS.compile(text);
  } catch {
    expression = undefined;
  }
  compiled.set(text, expression);
  return expression;
}

type Matcher = ReturnType<RE2JS['matcher']>;

/** Visits the matches as Go finds them: an empty one that touches the one before is none. Stops after the first, or not. */
function visitMatches(matcher: Matcher, text: string, isGlobal: boolean, visit: () => void): void {
  let before = -1;
  for (let from = 0; from <= text.length && matcher.find(from); ) {
    const [start, end] = [matcher.start(), matcher.end()];
    const isRepeated = end === from && start === before;
    from = end === from ? from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1) : end;
    before = end;
    if (!isRepeated) visit();
    if (!isGlobal) return;
  }
}

/** Counts code points up to growing offsets. */
function codePointCounter(text: string): (offset: number) => number {
  let [at, count] = [0, 0];
  return (offset) => {
    if (offset < at) [at, count] = [0, 0];
    for (; at < offset; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    return count;
  };
}

/** A part of a text that an expression or one of its groups matches, as jq describes it. */
interface Part {
  readonly offset: number;
  readonly length: number;
  readonly string: string | null;
}

function describe(matcher: Matcher, text: string, count: (offset: number) => number, group: number): Part {
  const [start, end] = [matcher.start(group), matcher.end(group)];
  if (start < 0) return { offset: -1, length: 0, string: null };
  const offset = count(start);
  return { offset, length: count(end) - offset, string: text.slice(start, end) };
}

/**
 * gojq's `_match`: whether a text matches if `isTest`, else its matches. A pattern that is no RE2 expression and values
 * that are no texts have no result.
 */
export function match(text: unknown, pattern: unknown, flags: unknown, isTest: unknown): unknown {
  const letters = flags ?? '';
  if (typeof text !== 'string' || typeof pattern !== 'string' || typeof letters !== 'string') return undefined;
  const expression = compile(pattern, letters);
  if (expression === undefined) return undefined;
  const matcher = expression.matcher(text);
  if (isTest === true) return matcher.find();
  const names = new Map(Object.entries(expression.namedGroups()).map(([name, group]) => [group, name]));
  const count = codePointCounter(text);
  const found: object[] = [];
  visitMatches(matcher, text, letters.includes('g'), () => {
    const whole = describe(matcher, text, count, 0);
    const captures = Array.from({ length: matcher.groupCount() }, (_, index) => {
      const name = names.get(index + 1) ?? null;
      return { ...describe(matcher, text, count, index + 1), name };
    });
    found.push({ ...whole, captures });
  });
  return found;
}

/** gojq's `split` with flags. It has no result where `match` has none. */
export function split(text: unknown, pattern: unknown, flags: unknown): unknown {
  const letters = flags ?? '';
  if (typeof text !== 'string' || typeof pattern !== 'string' || typeof letters !== 'string') return undefined;
  const expression = compile(pattern, letters);
  if (expression === undefined) return undefined;
  if (text === '' && expression.pattern() !== '') return [''];
  const parts: string[] = [];
  let [begin, end] = [0, 0];
  const matcher = expression.matcher(text);
  visitMatches(matcher, text, true, () => {
    end = matcher.start();
    if (matcher.end() !== 0) parts.push(text.slice(begin, end));
    begin = matcher.end();
  });
  if (end !== text.length) parts.push(text.slice(begin));
  return parts;
}
