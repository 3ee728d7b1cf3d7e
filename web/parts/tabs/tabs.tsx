export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly href: string;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
}

/** Views of one thing, each with its own address. */
export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <div class="tabs">
      <nav aria-label={label}>
        {tabs.map((tab) => (
          <a key={tab.id} class="tab" href={tab.href} aria-current={tab.id === current ? 'page' : undefined}>
            {tab.label}
          </a>
        ))}
      </nav>
    </div>
  );
}
