import { render } from 'preact';
import { hrefOf, place, startNavigation } from '../../../web/data/navigation/location.ts';
import { Head, Section } from '../../../web/parts/head/head.tsx';
import { Tabs } from '../../../web/parts/tabs/tabs.tsx';
import { PARTS } from './parts.tsx';

/** The parts of the console with made-up values. It needs no key and sends no request. */
function Gallery() {
  const [, part = 'all'] = place.value.segments;
  const names = part in PARTS ? [part] : Object.keys(PARTS);
  const tabs = ['all', ...Object.keys(PARTS)].map((id) => ({ id, label: id, href: hrefOf(['gallery', id]) }));
  return (
    <main class="frame content">
      <div class="page">
        <Head title="Gallery" name="Gallery" />
        <Tabs label="Parts" tabs={tabs} current={part} />
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
    </main>
  );
}

startNavigation();

const root = document.getElementById('app');
if (root !== null) render(<Gallery />, root);
