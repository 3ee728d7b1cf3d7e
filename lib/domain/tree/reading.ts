import type { compile } from '../../compiler/compile.ts';
import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Reading } from '../../ports/reader.ts';
import { ServiceError } from '../errors.ts';

/** A text of a workflow, and the namespace on whose account it is read. */
interface TenantText {
  readonly tenant: string;
  readonly source: string;
}

/** The ports with which texts are read in threads; absent: at once. */
export type ReadingPorts = Partial<Pick<Ports, 'reader' | 'processor'>>;

/** Longer texts are read in threads: a shorter one takes about a turn of the thread that serves all tenants. */
export const MAX_INLINE = 4096;
/** The same for a text with a JSON Schema, whose validator takes long to compile. */
export const MAX_INLINE_SCHEMA = 1024;

/** The result of a reading with more characters is parsed in a turn of its own. */
const LARGE_RESULT = 64 * 1024;

/** An anchor of YAML, which may repeat a part of the text thousands of times. */
const ANCHOR = /&[^\s&]/;

/** True for a text that takes about a turn, whatever is in it. */
const isSmall = (source: string): boolean =>
  source.length <= (/schema/i.test(source) ? MAX_INLINE_SCHEMA : MAX_INLINE) && !ANCHOR.test(source);

/**
 * Reads a text: a small one at once, a large one in a thread, if the process has such threads. Throws `invalid` for a text
 * that takes too much work.
 */
export async function readAs<T>(
  { reader, processor }: ReadingPorts,
  { tenant, source }: TenantText,
  reading: Reading,
  readNow: () => T | Promise<T>,
): Promise<T> {
  if (reader === undefined || isSmall(source)) return readNow();
  const result = await reader.read(tenant, source, reading);
  if ('text' in result) {
    if (result.text.length > LARGE_RESULT) await processor?.takeLargeTurn(tenant);
    return parseJson(result.text) as T;
  }
  throw new ServiceError('invalid', `${result.error}; move parts of it into subflows`);
}

/**
 * Compiles a text, as `compile` does. Throws `invalid` for a text that takes too much work. The compiler is loaded at the
 * first text: most calls of a function find the plan stored.
 */
export const compileText = (ports: ReadingPorts, text: TenantText): Promise<ReturnType<typeof compile>> =>
  readAs(ports, text, { as: 'plan' }, async () => (await import('../../compiler/compile.ts')).compile(text.source));
