import { addresses } from '../../data/navigation/addresses.ts';
import { Head, Section } from '../../parts/head/head.tsx';
import { Tabs } from '../../parts/tabs/tabs.tsx';
import { PARTS } from './parts.tsx';

/** The parts of the console with made-up values, for those who work on them. It needs no key and sends no request. */
export function GalleryPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { part = '' } = params;
  const names = part in PARTS ? [part] : Object.keys(PARTS);
  const tabs = ['all', ...Object.keys(PARTS)].map((name) => ({
    id: name,
    label: name,
    href: name === 'all' ? addresses.gallery() : addresses.gallery(name),
  }));
  return (
    <div class="page">
      <Head title="Gallery" name="Gallery" />
      <Tabs label="Parts" tabs={tabs} current={part in PARTS ? part : 'all'} />
      <div class="scroll">
        {names.map((name) => {
          const Part = PARTS[name];
          return (
            Part && (
              <Section key={name} title={name}>
                <div class="gallery-part">
                  <Part />
                </div>
              </Section>
            )
          );
        })}
      </div>
    </div>
  );
}
