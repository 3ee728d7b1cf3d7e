const PREFIX = 'ce-';

/**
 * The attributes that an event's headers hold, by their names without `ce-`; the content type is that of the data.
 * A header without a value counts as absent. Values are unquoted and percent-decoded once (CloudEvents, HTTP binding
 * 3.1.3.2); what does not decode to UTF-8 stays as it is.
 */
export function fromHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const attributes = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && value !== '' ? [[name.slice(PREFIX.length), decodeValue(value)]] : [],
  );
  const type = headers['content-type'];
  // From entries, because a header may be named ce-__proto__.
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
