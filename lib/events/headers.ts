const PREFIX = 'ce-';

/**
 * Returns the attributes in the headers of a binary event, by their names without `ce-`; the content type is that of the
 * data. A header without a value is absent. Values are unquoted and percent-decoded once (CloudEvents, HTTP binding
 * 3.1.3.2); a sequence that is not UTF-8 stays encoded.
 */
export function fromHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const attributes = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value !== '' ? [[name.slice(PREFIX.length), decodeValue(value)]] : [],
  );
  const type = headers['content-type'];
  // fromEntries and not assignments: a header can be ce-__proto__.
  return Object.fromEntries(type ? [...attributes, ['datacontenttype', type]] : attributes);
}

function decodeValue(value: string): string {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  const bare = isQuoted ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value;
  return bare.replace(/(?:%[0-9a-f]{2})+/gi, decodeRun);
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}
