import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { usePolled } from '../data/api/live.ts';
import { signOut } from '../data/api/session.ts';
import { keepPreference, readPreference } from '../data/browser/storage.ts';
import { setTheme, theme } from '../data/browser/theme.ts';
import { isCompact } from '../data/browser/viewport.ts';
import { useActions } from '../data/navigation/actions.ts';
import { addresses } from '../data/navigation/addresses.ts';
import { go, place } from '../data/navigation/location.ts';
import { Button } from '../parts/button/button.tsx';
import { Icon } from '../parts/icon/icon.tsx';
import { Menu, type MenuItem } from '../parts/menu/menu.tsx';
import { Crumbs } from './crumbs.tsx';
import { Jobs } from './jobs.tsx';
import { NamespaceGate } from './namespace-gate.tsx';
import { openPalette } from './palette.tsx';
import { Reach } from './reach.tsx';
import { globalSections, type Section, sectionsOf } from './sections.ts';

function BarLink({ section, isCurrent }: { readonly section: Section; readonly isCurrent: boolean }) {
  return (
    <a
      class={`bar-link${section.isFirst ? ' first' : ''}`}
      href={section.href}
      aria-current={isCurrent ? 'page' : undefined}
      title={section.label}
    >
      <Icon name={section.icon} />
      <span class="bar-word">{section.label}</span>
    </a>
  );
}

const themeItems = (): readonly MenuItem[] => [
  { label: 'Light', icon: 'sun', isCurrent: theme.value === 'light', onSelect: () => setTheme('light') },
  { label: 'Dark', icon: 'moon', isCurrent: theme.value === 'dark', onSelect: () => setTheme('dark') },
  { label: 'As the system', icon: 'settings', isCurrent: theme.value === 'system', onSelect: () => setTheme('system') },
];

/** Offers the actions of every page, by keys and in the palette. */
function useGlobalActions(sections: readonly Section[]): void {
  useActions(
    () => [
      ...sections.map(({ label, href, key, isOutside }) => ({
        id: `go ${href}`,
        label: `Go to ${label}`,
        isOfPage: false,
        run: () => (isOutside ? window.location.assign(href) : go(href)),
        ...(key === undefined ? {} : { keys: `g ${key}` }),
      })),
      { id: 'go home', label: 'Go to all namespaces', keys: 'g n', isOfPage: false, run: () => go(addresses.home()) },
      { id: 'theme light', label: 'Use light colours', isOfPage: false, run: () => setTheme('light') },
      { id: 'theme dark', label: 'Use dark colours', isOfPage: false, run: () => setTheme('dark') },
      { id: 'theme system', label: 'Use the colours of the system', isOfPage: false, run: () => setTheme('system') },
      { id: 'out', label: 'Sign out', isOfPage: false, run: () => signOut() },
    ],
    [sections.map(({ href }) => href).join()],
  );
}

/** The bar at the side: words and icons, or icons alone. */
function Bar({ sections, current }: { readonly sections: readonly Section[]; readonly current: string }) {
  const isFolded = useSignal(readPreference('bar') === 'folded');
  const fold = () => {
    isFolded.value = !isFolded.value;
    keepPreference('bar', isFolded.value ? 'folded' : undefined);
  };
  return (
    <div class={`bar${isFolded.value ? ' folded' : ''}`}>
      <nav class="bar-links" aria-label="Pages">
        {sections.map((section) => (
          <BarLink key={section.href} section={section} isCurrent={section.id === current} />
        ))}
      </nav>
      <nav class="bar-links" aria-label="Installation">
        {globalSections().map((section) => (
          <BarLink key={section.href} section={section} isCurrent={section.id === current} />
        ))}
      </nav>
      <div class="bar-foot">
        <Menu label="Colours" items={themeItems()} side="left">
          <Icon name={theme.value === 'dark' ? 'moon' : 'sun'} />
        </Menu>
        <Button kind="bare" icon="out" label="Sign out" onClick={() => signOut()} />
        <Button kind="bare" icon="sidebar" label={isFolded.value ? 'Show words' : 'Fold the bar'} onClick={fold} />
      </div>
    </div>
  );
}

const MOST_THUMBS = 4;

/** The bar at the foot of a narrow screen: four pages, and a menu of all others. */
function FootBar({ sections, current }: { readonly sections: readonly Section[]; readonly current: string }) {
  const all = [...sections, ...globalSections()];
  const more: readonly MenuItem[] = [
    ...all.slice(MOST_THUMBS).map(({ label, icon, href, id }) => ({ label, icon, href, isCurrent: id === current })),
    ...themeItems(),
    { label: 'Sign out', icon: 'out', onSelect: () => signOut() },
  ];
  return (
    <nav class="foot-bar" aria-label="Pages">
      {all.slice(0, MOST_THUMBS).map((section) => (
        <BarLink key={section.href} section={section} isCurrent={section.id === current} />
      ))}
      <Menu label="More pages" items={more} kind="bar-link">
        <Icon name="more" />
        <span class="bar-word">More</span>
      </Menu>
    </nav>
  );
}

/** The bar, the path, and a page inside. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { segments } = place.value;
  const isInside = segments[0] === 'n' && segments[1] !== undefined;
  // On a page of the installation, the bar still links to the previous namespace.
  const last = useRef<string | undefined>(undefined);
  if (isInside) last.current = segments[1];
  else if (segments.length === 0) last.current = undefined;
  const sections = last.current === undefined ? [] : sectionsOf(last.current);
  const current = isInside ? (segments[2] ?? '') : (segments[0] ?? 'none');
  const polled = usePolled('listNamespaces', isInside ? {} : undefined);
  // A cached list may lack a new namespace.
  const namespaces = polled.state.value === 'connecting' ? undefined : polled.value.value;
  useGlobalActions([...sections, ...globalSections()]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        To the content
      </button>
      {!isCompact.value && <Bar sections={sections} current={current} />}
      <div class="frame-main">
        <header class="frame-top">
          <Crumbs namespaces={namespaces} />
          <button type="button" class="find" onClick={() => openPalette('all')} title="Find a page or an action">
            <Icon name="search" />
            <span class="find-word">Find</span>
            <kbd>ctrl k</kbd>
          </button>
        </header>
        <Reach />
        <Jobs />
        <main class="content" id="content" tabIndex={-1}>
          <NamespaceGate key={segments[1]} namespace={isInside ? segments[1] : undefined} list={namespaces}>
            {children}
          </NamespaceGate>
        </main>
      </div>
      {isCompact.value && <FootBar sections={sections} current={current} />}
    </div>
  );
}
