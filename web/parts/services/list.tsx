import type { ServiceRecord } from '../../../clients/api/operations.ts';
import { useServices } from '../../data/services/live.ts';
import type { ServiceSource } from '../../data/services/source.ts';
import { ErrorNote, Skeleton } from '../note/note.tsx';
import { type Column, Table } from '../table/table.tsx';
import { ServiceState } from './state.tsx';

export const SIZES = ['Small', 'Medium', 'Large'] as const;

const COLUMNS: readonly Column<ServiceRecord>[] = [
  { name: 'Name', width: 'minmax(120px, 1fr)', cell: ({ info }) => <span class="strong">{info.name}</span> },
  { name: 'State', width: 'minmax(90px, 0.8fr)', cell: (service) => <ServiceState service={service} /> },
  { name: 'Image', width: 'minmax(160px, 2fr)', cell: ({ info }) => <code title={info.image}>{info.image}</code> },
  { name: 'Size', width: '80px', cell: ({ info }) => SIZES[info.size] ?? info.size },
  { name: 'Kept running', width: '104px', isRight: true, cell: ({ info }) => info.minScale },
];

interface ServiceListProps {
  readonly source: ServiceSource;
  readonly none: string;
  readonly hrefOf?: (service: ServiceRecord) => string;
}

/** Services with their state and image. */
export function ServiceList({ source, none, hrefOf }: ServiceListProps) {
  const { list, error } = useServices(source);
  const services = list.value;
  if (error.value !== undefined) return <ErrorNote title="The services cannot be listed" error={error.value} />;
  if (services === undefined) return <Skeleton />;
  if (services.length === 0) return <p class="none">{none}</p>;
  return (
    <Table
      label="Services"
      isWhole
      columns={COLUMNS}
      rows={services}
      keyOf={({ serviceName }) => serviceName}
      {...(hrefOf === undefined ? {} : { hrefOf })}
      narrow={(service) => (
        <span class="two-lines">
          <span class="strong">{service.info.name}</span>
          <ServiceState service={service} />
          <code class="cut">{service.info.image}</code>
          <span>{SIZES[service.info.size]}</span>
        </span>
      )}
    />
  );
}
