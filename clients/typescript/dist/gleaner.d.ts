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
        list: (options?: Abortable) => Promise<{
            task_key: string;
            title: string;
            description: string;
            path: string;
            aliases: string[];
            credit_cost: number;
            pricing: string | null;
            requires_login: boolean;
            input_schema: Record<string, unknown>;
            output_schema: Record<string, unknown>;
            example: Record<string, unknown>;
            source: string;
            health: "healthy" | "degraded" | "broken" | "unknown";
        }[]>;
        get: (taskKey: string, options?: Abortable) => Promise<{
            task_key: string;
            title: string;
            description: string;
            path: string;
            aliases: string[];
            credit_cost: number;
            pricing: string | null;
            requires_login: boolean;
            input_schema: Record<string, unknown>;
            output_schema: Record<string, unknown>;
            example: Record<string, unknown>;
            source: string;
            health: "healthy" | "degraded" | "broken" | "unknown";
        }>;
    };
    readonly account: {
        /** Balance, entitlements, limits. */
        get: (options?: Abortable) => Promise<{
            account_id: string;
            name: string;
            balance: number;
            tasks: string[];
            limits: {
                kickoff_per_minute: number;
                read_per_minute: number;
                admin_per_minute: number;
                concurrent_runs: number;
            };
            suspended: boolean;
        }>;
        /** Grants, charges and refunds, newest first. */
        ledger: ({ signal }?: Abortable) => AsyncGenerator<{
            entry_id: string;
            at: string;
            kind: "charged" | "granted" | "refunded";
            amount: number;
            balance_after: number;
            run_id: string | null;
            reason: string | null;
        }, void, any>;
    };
    readonly logins: {
        /** One for each source that has a sign-in. */
        list: (options?: Abortable) => Promise<{
            source: string;
            state: "needs_login" | "in_progress" | "ready";
            signed_in_at: string | null;
            last_used_at: string | null;
            last_checked_at: string | null;
        }[]>;
        /** Makes a link to sign in with: `hosted_url`. */
        start: (source: string, options?: Abortable) => Promise<{
            source: string;
            state: "needs_login" | "in_progress" | "ready";
            signed_in_at: string | null;
            last_used_at: string | null;
            last_checked_at: string | null;
            hosted_url: string;
            expires_at: string;
        }>;
        delete: (source: string, options?: Abortable) => Promise<{
            source: string;
            state: "needs_login" | "in_progress" | "ready";
            signed_in_at: string | null;
            last_used_at: string | null;
            last_checked_at: string | null;
        }>;
    };
    readonly keys: {
        /** All keys of the account, newest first. */
        list: (options?: Abortable) => Promise<{
            key_id: string;
            name: string | null;
            prefix: string;
            scopes: ("runs" | "admin" | "events")[];
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
            revoked_at: string | null;
        }[]>;
        /** Creates a key; `api_key` is shown this once. */
        create: (key?: PostBody<"/admin/create-key">, options?: Abortable) => Promise<{
            key_id: string;
            name: string | null;
            prefix: string;
            scopes: ("runs" | "admin" | "events")[];
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
            revoked_at: string | null;
            api_key: string;
        }>;
        revoke: (keyId: string, options?: Abortable) => Promise<{
            key_id: string;
            name: string | null;
            prefix: string;
            scopes: ("runs" | "admin" | "events")[];
            created_at: string;
            last_used_at: string | null;
            expires_at: string | null;
            revoked_at: string | null;
        }>;
    };
    readonly webhooks: {
        /** All endpoints of the account. */
        list: (options?: Abortable) => Promise<{
            webhook_id: string;
            url: string;
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            failing_since: string | null;
            last_success_at: string | null;
            created_at: string;
        }[]>;
        /** Creates an endpoint; `secret`, for {@link verifyWebhook}, is shown this once. */
        create: (webhook: PostBody<"/v1/webhooks">, options?: Abortable) => Promise<{
            webhook_id: string;
            url: string;
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            failing_since: string | null;
            last_success_at: string | null;
            created_at: string;
            secret: string;
        }>;
        get: (webhookId: string, options?: Abortable) => Promise<{
            webhook_id: string;
            url: string;
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            failing_since: string | null;
            last_success_at: string | null;
            created_at: string;
        }>;
        /** Changes what is named: `url`, `types`, `description`, `state`. */
        update: (webhookId: string, changes: WebhookChanges, options?: Abortable) => Promise<{
            webhook_id: string;
            url: string;
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            failing_since: string | null;
            last_success_at: string | null;
            created_at: string;
        }>;
        delete: (webhookId: string, options?: Abortable) => Promise<undefined>;
        /** Makes a new `secret`; the one before it signs too for 24 hours. */
        rotateSecret: (webhookId: string, options?: Abortable) => Promise<{
            webhook_id: string;
            url: string;
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            failing_since: string | null;
            last_success_at: string | null;
            created_at: string;
            secret: string;
        }>;
        /** Sends an event of type `gleaner.WebhookTest` now, and tells how the endpoint answered. */
        test: (webhookId: string, options?: Abortable) => Promise<{
            delivered: boolean;
            status: number | null;
            duration_ms: number;
            error: string | null;
            response: string | null;
        }>;
        /** What was sent in the last 30 days, and what waits to be, newest first. */
        deliveries: (webhookId: string, { signal, ...query }?: DeliveriesFilter & Abortable) => AsyncGenerator<{
            event_id: string;
            type: string;
            subject: string;
            state: "delivered" | "pending" | "failed";
            attempts: {
                at: string;
                status: number | null;
                duration_ms: number;
                error: string | null;
                response: string | null;
            }[];
            next_attempt_at: string | null;
        }, void, any>;
        /** Delivers an event again, or all of a time: `{ event_id }` or `{ from, until?, only_failed? }`. */
        replay: (webhookId: string, what: PostBody<"/v1/webhooks/{webhook_id}/replay">, options?: Abortable) => Promise<{
            deliveries: number;
        }>;
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
        setEntitlements: (entitlements: PostBody<"/admin/set-entitlements">, options?: StartOptions) => Promise<{
            account_id: string;
            name: string;
            balance: number;
            tasks: string[];
            limits: {
                kickoff_per_minute: number;
                read_per_minute: number;
                admin_per_minute: number;
                concurrent_runs: number;
            };
            suspended: boolean;
        }>;
    };
}
export {};
