import type { components, paths } from '../generated/api.d.ts';
import type { Http } from './http.ts';
import { type Abortable, type AnyRun, type EndedRun, type ExportFormat, type Item, type Run, type TaskKey, type WaitOptions } from './run.ts';
type Event = components['schemas']['Event'];
type Filter = Omit<NonNullable<paths['/v1/runs']['get']['parameters']['query']>, 'cursor'>;
/** The runs of the account. */
export declare class Runs {
    #private;
    constructor(http: Http);
    /** The run as it is now. */
    get<K extends TaskKey>(runId: string, options?: Abortable): Promise<[TaskKey] extends [K] ? AnyRun : Run<K>>;
    /** All runs, newest first; `limit` is the size of a page. */
    list({ signal, ...query }?: Filter & Abortable): AsyncGenerator<AnyRun, void>;
    /** Waits for the end of a run. @returns the run, whatever its end */
    wait<K extends TaskKey>(runId: string, options?: WaitOptions): Promise<EndedRun<K>>;
    /** Asks for the cancellation. @throws {GleanerError} `run-finished`, if the run has ended otherwise */
    cancel<K extends TaskKey>(runId: string, options?: Abortable): Promise<Run<K>>;
    /** The items of a run, once it has ended. @throws {RunFailed} after the last item, if the run did not succeed */
    items<K extends TaskKey>(runId: string, options?: WaitOptions): AsyncGenerator<Item<K>, void>;
    /** The events of a run, from the first or after a position up to the one that ends it. */
    events(runId: string, { after, signal }?: Abortable & {
        readonly after?: string;
    }): AsyncGenerator<Event, void>;
    /** The items of a run as text, once it has ended: `json`, `ndjson` or `csv`. */
    export(runId: string, format: ExportFormat, options?: WaitOptions): Promise<Response>;
    /** A file of a run, by the name that `artifacts` has. It resumes when the connection breaks. */
    download(runId: string, name: string, { signal }?: Abortable): Promise<Response>;
}
export {};
