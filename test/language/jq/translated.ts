import type { Jq } from 'jq-wasm/inline';
import { HOST_FUNCTIONS } from '../../../lib/language/jq/engine.ts';
import { definitionsOf } from '../../../lib/language/jq/gojq/definitions.ts';
import { loadHostedJq } from '../../../lib/language/jq/gojq/hosted-jq.ts';
import { translate } from '../../../lib/language/jq/gojq/translation.ts';
import { toJson } from '../../../lib/language/json.ts';

/** Loads jq-wasm as the engine does. */
export const loadTranslating = (): Promise<Jq> => loadHostedJq(HOST_FUNCTIONS);

/** Runs programs as the engine does, each in a frame, whose outputs are joined by commas. `-c` is set. */
export function runTranslated(jq: Jq, programs: readonly string[], data: unknown, frame: Frame): ReturnType<Jq['raw']> {
  const translations = programs.map(translate);
  const definitions = definitionsOf(new Set(translations.flatMap(({ names }) => [...names])));
  const framed = translations.map(({ program }, at) => frame(program, at));
  return jq.raw(`${toJson(data)}\n`, `${definitions} ${framed.join(',\n')}`, ['-c']);
}

type Frame = (program: string, at: number) => string;
