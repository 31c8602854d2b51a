import { Answer } from './answer.ts';
import { Retries } from './retries.ts';
export type GleanerOptions = {
    /** Where the service is, with its path prefix if it has one. */
    readonly url: string;
    /** An API key, `gln_…`, or a function that returns one; it is asked before each try. A missing one is an error at once. */
    readonly apiKey: string | undefined | (() => string | Promise<string>);
    /** Seconds for which a failed call is made again, from its first failure on. A stream: since it last heard something. Default: 60. 0: never. */
    readonly retryForS?: number;
    /** Seconds without a byte after which a connection counts as broken. Default: 30. */
    readonly timeoutS?: number;
    /** Used in place of the global `fetch`. */
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};
type Value = string | number | boolean | null | undefined;
/** One call, before it is made. */
export type Call = {
    readonly method?: string;
    /** With `{name}` where a value of `params` goes. */
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
    /** Whether it may be made again though nobody knows what it has done. Default: all but a POST without `idempotencyKey`. */
    readonly repeatable?: boolean;
    /** Seconds for which the service may hold the answer. */
    readonly holdS?: number;
    readonly signal?: AbortSignal | undefined;
};
/** Makes calls. */
export declare class Http {
    #private;
    constructor(options: GleanerOptions);
    newRetries(): Retries;
    /** Tries once. @throws {GleanerError} for any answer but 2xx */
    once(call: Call): Promise<Answer>;
    /** Tries until an answer has come, and was read. */
    send<T>(call: Call, read: (answer: Answer) => T | Promise<T>): Promise<T>;
    /** The JSON of an answer; undefined for one without a body. */
    json<T>(call: Call): Promise<T>;
}
/** A random Idempotency-Key. `crypto.randomUUID` is missing on pages that were not loaded over https. */
export declare function newIdempotencyKey(): string;
export {};
