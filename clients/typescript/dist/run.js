import { GleanerError } from "./errors.js";
/** Any other status means that the run is in progress. */
const TERMINAL = new Set(['succeeded', 'failed', 'errored', 'cancelled', 'canceled', 'expired']);
export const isEnded = ({ run_status }) => TERMINAL.has(run_status);
/** The methods of a run. */
export class RunMethods {
    /** How many items the result has, also in a list and once the result was deleted; null without a result. */
    item_count;
    #runs;
    constructor(runs, { items, ...data }) {
        this.#runs = runs;
        this.item_count = items;
        Object.assign(this, data);
    }
    /** Waits for the end of the run. @returns a new snapshot of the run, whatever its outcome */
    wait(options) {
        return this.#runs.wait(this.run_id, options);
    }
    /** Waits for the end, then yields the items. @throws {RunFailed} after the last item, if the run did not succeed */
    async *items(options) {
        const self = this;
        const isListed = self.item_count !== null && self.result === null;
        const run = isEnded(self) && !isListed ? self : await this.wait(options);
        yield* itemsOf(run);
        succeeded(run);
    }
    /** The items so far, without waiting; all of them once the run has ended. They are read from the service. */
    itemsSoFar(options) {
        return this.#runs.itemsSoFar(this.run_id, options);
    }
    /** The events of the run up to its end, starting at the first one or after the position `after`. */
    events(options) {
        return this.#runs.events(this.run_id, options);
    }
    /** Requests cancellation. @throws {GleanerError} `run-finished`, if the run ended before it could be cancelled */
    cancel(options) {
        return this.#runs.cancel(this.run_id, options);
    }
    /** Waits for the end, then returns the items as `json`, `ndjson` or `csv`. Resumes when the connection breaks. */
    async export(format, options = {}) {
        if (!isEnded(this))
            await this.wait(options);
        return this.#runs.exportEnded(this.run_id, format, options);
    }
    /** Downloads a file of the run by its name in `artifacts`. Resumes when the connection breaks. */
    download(name, options) {
        return this.#runs.download(this.run_id, name, options);
    }
}
/** A run ended, but did not succeed. `code` is the code of its `error`, or `cancelled`. */
export class RunFailed extends GleanerError {
    name = 'RunFailed';
    /** The run, with the items collected so far. */
    run;
    constructor(run) {
        const { error, run_id } = run;
        const detail = error ? `${error.title} ${error.detail}` : `The run was ${run.run_status}.`;
        super({ code: error?.code ?? run.run_status, detail, run_id });
        this.run = run;
    }
}
function itemsOf({ result }) {
    return result !== null && 'items' in result
        ? result.items
        : [];
}
/** @throws {GleanerError} if the run did not succeed, or its result was deleted */
export function succeeded(run) {
    const { run_id, run_status, result } = run;
    if (run_status !== 'succeeded')
        throw new RunFailed(run);
    if (result !== null && 'items' in result)
        return run;
    const detail = 'The run succeeded, but its result has been deleted. Start a new run with a different idempotencyKey.';
    throw new GleanerError({ code: 'result-expired', detail, run_id });
}
