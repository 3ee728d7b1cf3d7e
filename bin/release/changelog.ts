/** A section of CHANGELOG.md: one version, newest first. */
export interface Section {
  readonly version: string;
  /** `YYYY-MM-DD`; undefined: not released. */
  readonly date: string | undefined;
  /** The version of the REST API that its text names. */
  readonly api: string | undefined;
  /** The version of the stored schema that its text names. */
  readonly schema: number | undefined;
}

const HEADING = /^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2}|not released)$/;
const VERSIONS = /REST API (\d+\.\d+\.\d+), stored schema (\d+)/;

/** The sections of a change log. Throws Error for a heading of another form. */
export function sectionsOf(text: string): Section[] {
  const [, ...parts] = text.split(/^(?=## )/m);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const [, version, date] = HEADING.exec(heading) ?? [];
    if (version === undefined) {
      throw new Error(`CHANGELOG.md: '${heading}' is not '## VERSION - DATE' or '## VERSION - not released'`);
    }
    const [, api, schema] = VERSIONS.exec(lines.join('\n')) ?? [];
    return {
      version,
      date: date === 'not released' ? undefined : date,
      api,
      schema: schema === undefined ? undefined : Number(schema),
    };
  });
}
