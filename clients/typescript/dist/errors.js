/** Every error of the client but one: an abort throws the reason of its signal. Decide by `code`. */
export class GleanerError extends Error {
    name = 'GleanerError';
    code;
    /** What is wrong, and what to do about it. */
    detail;
    constructor(details, options) {
        const { code, detail, request_id } = details;
        super(`${detail} (${code}${request_id === undefined ? '' : `, ${request_id}`})`, options);
        this.code = code;
        this.detail = detail;
        Object.assign(this, details);
    }
}
/** The task needs a login at its source, and the account has none that works. */
export class LoginRequired extends GleanerError {
    name = 'LoginRequired';
}
/** A run has ended otherwise than as succeeded. `code` is that of its `error`, or `cancelled`. */
export class RunFailed extends GleanerError {
    name = 'RunFailed';
    /** The run, with what it had collected until then. */
    run;
    constructor(run) {
        const { error, run_id } = run;
        const detail = error ? `${error.title}: ${error.detail}` : `The run was ${run.run_status}.`;
        super({ code: error?.code ?? run.run_status, detail, run_id });
        this.run = run;
    }
}
/** The error that an answer stands for: a problem of the service, or something in between that answered in its place. */
export function errorOf(response, text) {
    const { status, url } = response;
    const retryAfterS = retryAfterOf(response);
    const retry = retryAfterS === undefined ? {} : { retry_after_s: retryAfterS };
    const problem = problemIn(text);
    if (problem?.code === 'login-required')
        return new LoginRequired({ ...problem, status });
    if (problem)
        return new GleanerError({ ...retry, ...problem, status });
    const detail = `${url || 'The service'} answered ${status}, but not as Gleaner does: ${text.slice(0, 200) || 'without a body'}`;
    return new GleanerError({ ...retry, code: 'unexpected-answer', status, detail });
}
function problemIn(text) {
    try {
        const value = JSON.parse(text);
        return typeof value?.code === 'string' && typeof value.detail === 'string'
            ? value
            : undefined;
    }
    catch (error) {
        if (error instanceof SyntaxError)
            return undefined;
        throw error;
    }
}
/** Seconds, from either form of Retry-After. */
function retryAfterOf({ headers }) {
    const value = headers.get('retry-after');
    if (value === null)
        return undefined;
    const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
