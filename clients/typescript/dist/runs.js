import { GleanerError } from "./errors.js";
import { list } from "./list.js";
import { sleep } from "./retries.js";
import { isEnded, RunMethods, } from "./run.js";
import { download, follow } from "./streams.js";
/** Seconds for which the service is asked to hold its response. Below the usual timeout of proxies. */
const HOLD_S = 25;
/** Minimum time between two requests in milliseconds, even if the service responds early. */
const SHORTEST_HOLD_MS = 1000;
const FIRST_POLL_MS = 3000;
const LONGEST_POLL_MS = 30_000;
/** The runs of the account. */
export class Runs {
    #http;
    constructor(http) {
        this.#http = http;
    }
    async get(runId, options) {
        return this.#get(runId, 0, options);
    }
    async #get(runId, holdS, options = {}) {
        const query = holdS > 0 ? { wait: holdS } : {};
        return this.of(await this.#http.json({ ...ofRun(runId, '', options), query }));
    }
    /** @internal */
    of(data) {
        // Without a status, it would count as a run in progress, and be waited for forever.
        if (typeof data?.run_status !== 'string')
            throw new GleanerError({ code: 'unexpected-answer', status: 200, detail: 'The response is not a run.' });
        return new RunMethods(this, data);
    }
    /** All runs, newest first. `limit` is the page size. */
    async *list({ signal, ...query } = {}) {
        const all = list(this.#http, { path: '/v1/runs', query, signal }, 'runs');
        for await (const data of all)
            yield this.of(data);
    }
    /** Waits for the end of a run. @returns the run, whatever its outcome */
    async wait(runId, options = {}) {
        const { poll, onProgress, signal } = options;
        if (poll)
            return this.#poll(runId, options);
        if (onProgress) {
            for await (const { type, data } of this.events(runId, { signal })) {
                if (type === 'gleaner.RunProgressed')
                    onProgress(progressOf(data));
            }
        }
        for (;;) {
            const askedAt = performance.now();
            const run = await this.#get(runId, HOLD_S, options);
            if (isEnded(run))
                return run;
            // A service that is shutting down responds without holding.
            await sleep(Math.max(0, askedAt + SHORTEST_HOLD_MS - performance.now()), signal);
        }
    }
    async #poll(runId, { onProgress, signal }) {
        let reported = JSON.stringify({ done: 0, total: null, message: null });
        for (let baseMs = FIRST_POLL_MS;; baseMs = Math.min(baseMs * 2, LONGEST_POLL_MS)) {
            await sleep(baseMs * (0.9 + Math.random() * 0.2), signal);
            const run = await this.#get(runId, 0, { signal });
            const now = JSON.stringify(progressOf(run.progress));
            if (now !== reported)
                onProgress?.(run.progress);
            reported = now;
            if (isEnded(run))
                return run;
        }
    }
    /** Requests cancellation. @throws {GleanerError} `run-finished`, if the run ended before it could be cancelled */
    async cancel(runId, options = {}) {
        const call = { ...ofRun(runId, '/cancel', options), method: 'POST', repeatable: true };
        try {
            return this.of(await this.#http.json(call));
        }
        catch (error) {
            if (!(error instanceof GleanerError) || error.code !== 'run-finished')
                throw error;
            // An earlier attempt may have cancelled the run, but its response was lost.
            const run = await this.#get(runId, 0, options);
            if (run.run_status === 'cancelled')
                return run;
            throw error;
        }
    }
    /** Waits for the end, then yields the items. @throws {RunFailed} after the last item, if the run did not succeed */
    async *items(runId, options) {
        const run = await this.wait(runId, options);
        yield* run.items();
    }
    /**
     * The items of a run so far, without waiting; all of them once it has ended. A run that works may start over, and then
     * has other items.
     */
    itemsSoFar(runId, options) {
        return this.#http.json(ofRun(runId, '/items', options));
    }
    /** The events of a run up to its end, starting at the first one or after the position `after`. */
    events(runId, options = {}) {
        return follow(this.#http, ofRun(runId, '/events', options), options.after);
    }
    /** Waits for the end of a run, then returns its items as `json`, `ndjson` or `csv`. Resumes as {@link download} does. */
    async export(runId, format, options = {}) {
        await this.wait(runId, options);
        return this.exportEnded(runId, format, options);
    }
    /** @internal */
    exportEnded(runId, format, options) {
        return download(this.#http, { ...ofRun(runId, '/items', options), query: { format } });
    }
    /** Downloads a file of a run by its name in `artifacts`. Resumes when the connection breaks. */
    async download(runId, name, { signal } = {}) {
        const params = { run_id: runId, name };
        return download(this.#http, { path: '/v1/runs/{run_id}/artifacts/{name}', params, signal });
    }
}
/** A call about a run. */
const ofRun = (runId, path = '', { signal } = {}) => ({
    path: `/v1/runs/{run_id}${path}`,
    params: { run_id: runId },
    signal,
});
const progressOf = ({ done, total, message }) => ({ done, total, message });
