import { GleanerError, RunFailed } from "./errors.js";
/** Any other status means that the run is in progress. */
const TERMINAL = new Set(['succeeded', 'failed', 'errored', 'cancelled', 'canceled', 'expired']);
export const isEnded = ({ run_status }) => TERMINAL.has(run_status);
/** What can be done with a run. */
export class RunMethods {
    #runs;
    constructor(runs, data) {
        this.#runs = runs;
        Object.assign(this, data);
    }
    /** Waits for the end. @returns the run as it is then, whatever its end */
    wait(options) {
        return this.#runs.wait(this.run_id, options);
    }
    /** The items, once the run has ended. @throws {RunFailed} after the last item, if the run did not succeed */
    async *items(options) {
        const self = this;
        const run = isEnded(self) ? self : await this.wait(options);
        yield* itemsOf(run);
        succeeded(run);
    }
    /** The events of the run, from the first or after a position up to the one that ends it. */
    events(options) {
        return this.#runs.events(this.run_id, options);
    }
    /** Asks for the cancellation. @throws {GleanerError} `run-finished`, if the run has ended otherwise */
    cancel(options) {
        return this.#runs.cancel(this.run_id, options);
    }
    /** The items as text, once the run has ended: `json`, `ndjson` or `csv`. */
    async export(format, options = {}) {
        if (!isEnded(this))
            await this.wait(options);
        return this.#runs.exportEnded(this.run_id, format, options);
    }
    /** A file of the run, by the name that `artifacts` has. It resumes when the connection breaks. */
    download(name, options) {
        return this.#runs.download(this.run_id, name, options);
    }
}
function itemsOf({ result }) {
    return result !== null && 'items' in result
        ? result.items
        : [];
}
/** @throws {GleanerError} for a run that did not succeed, or whose result was deleted */
export function succeeded(run) {
    const { run_id, run_status, result } = run;
    if (run_status !== 'succeeded')
        throw new RunFailed(run);
    if (result !== null && 'items' in result)
        return run;
    const detail = 'The run succeeded, but its result has been deleted since. Start a new run, with another idempotencyKey.';
    throw new GleanerError({ code: 'result-expired', detail, run_id });
}
