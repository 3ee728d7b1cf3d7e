import { StreamLanguage, type StringStream } from '@codemirror/language';

const KEYWORDS = new Set(
  'and or not if then elif else end as def reduce foreach try catch label import include limit empty error'.split(' '),
);

const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/^#.*/, 'comment'],
  [/^"(?:\\.|[^"\\])*"?/, 'string'],
  [/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, 'number'],
  [/^\$\w+/, 'variableName'],
  [/^@\w+/, 'atom'],
  [/^\.\.?(?:\w+)?/, 'propertyName'],
  [/^[|,:;?=<>!+*/%-]+/, 'operator'],
];

function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  for (const [pattern, name] of TOKENS) if (stream.match(pattern)) return name;
  const word = stream.match(/^\w+/);
  if (Array.isArray(word)) return KEYWORDS.has(word[0] ?? '') ? 'keyword' : 'function';
  stream.next();
  return null;
}

/** The colours of jq. */
export const jq = () => StreamLanguage.define({ name: 'jq', token });
