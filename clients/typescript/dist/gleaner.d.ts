import type { components } from '../generated/api.d.ts';
import { type GleanerOptions } from './http.ts';
import type { AnswerOf, Args, Method, PathOf, PostBody, RequestOptions } from './request.ts';
import { type Abortable, type Input, type Item, type Run, type SucceededRun, type TaskKey, type WaitOptions } from './run.ts';
import { Runs } from './runs.ts';
type Schemas = components['schemas'];
type WebhookChanges = NonNullable<RequestOptions<'PATCH', '/v1/webhooks/{webhook_id}'>['body']>;
type DeliveriesFilter = Omit<NonNullable<RequestOptions<'GET', '/v1/webhooks/{webhook_id}/deliveries'>['query']>, 'cursor'>;
type EventName = Schemas['Event']['type'] extends `gleaner.${infer Name}` ? Name : never;
export type StartOptions = Abortable & {
    /** The same key returns the same run, also in another process. Default: a random key for each call. */
    readonly idempotencyKey?: string | undefined;
    /** `title` of the run, by which people recognize it: 1 to 100 characters. Default: a summary of the input. */
    readonly title?: string | undefined;
};
/** Options of calls that create something. */
export type CreateOptions = Abortable & {
    /**
     * Calls with the same key create one, also in another process. Default: a random key for each call, which its retries
     * share.
     */
    readonly idempotencyKey?: string | undefined;
};
export type RunOptions = StartOptions & WaitOptions;
export type PagesOptions = RunOptions & {
    /** The maximum number of pages. Default: all pages. */
    readonly maxPages?: number | undefined;
};
export type EventsOptions = Abortable & {
    /** Starts after the event with this `sequence`. Default: starts at the first event. */
    readonly after?: string | undefined;
    /** Names of events, such as `RunSucceeded`. Default: all. */
    readonly types?: readonly EventName[] | undefined;
};
export type HealthOptions = Abortable & {
    /** How many days, today included: 1 to 90. Default: 14. */
    readonly days?: number | undefined;
};
/** A client for one account. */
export declare class Gleaner {
    #private;
    /** The runs of the account. */
    readonly runs: Runs;
    constructor(options: GleanerOptions);
    /**
     * Starts a run, waits for its end and returns it.
     *
     * @throws {RunFailed} if the run ended, but did not succeed
     * @throws {LoginRequired} if the task needs a login first
     * @throws {GleanerError} if the service rejected the call or could not be reached
     */
    run<K extends TaskKey>(task: K, input: Input<K>, options?: RunOptions): Promise<SucceededRun<K>>;
    /** Starts a run and returns it without waiting. @throws {LoginRequired} if the task needs a login first */
    start<K extends TaskKey>(task: K, input: Input<K>, options?: StartOptions): Promise<Run<K>>;
    /**
     * Runs a task page by page. Each page is a separate run, charged at the price of the task, and starts only when the
     * page is requested.
     *
     * @throws as {@link run}
     */
    pages<K extends TaskKey>(task: K, input: Input<K>, options?: PagesOptions): AsyncGenerator<SucceededRun<K>, void>;
    /** The items of all pages of a task. See {@link pages} for the price. */
    items<K extends TaskKey>(task: K, input: Input<K>, options?: PagesOptions): AsyncGenerator<Item<K>, void>;
    /** The event feed: past events, then new ones as they happen, until you leave the loop. It resumes automatically. */
    events({ after, types, signal }?: EventsOptions): AsyncGenerator<Schemas['Event'], void>;
    /** Makes any API call, typed by its method and path. */
    request<M extends Method, P extends PathOf<M>>(method: M, path: P, ...[options]: Args<RequestOptions<M, P>>): Promise<AnswerOf<M, P>>;
    readonly tasks: {
        /** All tasks, with price, schemas and health. */
        list: (options?: Abortable) => Promise<Schemas["Task"][]>;
        get: (taskKey: string, options?: Abortable) => Promise<Schemas["Task"]>;
        /** How a task stands, and how its runs went day by day. */
        health: (taskKey: string, { days, ...options }?: HealthOptions) => Promise<Schemas["TaskHealth"]>;
    };
    readonly account: {
        /** Balance, entitlements, limits. */
        get: (options?: Abortable) => Promise<Schemas["Account"]>;
        /** Grants, charges and refunds, newest first. */
        ledger: ({ signal }?: Abortable) => AsyncGenerator<Schemas["LedgerEntry"], void>;
    };
    readonly logins: {
        /** The login of each source that has a sign-in. */
        list: (options?: Abortable) => Promise<AnswerOf<"GET", "/v1/logins">["logins"]>;
        /**
         * Creates a sign-in link, `hosted_url`. It is null only if an earlier call with the same key created the link, and it
         * was opened or has expired since.
         */
        start: (source: string, options?: CreateOptions) => Promise<AnswerOf<"POST", "/v1/logins/{source}">>;
        delete: (source: string, options?: Abortable) => Promise<AnswerOf<"DELETE", "/v1/logins/{source}">>;
    };
    readonly keys: {
        /** All keys of the account, newest first. */
        list: (options?: Abortable) => Promise<Schemas["Key"][]>;
        /**
         * Creates a key. `api_key` is returned only once. It is null if an earlier attempt or call with the same key created
         * it and the response was lost: then revoke it, and create another one.
         */
        create: (key?: PostBody<"/admin/create-key">, options?: CreateOptions) => Promise<Schemas["NewKey"]>;
        revoke: (keyId: string, options?: Abortable) => Promise<Schemas["Key"]>;
    };
    readonly webhooks: {
        /** All endpoints of the account. */
        list: (options?: Abortable) => Promise<Schemas["Webhook"][]>;
        /**
         * Creates an endpoint. `secret`, for {@link verifyWebhook}, is returned only once. It is null if an earlier attempt or
         * call with the same key created the endpoint and the response was lost: then rotate it.
         */
        create: (webhook: PostBody<"/v1/webhooks">, options?: CreateOptions) => Promise<Schemas["NewWebhook"]>;
        get: (webhookId: string, options?: Abortable) => Promise<Schemas["Webhook"]>;
        /** Changes the given fields: `url`, `types`, `description`, `state`. */
        update: (webhookId: string, changes: WebhookChanges, options?: Abortable) => Promise<Schemas["Webhook"]>;
        delete: (webhookId: string, options?: Abortable) => Promise<undefined>;
        /** Creates a new `secret`. The previous secret also signs for 24 hours. */
        rotateSecret: (webhookId: string, options?: Abortable) => Promise<Schemas["WebhookWithSecret"]>;
        /** Sends an event of type `gleaner.WebhookTest` now, and returns how the endpoint responded. */
        test: (webhookId: string, options?: Abortable) => Promise<AnswerOf<"POST", "/v1/webhooks/{webhook_id}/test">>;
        /** The deliveries of the last 30 days and the pending ones, newest first. */
        deliveries: (webhookId: string, { signal, ...query }?: DeliveriesFilter & Abortable) => AsyncGenerator<Schemas["WebhookDelivery"], void>;
        /**
         * Delivers one event again, `{ event_id }`, or the events of a time span that have the endpoint's types,
         * `{ from, until?, only_failed? }`.
         */
        replay: (webhookId: string, what: PostBody<"/v1/webhooks/{webhook_id}/replay">, options?: Abortable) => Promise<AnswerOf<"POST", "/v1/webhooks/{webhook_id}/replay">>;
    };
    /** Calls that need the operator's key. */
    readonly operator: {
        openAccount: (account: PostBody<"/admin/accounts">, options?: CreateOptions) => Promise<{
            account_id: string;
            name: string;
            balance: number;
            api_key: string | null;
        }>;
        grantCredits: (grant: PostBody<"/admin/grant-credits">, options?: CreateOptions) => Promise<{
            account_id: string;
            balance: number;
        }>;
        setEntitlements: (entitlements: PostBody<"/admin/set-entitlements">, options?: CreateOptions) => Promise<Schemas["Account"]>;
    };
}
export {};
