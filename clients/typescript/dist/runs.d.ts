import type { components, paths } from '../generated/api.d.ts';
import type { Http } from './http.ts';
import { type Abortable, type AnyRun, type EndedRun, type ExportFormat, type Item, type Run, type TaskKey, type WaitOptions } from './run.ts';
type Event = components['schemas']['Event'];
type Filter = Omit<NonNullable<paths['/v1/runs']['get']['parameters']['query']>, 'cursor'>;
/** The runs of the account. */
export declare class Runs {
    #private;
    constructor(http: Http);
    /** The current state of the run. */
    get<K extends TaskKey>(runId: string, options?: Abortable): Promise<[TaskKey] extends [K] ? AnyRun : Run<K>>;
    /** All runs, newest first. `limit` is the page size. */
    list({ signal, ...query }?: Filter & Abortable): AsyncGenerator<AnyRun, void>;
    /** Waits for the end of a run. @returns the run, whatever its outcome */
    wait<K extends TaskKey>(runId: string, options?: WaitOptions): Promise<EndedRun<K>>;
    /** Requests cancellation. @throws {GleanerError} `run-finished`, if the run ended before it could be cancelled */
    cancel<K extends TaskKey>(runId: string, options?: Abortable): Promise<Run<K>>;
    /** Waits for the end, then yields the items. @throws {RunFailed} after the last item, if the run did not succeed */
    items<K extends TaskKey>(runId: string, options?: WaitOptions): AsyncGenerator<Item<K>, void>;
    /**
     * The items of a run so far, without waiting; all of them once it has ended. A run that works may start over, and then
     * has other items.
     */
    itemsSoFar<K extends TaskKey>(runId: string, options?: Abortable): Promise<readonly Item<K>[]>;
    /** The events of a run up to its end, starting at the first one or after the position `after`. */
    events(runId: string, options?: Abortable & {
        readonly after?: string;
    }): AsyncGenerator<Event, void>;
    /** Waits for the end of a run, then returns its items as `json`, `ndjson` or `csv`. Resumes as {@link download} does. */
    export(runId: string, format: ExportFormat, options?: WaitOptions): Promise<Response>;
    /** Downloads a file of a run by its name in `artifacts`. Resumes when the connection breaks. */
    download(runId: string, name: string, { signal }?: Abortable): Promise<Response>;
}
export {};
