import type { Section } from './changelog.ts';
import type { Versions } from './compatibility.ts';

/** The versions of the code, and the statements of the repository about them. */
export interface Stated {
  readonly code: Versions;
  /** The version in package-lock.json. */
  readonly lock: string;
  /** `info.version` of docs/openapi.json. */
  readonly document: string;
  /** The newest section of CHANGELOG.md; undefined if there is none. */
  readonly section: Section | undefined;
  /** Schema versions of which test/upgrade/ has an archive. */
  readonly archived: readonly number[];
}

const SEMANTIC = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** Where package, change log, API document and stored schema disagree; empty if they agree. */
export function versionProblems({ code, lock, document, section, archived }: Stated): string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    [SEMANTIC.test(code.package), `package.json: '${code.package}' is no semantic version`],
    [SEMANTIC.test(code.api), `the REST API: '${code.api}' is no semantic version`],
    [lock === code.package, `package-lock.json has version ${lock}, package.json ${code.package}`],
    [document === code.api, `docs/openapi.json has version ${document}, the code ${code.api}: npm run docs`],
    [
      section?.version === code.package,
      `the newest section of CHANGELOG.md is ${section?.version ?? 'missing'}, package.json has ${code.package}`,
    ],
    [
      section?.api === code.api && section.schema === code.schema,
      `the newest section of CHANGELOG.md must contain 'REST API ${code.api}, stored schema ${code.schema}'`,
    ],
  ];
  const schemas = Array.from({ length: code.schema }, (_, index) => index + 1);
  return [
    ...checks.filter(([holds]) => !holds).map(([, problem]) => problem),
    ...schemas
      .filter((version) => !archived.includes(version))
      .map((version) => `test/upgrade/ has no archive of data with schema version ${version}`),
  ];
}
