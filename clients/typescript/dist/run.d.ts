import type { components, Tasks } from '../generated/api.d.ts';
import type { Runs } from './runs.ts';
/** The key of a task. */
export type TaskKey = keyof Tasks & string;
/** The input of a task. */
export type Input<K extends TaskKey> = Tasks[K]['input'];
/** The result of a task: `items`, `next_cursor` and what else the task has. */
export type Result<K extends TaskKey> = Tasks[K]['result'];
/** One item of a task's result. */
export type Item<K extends TaskKey> = Result<K> extends {
    readonly items: readonly (infer I)[];
} ? I : never;
/** What a run looks like in the API. `result` is null until the run ends, and `{ expired_at }` once it was deleted. */
export type RunData<K extends TaskKey = TaskKey> = Omit<components['schemas']['Run'], 'task_key' | 'result'> & {
    readonly task_key: K;
    readonly result: Result<K> | {
        readonly expired_at: string;
    } | null;
};
/** A run as it was when it was asked for; it never changes. */
export type Run<K extends TaskKey = TaskKey> = RunMethods<K> & RunData<K>;
/** A run that has ended, whatever its end. */
export type EndedRun<K extends TaskKey = TaskKey> = Run<K>;
/** A run that succeeded. */
export type SucceededRun<K extends TaskKey = TaskKey> = Run<K> & {
    readonly run_status: 'succeeded';
    readonly result: Result<K>;
};
/** A run of any task: `task_key` tells of which. */
export type AnyRun = {
    [K in TaskKey]: Run<K>;
}[TaskKey];
export type Progress = components['schemas']['Run']['progress'];
export type Abortable = {
    /** Ends the call, which throws the reason of the signal. A run goes on. */
    readonly signal?: AbortSignal | undefined;
};
export type WaitOptions = Abortable & {
    /** Called when the run gets on. */
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    /**
     * Asks by the polling rule: after 3 seconds, then after twice as long each time up to 30, each ±10 %. By default the service
     * holds its answer until the run ends.
     */
    readonly poll?: boolean | undefined;
};
export declare const isEnded: ({ run_status }: {
    readonly run_status: string;
}) => boolean;
/** What can be done with a run. */
export declare class RunMethods<K extends TaskKey = TaskKey> {
    #private;
    readonly run_id: string;
    readonly run_status: RunData['run_status'];
    constructor(runs: Runs, data: RunData<K>);
    /** Waits for the end. @returns the run as it is then, whatever its end */
    wait(options?: WaitOptions): Promise<EndedRun<K>>;
    /** The items, once the run has ended. @throws {RunFailed} after the last item, if the run did not succeed */
    items(options?: WaitOptions): AsyncGenerator<Item<K>, void>;
    /** The events of the run, from the first or after a position up to the one that ends it. */
    events(options?: Abortable & {
        readonly after?: string;
    }): AsyncGenerator<components['schemas']['Event'], void>;
    /** Asks for the cancellation. @throws {GleanerError} `run-finished`, if the run has ended otherwise */
    cancel(options?: Abortable): Promise<Run<K>>;
    /** The items as text, once the run has ended: `json`, `ndjson` or `csv`. */
    export(format: ExportFormat, options?: WaitOptions): Promise<Response>;
    /** A file of the run, by the name that `artifacts` has. It resumes when the connection breaks. */
    download(name: string, options?: Abortable): Promise<Response>;
}
export type ExportFormat = 'json' | 'ndjson' | 'csv';
/** @throws {GleanerError} for a run that did not succeed, or whose result was deleted */
export declare function succeeded<K extends TaskKey>(run: Run<K>): SucceededRun<K>;
