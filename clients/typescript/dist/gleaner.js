import { GleanerError } from "./errors.js";
import { Http, newIdempotencyKey } from "./http.js";
import { list } from "./list.js";
import { succeeded, } from "./run.js";
import { Runs } from "./runs.js";
import { follow } from "./streams.js";
import { TASKS } from "./tasks.js";
/** The service takes 255. */
const LONGEST_KEY_OF_PAGES = 245;
/** A client for one account. */
export class Gleaner {
    #http;
    /** Tasks that are not in `TASKS`, as fetched from the service. Keyed by task key. */
    #asked = new Map();
    /** The runs of the account. */
    runs;
    constructor(options) {
        this.#http = new Http(options);
        this.runs = new Runs(this.#http);
    }
    /**
     * Starts a run, waits for its end and returns it.
     *
     * @throws {RunFailed} if the run ended, but did not succeed
     * @throws {LoginRequired} if the task needs a login first
     * @throws {GleanerError} if the service rejected the call or could not be reached
     */
    async run(task, input, options = {}) {
        const run = await this.start(task, input, options);
        return succeeded(await run.wait(options));
    }
    /** Starts a run and returns it without waiting. @throws {LoginRequired} if the task needs a login first */
    start(task, input, options = {}) {
        return this.#start(task, input, options);
    }
    async #start(task, input, options, onHeaders) {
        const { signal, idempotencyKey = newIdempotencyKey(), title } = options;
        const { path } = await this.#find(task, options);
        const fields = Object.entries(input);
        const isInPath = ([name]) => path.includes(`{${name}}`);
        const params = Object.fromEntries(fields.filter(isInPath));
        const body = Object.fromEntries(fields.filter((field) => !isInPath(field)));
        if (title !== undefined)
            body._run = { ...body._run, title };
        const call = { method: 'POST', path, params, body, idempotencyKey, signal };
        return this.runs.of(await this.#http.json(call, onHeaders));
    }
    /** Runs a page. If its run failed in an earlier call with the same key, it is run again, under a further key. */
    async #page(task, input, options, key) {
        for (let attempt = 1;; attempt++) {
            let isEarlier = false;
            const idempotencyKey = attempt === 1 ? key : `${key}~${attempt}`;
            const run = await this.#start(task, input, { ...options, idempotencyKey }, (headers) => {
                isEarlier = key !== undefined && headers.has('idempotency-replayed');
            });
            const ended = await run.wait(options);
            if (!isEarlier || ended.run_status === 'succeeded')
                return succeeded(ended);
        }
    }
    /**
     * Runs a task page by page. Each page is a separate run, charged at the price of the task, and starts only when the
     * page is requested.
     *
     * @throws as {@link run}
     */
    async *pages(task, input, options = {}) {
        const { idempotencyKey: key, maxPages = Number.POSITIVE_INFINITY } = options;
        // A later page would be refused, after the ones before it were paid for.
        if (key !== undefined && key.length > LONGEST_KEY_OF_PAGES) {
            const detail = `For pages, idempotencyKey must be at most ${LONGEST_KEY_OF_PAGES} characters: page numbers are added to it.`;
            throw new GleanerError({ code: 'bad-idempotency-key', detail });
        }
        const { next } = await this.#find(task, options);
        let current = { ...input };
        for (let page = 1; page <= maxPages; page++) {
            const idempotencyKey = key === undefined || page === 1 ? key : `${key}/${page}`;
            const run = await this.#page(task, current, options, idempotencyKey);
            yield run;
            const { next_cursor: cursor } = run.result;
            // A page whose cursor leads back to itself would be charged forever.
            if (next === null || typeof cursor !== 'string' || cursor === current[next])
                return;
            // `page` and `before` cannot be combined with a cursor.
            const { page: _, before: __, ...rest } = current;
            current = { ...rest, [next]: cursor };
        }
    }
    /** The items of all pages of a task. See {@link pages} for the price. */
    async *items(task, input, options) {
        for await (const run of this.pages(task, input, options))
            yield* run.items();
    }
    /** The event feed: past events, then new ones as they happen, until you leave the loop. It resumes automatically. */
    events({ after, types, signal } = {}) {
        const query = { after, types: types?.join() };
        return follow(this.#http, { path: '/v1/events/stream', query, signal });
    }
    /** Makes any API call, typed by its method and path. */
    request(method, path, ...[options]) {
        const { path: params, ...rest } = (options ?? {});
        return this.#http.json({ method, path: String(path), params, ...rest });
    }
    tasks = {
        /** All tasks, with price, schemas and health. */
        list: async (options = {}) => fieldOf(await this.request('GET', '/v1/tasks', options), 'tasks'),
        get: (taskKey, options = {}) => this.request('GET', '/v1/tasks/{task_key}', { path: { task_key: taskKey }, ...options }),
        /** How a task stands, and how its runs went day by day. */
        health: (taskKey, { days, ...options } = {}) => this.request('GET', '/v1/tasks/{task_key}/health', {
            path: { task_key: taskKey },
            query: days === undefined ? {} : { days },
            ...options,
        }),
    };
    account = {
        /** Balance, entitlements, limits. */
        get: (options = {}) => this.request('GET', '/v1/account', options),
        /** Grants, charges and refunds, newest first. */
        ledger: ({ signal } = {}) => list(this.#http, { path: '/v1/account/ledger', signal }, 'entries'),
    };
    logins = {
        /** The login of each source that has a sign-in. */
        list: async (options = {}) => fieldOf(await this.request('GET', '/v1/logins', options), 'logins'),
        /**
         * Creates a sign-in link, `hosted_url`. It is null only if an earlier call with the same key created the link, and it
         * was opened or has expired since.
         */
        start: (source, options = {}) => this.request('POST', '/v1/logins/{source}', { path: { source }, ...keyed(options) }),
        delete: (source, options = {}) => this.request('DELETE', '/v1/logins/{source}', { path: { source }, ...options }),
    };
    keys = {
        /** All keys of the account, newest first. */
        list: async (options = {}) => fieldOf(await this.request('GET', '/admin/list-keys', options), 'keys'),
        /**
         * Creates a key. `api_key` is returned only once. It is null if an earlier attempt or call with the same key created
         * it and the response was lost: then revoke it, and create another one.
         */
        create: (key = {}, options = {}) => this.request('POST', '/admin/create-key', { body: key, ...keyed(options) }),
        revoke: (keyId, options = {}) => this.request('POST', '/admin/revoke-key', { body: { key_id: keyId }, repeatable: true, ...options }),
    };
    webhooks = {
        /** All endpoints of the account. */
        list: async (options = {}) => fieldOf(await this.request('GET', '/v1/webhooks', options), 'webhooks'),
        /**
         * Creates an endpoint. `secret`, for {@link verifyWebhook}, is returned only once. It is null if an earlier attempt or
         * call with the same key created the endpoint and the response was lost: then rotate it.
         */
        create: (webhook, options = {}) => this.request('POST', '/v1/webhooks', { body: webhook, ...keyed(options) }),
        get: (webhookId, options = {}) => this.request('GET', '/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId }, ...options }),
        /** Changes the given fields: `url`, `types`, `description`, `state`. */
        update: (webhookId, changes, options = {}) => this.request('PATCH', '/v1/webhooks/{webhook_id}', {
            path: { webhook_id: webhookId },
            body: changes,
            ...options,
        }),
        delete: (webhookId, options = {}) => this.request('DELETE', '/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId }, ...options }),
        /** Creates a new `secret`. The previous secret also signs for 24 hours. */
        rotateSecret: (webhookId, options = {}) => this.request('POST', '/v1/webhooks/{webhook_id}/rotate-secret', {
            path: { webhook_id: webhookId },
            ...options,
        }),
        /** Sends an event of type `gleaner.WebhookTest` now, and returns how the endpoint responded. */
        test: (webhookId, options = {}) => this.request('POST', '/v1/webhooks/{webhook_id}/test', { path: { webhook_id: webhookId }, ...options }),
        /** The deliveries of the last 30 days and the pending ones, newest first. */
        deliveries: (webhookId, { signal, ...query } = {}) => {
            const call = {
                path: '/v1/webhooks/{webhook_id}/deliveries',
                params: { webhook_id: webhookId },
                query,
                signal,
            };
            return list(this.#http, call, 'deliveries');
        },
        /**
         * Delivers one event again, `{ event_id }`, or the events of a time span that have the endpoint's types,
         * `{ from, until?, only_failed? }`.
         */
        replay: (webhookId, what, options = {}) => this.request('POST', '/v1/webhooks/{webhook_id}/replay', {
            path: { webhook_id: webhookId },
            body: what,
            ...options,
        }),
    };
    /** Calls that need the operator's key. */
    operator = {
        openAccount: (account, options = {}) => this.request('POST', '/admin/accounts', { body: account, ...keyed(options) }),
        grantCredits: (grant, options = {}) => this.request('POST', '/admin/grant-credits', { body: grant, ...keyed(options) }),
        setEntitlements: (entitlements, options = {}) => this.request('POST', '/admin/set-entitlements', { body: entitlements, ...keyed(options) }),
    };
    /** The path of a task. Tasks missing from `TASKS`, such as those of other plugins, are fetched from the service. */
    async #find(task, { signal }) {
        const known = TASKS[task] ?? this.#asked.get(task);
        if (known)
            return known;
        const answer = await this.tasks.get(task, { signal });
        const fields = fieldOf(answer, 'input_schema').properties ?? {};
        const next = ['cursor', 'after'].find((name) => name in fields) ?? null;
        const route = { path: String(fieldOf(answer, 'path')).replaceAll(/:(\w+)/g, '{$1}'), next };
        this.#asked.set(task, route);
        return route;
    }
}
/** @throws {GleanerError} `unexpected-answer` if the response has no such field */
function fieldOf(answer, name) {
    if (answer?.[name])
        return answer[name];
    const detail = `The response is not from Gleaner: it has no ${name}.`;
    throw new GleanerError({ code: 'unexpected-answer', status: 200, detail });
}
const keyed = ({ idempotencyKey = newIdempotencyKey(), signal }) => ({
    idempotencyKey,
    signal,
});
