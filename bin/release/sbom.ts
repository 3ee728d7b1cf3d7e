import { execFileSync } from 'node:child_process';
import { bundledPackages } from '../licenses/packages.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** A CycloneDX document, as `npm sbom` writes it. */
export interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component & Readonly<Record<string, unknown>> };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/** Enough for the document of all packages of a clone. */
const MAX_BUFFER_BYTES = 64 * 1024 * 1024;

/** The part of a CycloneDX document about some packages, by their references: `ajv@8.20.0`. */
export function restrictBom(bom: Bom, name: string, refs: ReadonlySet<string>): Bom {
  const own = bom.metadata.component['bom-ref'];
  const isKept = (ref: string): boolean => refs.has(ref);
  const { properties: _, ...component } = bom.metadata.component;
  return {
    ...bom,
    // npm names the project by its folder.
    metadata: { ...bom.metadata, component: { ...component, name } },
    components: bom.components.filter((one) => isKept(one['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => ref === own || isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

/**
 * The software bill of materials of the package: `npm sbom` describes all packages of the lockfile, and those that the
 * bundles contain are kept, which are those of THIRD-PARTY-NOTICES.txt. Throws Error if npm does not describe one of them.
 */
export function bomOf(root: string, name: string): Bom {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: MAX_BUFFER_BYTES });
  const refs = new Set(bundledPackages().map((one) => `${one.name}@${one.version}`));
  const bom = restrictBom(JSON.parse(text) as Bom, name, refs);
  const described = new Set(bom.components.map((one) => one['bom-ref']));
  const missing = [...refs].filter((ref) => !described.has(ref));
  if (missing.length > 0) throw new Error(`npm sbom does not describe ${missing.join(', ')}`);
  return bom;
}
