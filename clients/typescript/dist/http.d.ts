import { OpenResponse } from './open-response.ts';
import { Retries } from './retries.ts';
export type GleanerOptions = {
    /** The URL of the service, with its path prefix if it has one. */
    readonly url: string;
    /**
     * An API key, `gln_…`, or a function that returns one. The function is called before each attempt. A missing key
     * throws immediately.
     */
    readonly apiKey: string | undefined | (() => string | Promise<string>);
    /**
     * How long a failing call is retried, in seconds from its first failure. A stream starts to count again whenever it
     * receives something. Default: 60. 0: never.
     */
    readonly retryForS?: number;
    /**
     * Seconds without any data after which a connection counts as broken. Default: 30. The time for which a call lets the
     * service wait, such as for the end of a run, is added.
     */
    readonly timeoutS?: number;
    /** Replaces the global `fetch`. */
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};
type Value = string | number | boolean | null | undefined;
/** A call to be made. */
export type ApiCall = {
    readonly method?: string;
    /** May contain placeholders, `{name}`, for the values of `params`. */
    readonly path: string;
    readonly params?: {
        readonly [name: string]: Value;
    } | undefined;
    readonly query?: {
        readonly [name: string]: Value;
    } | undefined;
    readonly headers?: {
        readonly [name: string]: string;
    };
    readonly body?: unknown;
    readonly idempotencyKey?: string | undefined;
    /**
     * Whether to retry when it is unknown whether the call took effect. Default: true, except for a POST without an
     * `idempotencyKey`.
     */
    readonly repeatable?: boolean;
    readonly signal?: AbortSignal | undefined;
};
/** Makes calls to the service. */
export declare class Http {
    #private;
    constructor(options: GleanerOptions);
    newRetries(): Retries;
    /** Makes one attempt, without retries. @throws {GleanerError} for any status but 2xx */
    once(call: ApiCall): Promise<OpenResponse>;
    /** Makes a call with retries, and reads the response. A failed read is retried too. */
    send<T>(call: ApiCall, read: (answer: OpenResponse) => T | Promise<T>): Promise<T>;
    /** Makes a call and returns the JSON of its response, or undefined for a 204. */
    json<T>(call: ApiCall, onHeaders?: (headers: Headers) => void): Promise<T>;
}
/** A random Idempotency-Key. `crypto.randomUUID` is not available on pages that were not loaded over https. */
export declare function newIdempotencyKey(): string;
export {};
