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
    /** The same key is the same run, also from another process. Default: a random one for each call. */
    readonly idempotencyKey?: string | undefined;
};
export type RunOptions = StartOptions & WaitOptions;
export type PagesOptions = RunOptions & {
    /** Ends after so many pages. Default: when there is no further one. */
    readonly maxPages?: number | undefined;
};
export type EventsOptions = Abortable & {
    /** A position, the `sequence` of an event: begins after it. Default: from the first event. */
    readonly after?: string | undefined;
    /** Names, such as `RunSucceeded`. Default: all. */
    readonly types?: readonly EventName[] | undefined;
};
/** A client of one account. */
export declare class Gleaner {
    #private;
    /** The runs of the account. */
    readonly runs: Runs;
    constructor(options: GleanerOptions);
    /**
     * Starts a run, waits for its end and returns it.
     *
     * @throws {RunFailed} when it ended otherwise than as succeeded
     * @throws {LoginRequired} when somebody has to sign in first
     * @throws {GleanerError} when the service refused it, or could not be reached
     */
    run<K extends TaskKey>(task: K, input: Input<K>, options?: RunOptions): Promise<SucceededRun<K>>;
    /** Starts a run, and does not wait for it. @throws {LoginRequired} when somebody has to sign in first */
    start<K extends TaskKey>(task: K, input: Input<K>, options?: StartOptions): Promise<Run<K>>;
    /**
     * Runs a task page by page: one run a page, each at the price of the task, started when it is asked for.
     *
     * @throws as {@link run}
     */
    pages<K extends TaskKey>(task: K, input: Input<K>, options?: PagesOptions): AsyncGenerator<SucceededRun<K>, void>;
    /** The items of all pages of a task; see {@link pages} for what they cost. */
    items<K extends TaskKey>(task: K, input: Input<K>, options?: PagesOptions): AsyncGenerator<Item<K>, void>;
    /** The event feed: what has happened, then what happens, until you leave the loop. It resumes by itself. */
    events({ after, types, signal }?: EventsOptions): AsyncGenerator<Schemas['Event'], void>;
    /** Makes any call of the API, typed by its method and path. */
    request<M extends Method, P extends PathOf<M>>(method: M, path: P, ...[options]: Args<RequestOptions<M, P>>): Promise<AnswerOf<M, P>>;
    readonly tasks: {
        /** All tasks, with price, schemas and health. */
        list: (options?: Abortable) => Promise<Schemas["Task"][]>;
        get: (taskKey: string, options?: Abortable) => Promise<Schemas["Task"]>;
    };
    readonly account: {
        /** Balance, entitlements, limits. */
        get: (options?: Abortable) => Promise<Schemas["Account"]>;
        /** Grants, charges and refunds, newest first. */
        ledger: ({ signal }?: Abortable) => AsyncGenerator<Schemas["LedgerEntry"], void>;
    };
    readonly logins: {
        /** One for each source that has a sign-in. */
        list: (options?: Abortable) => Promise<AnswerOf<"GET", "/v1/logins">["logins"]>;
        /** Makes a link to sign in with: `hosted_url`. */
        start: (source: string, options?: Abortable) => Promise<AnswerOf<"POST", "/v1/logins/{source}">>;
        delete: (source: string, options?: Abortable) => Promise<AnswerOf<"DELETE", "/v1/logins/{source}">>;
    };
    readonly keys: {
        /** All keys of the account, newest first. */
        list: (options?: Abortable) => Promise<Schemas["Key"][]>;
        /** Creates a key; `api_key` is shown this once. */
        create: (key?: PostBody<"/admin/create-key">, options?: Abortable) => Promise<Schemas["NewKey"]>;
        revoke: (keyId: string, options?: Abortable) => Promise<Schemas["Key"]>;
    };
    readonly webhooks: {
        /** All endpoints of the account. */
        list: (options?: Abortable) => Promise<Schemas["Webhook"][]>;
        /** Creates an endpoint; `secret`, for {@link verifyWebhook}, is shown this once. */
        create: (webhook: PostBody<"/v1/webhooks">, options?: Abortable) => Promise<Schemas["WebhookWithSecret"]>;
        get: (webhookId: string, options?: Abortable) => Promise<Schemas["Webhook"]>;
        /** Changes what is named: `url`, `types`, `description`, `state`. */
        update: (webhookId: string, changes: WebhookChanges, options?: Abortable) => Promise<Schemas["Webhook"]>;
        delete: (webhookId: string, options?: Abortable) => Promise<undefined>;
        /** Makes a new `secret`; the one before it signs too for 24 hours. */
        rotateSecret: (webhookId: string, options?: Abortable) => Promise<Schemas["WebhookWithSecret"]>;
        /** Sends an event of type `gleaner.WebhookTest` now, and tells how the endpoint answered. */
        test: (webhookId: string, options?: Abortable) => Promise<AnswerOf<"POST", "/v1/webhooks/{webhook_id}/test">>;
        /** What was sent in the last 30 days, and what waits to be, newest first. */
        deliveries: (webhookId: string, { signal, ...query }?: DeliveriesFilter & Abortable) => AsyncGenerator<Schemas["WebhookDelivery"], void>;
        /** Delivers an event again, or all of a time: `{ event_id }` or `{ from, until?, only_failed? }`. */
        replay: (webhookId: string, what: PostBody<"/v1/webhooks/{webhook_id}/replay">, options?: Abortable) => Promise<AnswerOf<"POST", "/v1/webhooks/{webhook_id}/replay">>;
    };
    /** With the key of the operator. */
    readonly operator: {
        openAccount: (account: PostBody<"/admin/accounts">, options?: StartOptions) => Promise<{
            account_id: string;
            name: string;
            balance: number;
            api_key: string | null;
        }>;
        grantCredits: (grant: PostBody<"/admin/grant-credits">, options?: StartOptions) => Promise<{
            account_id: string;
            balance: number;
        }>;
        setEntitlements: (entitlements: PostBody<"/admin/set-entitlements">, options?: StartOptions) => Promise<Schemas["Account"]>;
    };
}
export {};
