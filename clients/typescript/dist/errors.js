/**
 * The error of a failed call. Handle it by its `code`. Two failures throw something else: an aborted call throws the
 * reason of its signal, and an invalid argument throws a `TypeError`.
 */
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
/** The task needs a login at its source, and the account has no working one. */
export class LoginRequired extends GleanerError {
    name = 'LoginRequired';
}
/** The error for a response: a problem of the service, or the response of an intermediary such as a proxy. */
export function errorOf(response, text) {
    const { status, url } = response;
    const retryAfterS = retryAfterOf(response);
    const retry = retryAfterS === undefined ? {} : { retry_after_s: retryAfterS };
    const problem = problemIn(text);
    if (problem?.code === 'login-required')
        return new LoginRequired({ ...problem, status });
    if (problem)
        return new GleanerError({ ...retry, ...problem, status });
    const detail = `${url || 'The service'} responded with ${status}, but the response is not from Gleaner: ${text.slice(0, 200) || 'it has no body'}`;
    return new GleanerError({ ...retry, code: 'unexpected-answer', status, detail });
}
/** Parses the JSON of a response. @throws {GleanerError} `unexpected-answer` if it is not JSON */
export function parsed(response, text) {
    try {
        return JSON.parse(text);
    }
    catch {
        throw errorOf(response, text);
    }
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
/** The seconds in a Retry-After header, which holds either a number or a date. */
function retryAfterOf({ headers }) {
    const value = headers.get('retry-after');
    if (value === null)
        return undefined;
    const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
