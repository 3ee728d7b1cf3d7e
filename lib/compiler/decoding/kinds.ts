import { ownMember } from '../../language/own-members.ts';
import { type Context, reportInvalid, reportUndecodable } from './context.ts';
import { createDecoder, type Decoder } from './decoders.ts';
import { acceptedFields, type Decoded, decodeFields, object } from './object.ts';

/** A kind of a map that has exactly one field, which names the kind: its fields, and the function to its value. */
export function kindOf<F extends object, T>(fields: F, lower: (fields: Decoded<F>) => T): Decoder<T | undefined> {
  const decode = object(fields);
  return createDecoder(decode.accepts, (node, field, context) => {
    if (node === undefined) return undefined;
    const values = decode(node, field, context);
    return values && lower(values);
  });
}

/** A map with exactly one of these kinds. `example` is shown for a map that has none of them, or several. */
export function oneKind<T extends object>(
  kinds: Readonly<Record<string, Decoder<T | undefined>>>,
  example: string,
): Decoder<T | undefined> {
  const accepts = { kind: 'object', fields: acceptedFields(kinds), isLenient: false } as const;
  return createDecoder(accepts, (node, field, context: Context): T | undefined => {
    if (node === undefined) return undefined;
    if (node.kind !== 'map') {
      reportUndecodable(context, node, `field "${field.name}" must be a map`, () => `for example ${example}`);
      return undefined;
    }
    const values = decodeFields(node, kinds, context) as Readonly<Record<string, T | undefined>>;
    const names = Object.keys(kinds);
    const given = names.flatMap((name) => ownMember(values, name) ?? []);
    if (given.length === 1) return given[0];
    const rule = `${field.name} must have exactly one of [${names.join(' ')}]`;
    reportInvalid(context, node, rule, () => `for example ${example}`);
    return undefined;
  });
}
