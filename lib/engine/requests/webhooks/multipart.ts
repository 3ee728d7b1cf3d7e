/** A part of a form: a field, or a file if it has a `filename`. */
export interface Part {
  readonly name: string;
  readonly filename: string | undefined;
  /** Its content type; undefined: none. */
  readonly type: string | undefined;
  readonly body: Buffer;
}

const BOUNDARY = /^multipart\/form-data\s*;(?:.*[;\s])?boundary=(?:"([^"]+)"|([^\s";]+))/i;
const LINE = '\r\n';

/**
 * Yields the parts of a body of the type `multipart/form-data` (RFC 7578). The value of the generator tells whether the body
 * is a complete form.
 */
export function* partsOf(contentType: string, body: Uint8Array): Generator<Part, boolean> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return false;
  // The first boundary has no line before it.
  const bytes = Buffer.concat([Buffer.from(LINE), body]);
  const mark = `${LINE}--${boundary}`;
  for (let at = bytes.indexOf(mark); at >= 0; ) {
    const from = at + mark.length;
    if (bytes.toString('latin1', from, from + 2) === '--') return true;
    const end = bytes.indexOf(LINE + LINE, from);
    const next = bytes.indexOf(mark, end + 4);
    const part =
      end < 0 || next < 0 ? undefined : toPart(bytes.toString('utf8', from, end), bytes.subarray(end + 4, next));
    if (part === undefined) return false;
    yield part;
    at = next;
  }
  return false;
}

const headerIn = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}[ \\t]*:(.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(head)?.[1]?.trim();

/** A parameter of a header; browsers write quotes and line breaks in it as `%22`, `%0D` and `%0A`, other programs escape them. */
function parameterIn(header: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:\\\\["\\\\]|[^"])*)"|([^;\\s"]+))`, 'i').exec(header) ?? [];
  return (quoted?.replace(/\\(["\\])/g, '$1') ?? plain)?.replace(/%(?:22|0D|0A)/gi, decodeURIComponent);
}

/** A file name in the form of RFC 5987, which some programs send though RFC 7578 excludes it. */
function extendedNameIn(header: string): string | undefined {
  try {
    const coded = parameterIn(header, 'filename\\*')?.match(/^utf-8'[^']*'(.*)$/i)?.[1];
    return coded === undefined ? undefined : decodeURIComponent(coded);
  } catch {
    return undefined;
  }
}

function toPart(head: string, body: Buffer): Part | undefined {
  const disposition = headerIn(head, 'content-disposition') ?? '';
  const name = parameterIn(disposition, 'name');
  if (name === undefined || !/^form-data\s*;/i.test(disposition)) return undefined;
  const filename = extendedNameIn(disposition) ?? parameterIn(disposition, 'filename');
  return { name, filename, type: headerIn(head, 'content-type'), body };
}
