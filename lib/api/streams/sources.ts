import type { LambdaName } from '../registry/families.ts';
import type { AlwaysStreamedId, IdsServedBy, RouteId, StreamedId } from '../registry/routes/index.ts';
import type { CursorReader } from './cursor-readers.ts';
import type { Watcher } from './watchers.ts';

/** Where the event stream of a route comes from, if not from its endpoint. */
export type StreamSource<Id extends RouteId> = CursorReader<Id> | Watcher<Id>;

/**
 * The stream sources of some routes. A route that is always streamed needs one. Other routes have one if each event has
 * only new rows or changes; without a source, each event is the whole reply of the endpoint.
 */
export type StreamSourcesOf<Ids extends RouteId> = {
  readonly [Id in Extract<Ids, AlwaysStreamedId>]: StreamSource<Id>;
} & { readonly [Id in Extract<Ids, StreamedId>]?: StreamSource<Id> };

/** The stream sources of a Lambda. */
export type StreamSources<Name extends LambdaName> = StreamSourcesOf<IdsServedBy<Name>>;
