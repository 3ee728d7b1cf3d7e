const PREFIX = 'ce-';

/** The attributes of a binary event, or the problem with one of them. */
export type FromHeaders = { readonly attributes: Readonly<Record<string, string>> } | { readonly problem: string };

/**
 * Returns the attributes in the headers of a binary event, by their names without `ce-`; the content type is that of the
 * data. A header without a value is absent. Values are unquoted and percent-decoded once (CloudEvents, HTTP binding
 * 3.1.3.2). A `%` that begins no encoded byte, or bytes that are not UTF-8, are a problem.
 */
export function fromHeaders(headers: Readonly<Record<string, string>>): FromHeaders {
  const attributes: [string, string][] = [];
  for (const [header, value] of Object.entries(headers)) {
    // The type of the data is the header Content-Type alone (3.1.1).
    if (!header.startsWith(PREFIX) || value === '' || header === 'ce-datacontenttype') continue;
    const name = header.slice(PREFIX.length);
    const decoded = decodeValue(value);
    if (decoded === undefined) {
      return { problem: `${name.slice(0, 60)}: MUST be percent-encoded UTF-8; write a percent sign as %25\n` };
    }
    attributes.push([name, decoded]);
  }
  const type = headers['content-type'];
  if (type) attributes.push(['datacontenttype', type]);
  // fromEntries and not assignments: a header can be ce-__proto__.
  return { attributes: Object.fromEntries(attributes) };
}

function decodeValue(value: string): string | undefined {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  const bare = isQuoted ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value;
  try {
    return decodeURIComponent(bare);
  } catch {
    return undefined;
  }
}
