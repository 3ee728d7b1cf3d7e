import type { ComponentChildren } from 'preact';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly href: string;
  /** A number beside the label. */
  readonly count?: number | undefined;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly children?: ComponentChildren;
}

/** Views of one thing, each with an address of its own. */
export function Tabs({ label, tabs, current, children }: TabsProps) {
  return (
    <div class="tabs">
      <nav aria-label={label}>
        {tabs.map((tab) => (
          <a key={tab.id} class="tab" href={tab.href} aria-current={tab.id === current ? 'page' : undefined}>
            {tab.label}
            {tab.count !== undefined && tab.count > 0 && (
              <span class="tab-count">{tab.count.toLocaleString('en-US')}</span>
            )}
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
}
