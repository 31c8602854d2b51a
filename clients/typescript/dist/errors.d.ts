import type { components } from '../generated/api.d.ts';
import type { EndedRun } from './run.ts';
type Problem = components['schemas']['Problem'];
type RunCode = components['schemas']['RunError']['code'];
/** Codes that come from the client itself. */
export type ClientCode = 'connection-failed' | 'unexpected-answer' | 'result-expired' | 'invalid-webhook';
/** The stable code of an error. A newer service may have codes that are not listed here. */
export type ErrorCode = Problem['code'] | RunCode | 'cancelled' | ClientCode | (string & {});
type Details = Partial<Omit<Problem, 'code'>> & {
    readonly code: ErrorCode;
    readonly detail: string;
};
/** Every error of the client but one: an abort throws the reason of its signal. Decide by `code`. */
export declare class GleanerError extends Error {
    readonly name: string;
    readonly code: ErrorCode;
    /** What is wrong, and what to do about it. */
    readonly detail: string;
    /** The HTTP status of the answer; undefined without one. */
    readonly status?: number;
    readonly title?: string;
    /** A link to the documentation of the code. */
    readonly type?: string;
    /** The path of the request. */
    readonly instance?: string;
    /** Quote this when you ask for help. */
    readonly request_id?: string;
    /** Of `validation-failed`: each invalid field, by JSON pointer. */
    readonly errors?: NonNullable<Problem['errors']>;
    readonly run_id?: string;
    /** Of `insufficient-credits`: the price of the call. */
    readonly required?: number;
    /** Of `insufficient-credits`: what the account has. */
    readonly balance?: number;
    /** Seconds after which the call may be made again. */
    readonly retry_after_s?: number;
    /** Of a call with an Idempotency-Key: make the call again with it, and nothing happens twice. */
    readonly idempotencyKey?: string;
    readonly source?: string;
    readonly hosted_url?: string;
    readonly expires_at?: string;
    constructor(details: Details, options?: ErrorOptions);
}
/** The task needs a login at its source, and the account has none that works. */
export declare class LoginRequired extends GleanerError {
    readonly name = "LoginRequired";
    /** Open this link in a browser, sign in, then make the same call again. */
    readonly hosted_url: string;
    /** When the link expires. */
    readonly expires_at: string;
    /** The source that wants the login. */
    readonly source: string;
}
/** A run has ended otherwise than as succeeded. `code` is that of its `error`, or `cancelled`. */
export declare class RunFailed extends GleanerError {
    readonly name = "RunFailed";
    /** The run, with what it had collected until then. */
    readonly run: EndedRun;
    constructor(run: EndedRun);
}
/** The error that an answer stands for: a problem of the service, or something in between that answered in its place. */
export declare function errorOf(response: Response, text: string): GleanerError;
export {};
