import { errorOf, GleanerError, parsed } from "./errors.js";
import { OpenResponse, Try } from "./open-response.js";
import { Retries } from "./retries.js";
/** Makes calls to the service. */
export class Http {
    #options;
    #base;
    constructor(options) {
        const { url, apiKey } = options;
        if (!URL.canParse(url) || !/^https?:/.test(url)) {
            throw new TypeError(`url must be the http(s) URL of the service, such as https://gleaner.example.com, not ${url}`);
        }
        if (typeof apiKey !== 'function')
            checkKey(apiKey);
        this.#options = options;
        this.#base = url.replace(/[?#].*/, '').replace(/\/+$/, '');
    }
    newRetries() {
        return new Retries(this.#options.retryForS ?? 60);
    }
    /** Makes one attempt, without retries. @throws {GleanerError} for any status but 2xx */
    async once(call) {
        const { method = 'GET', body, signal, idempotencyKey } = call;
        const { apiKey, timeoutS = 30, fetch = globalThis.fetch } = this.#options;
        const key = typeof apiKey === 'function' ? checkKey(await apiKey()) : apiKey;
        const headers = new Headers({
            accept: 'application/json',
            ...call.headers,
            authorization: `Bearer ${key}`,
        });
        if (body !== undefined)
            headers.set('content-type', 'application/json');
        if (idempotencyKey !== undefined)
            headers.set('idempotency-key', idempotencyKey);
        const init = {
            method,
            headers,
            cache: 'no-store',
            // A redirected POST becomes a GET, and its answer would be taken for that of the POST.
            redirect: 'manual',
            ...(body !== undefined && { body: JSON.stringify(body) }),
        };
        const url = this.#base + pathOf(call);
        const current = new Try(new URL(url).origin, signal, (timeoutS + heldS(call)) * 1000);
        const answer = new OpenResponse(await current.hear(fetch(url, { ...init, signal: current.signal })), current);
        if (answer.response.ok)
            return answer;
        throw errorOf(answer.response, await answer.text());
    }
    /** Makes a call with retries, and reads the response. A failed read is retried too. */
    async send(call, read) {
        const { method, idempotencyKey, signal } = call;
        const repeatable = call.repeatable ?? (method !== 'POST' || idempotencyKey !== undefined);
        for (const retries = this.newRetries();;) {
            try {
                return await read(await this.once(call));
            }
            catch (error) {
                if (error instanceof GleanerError && idempotencyKey !== undefined)
                    Object.assign(error, { idempotencyKey });
                await retries.wait(error, repeatable, signal);
            }
        }
    }
    /** Makes a call and returns the JSON of its response, or undefined for a 204. */
    json(call, onHeaders) {
        return this.send(call, async (answer) => {
            const text = await answer.text();
            onHeaders?.(answer.response.headers);
            const { status, headers } = answer.response;
            if (status === 204)
                return undefined;
            if (headers.get('content-type')?.includes('json'))
                return parsed(answer.response, text);
            throw errorOf(answer.response, text);
        });
    }
}
function checkKey(key) {
    // The error does not show the value: it may be a valid key with a trailing line break.
    if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key))
        return key;
    throw new TypeError('apiKey must be an API key ("gln_…"): it is missing or contains invalid characters');
}
/** Seconds for which the service may hold the response: while it waits for an endpoint, or reads a long log. */
const HELD_S = {
    '/v1/webhooks/{webhook_id}/test': 30,
    '/v1/webhooks/{webhook_id}/replay': 300,
};
/** Seconds that the service gives a run whose call waits for its end. */
const SYNC_S = 60;
function heldS({ path, query, body }) {
    const { _run } = (body ?? {});
    return HELD_S[path] ?? (_run?.async === false ? SYNC_S : Number(query?.wait ?? 0));
}
/** The path and the query of a call. */
function pathOf({ path, params = {}, query = {} }) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
        const value = params[name];
        if (value === undefined || value === null || value === '')
            throw new TypeError(`${name} is missing`);
        return encodeURIComponent(String(value));
    });
    const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
    return text === '' ? filled : `${filled}?${text}`;
}
/** A random Idempotency-Key. `crypto.randomUUID` is not available on pages that were not loaded over https. */
export function newIdempotencyKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
