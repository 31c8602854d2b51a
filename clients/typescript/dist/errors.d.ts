import type { components } from '../generated/api.d.ts';
type Problem = components['schemas']['Problem'];
type RunCode = components['schemas']['RunError']['code'];
/** Codes that come from the client itself. */
export type ClientCode = 'connection-failed' | 'unexpected-answer' | 'result-expired' | 'invalid-webhook';
/** The stable code of an error. A newer service may return codes that are not listed here. */
export type ErrorCode = Problem['code'] | RunCode | 'cancelled' | ClientCode | (string & {});
type Details = Partial<Omit<Problem, 'code'>> & {
    readonly code: ErrorCode;
    readonly detail: string;
};
/**
 * The error of a failed call. Handle it by its `code`. Two failures throw something else: an aborted call throws the
 * reason of its signal, and an invalid argument throws a `TypeError`.
 */
export declare class GleanerError extends Error {
    readonly name: string;
    readonly code: ErrorCode;
    /** What is wrong, and what to do about it. */
    readonly detail: string;
    /** The HTTP status; undefined if no response arrived. */
    readonly status?: number;
    readonly title?: string;
    /** A link to the documentation of the code. */
    readonly type?: string;
    /** The path of the request. */
    readonly instance?: string;
    /** Quote this when you ask for help. */
    readonly request_id?: string;
    /** For `validation-failed`: each invalid field, by JSON pointer. */
    readonly errors?: NonNullable<Problem['errors']>;
    readonly run_id?: string;
    /** For `insufficient-credits`: the price of the call. */
    readonly required?: number;
    /** For `insufficient-credits`: the balance of the account. */
    readonly balance?: number;
    /** Seconds to wait before repeating the call. */
    readonly retry_after_s?: number;
    /** The Idempotency-Key of the call, if it had one. Repeating the call with this key has no second effect. */
    readonly idempotencyKey?: string;
    readonly source?: string;
    readonly hosted_url?: string;
    readonly expires_at?: string;
    constructor(details: Details, options?: ErrorOptions);
}
/** The task needs a login at its source, and the account has no working one. */
export declare class LoginRequired extends GleanerError {
    readonly name = "LoginRequired";
    /** Open this link in a browser, sign in, then make the same call again. */
    readonly hosted_url: string;
    /** When the link expires. */
    readonly expires_at: string;
    /** The source that requires the login. */
    readonly source: string;
}
/** The error for a response: a problem of the service, or the response of an intermediary such as a proxy. */
export declare function errorOf(response: Response, text: string): GleanerError;
/** Parses the JSON of a response. @throws {GleanerError} `unexpected-answer` if it is not JSON */
export declare function parsed<T>(response: Response, text: string): T;
export {};
