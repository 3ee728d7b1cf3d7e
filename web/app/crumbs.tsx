import type { NamespacesReply } from '../../clients/api/operations.ts';
import { cutMiddle } from '../data/format/text.ts';
import { addresses } from '../data/navigation/addresses.ts';
import { hrefOf, place } from '../data/navigation/location.ts';
import { Icon } from '../parts/icon/icon.tsx';
import { Logo } from '../parts/icon/logo.tsx';
import { Menu } from '../parts/menu/menu.tsx';
import { labelOf } from './sections.ts';

interface Crumb {
  readonly label: string;
  readonly href: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** The parts of the address behind the namespace, each with its own address. */
function crumbsOf(segments: readonly string[]): Crumb[] {
  const start = segments[0] === 'n' ? 2 : 0;
  return segments.slice(start).map((segment, index) => ({
    label: index === 0 ? labelOf(segment) : UUID.test(segment) ? cutMiddle(segment) : segment,
    href: hrefOf(segments.slice(0, start + index + 1)),
  }));
}

function Namespaces({ current, names }: { readonly current: string; readonly names: readonly string[] }) {
  const items = names.map((name) => ({
    label: name,
    href: addresses.namespace(name),
    isCurrent: name === current,
  }));
  return (
    <Menu
      label={`Namespace ${current}`}
      kind="crumb-button"
      side="left"
      items={[...items, { label: 'All namespaces', icon: 'overview', href: addresses.home() }]}
    >
      <span class="cut">{current}</span>
      <Icon name="down" size={12} />
    </Menu>
  );
}

/** The path of the page, with links to its parents. */
export function Crumbs({ namespaces }: { readonly namespaces: NamespacesReply | undefined }) {
  const { segments } = place.value;
  const namespace = segments[0] === 'n' ? segments[1] : undefined;
  const crumbs = crumbsOf(segments);
  return (
    <nav class="crumbs" aria-label="Path">
      <a class="crumbs-home" href={addresses.home()} aria-label="Weft: all namespaces" title="All namespaces">
        <Logo />
      </a>
      {namespace !== undefined && (
        <Namespaces current={namespace} names={namespaces?.results.map(({ name }) => name) ?? []} />
      )}
      <ol class="crumbs-list">
        {crumbs.map(({ label, href }, index) => (
          <li key={href} class="crumb cut">
            <a class="cut" href={href} aria-current={index === crumbs.length - 1 ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
