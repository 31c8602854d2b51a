import { GleanerError } from "./errors.js";
const encoder = new TextEncoder();
/**
 * Verifies that a delivery comes from the service (Standard Webhooks 1.0), and parses it.
 *
 * @param payload the raw body, as text or bytes, not a parsed object
 * @param headers the headers of the request
 * @param secret `whsec_…`, or a list of secrets during a rotation
 * @param options.toleranceS how far the timestamp may be in the past or future, in seconds; 300 by default
 * @returns the event
 * @throws {GleanerError} `invalid-webhook`: respond to such a request with 400
 * @throws {TypeError} if a secret is missing or malformed
 */
export async function verifyWebhook(payload, headers, secret, { toleranceS = 300 } = {}) {
    const keys = await Promise.all((Array.isArray(secret) ? secret : [secret]).map(keyOf));
    const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
    const ageS = /^\d{1,12}$/.test(timestamp) ? Date.now() / 1000 - Number(timestamp) : Number.NaN;
    if (!(Math.abs(ageS) <= toleranceS))
        throw invalid(`webhook-timestamp is not within ${toleranceS} s of now`);
    const body = typeof payload === 'string' ? encoder.encode(payload) : new Uint8Array(payload);
    const signed = new Uint8Array([...encoder.encode(`${id}.${timestamp}.`), ...body]);
    const candidates = signatures
        .split(' ')
        .flatMap((one) => (one.startsWith('v1,') ? [bytesOf(one.slice(3))] : []));
    const checks = candidates.flatMap((signature) => keys.map((key) => signature && crypto.subtle.verify('HMAC', key, signature, signed)));
    if (!(await Promise.all(checks)).includes(true))
        throw invalid('webhook-signature does not match the payload');
    return JSON.parse(new TextDecoder().decode(body));
}
function headerOf(headers, name) {
    const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
    const [, value] = entries.find(([key]) => key.toLowerCase() === name) ?? [];
    if (typeof value === 'string')
        return value;
    throw invalid(`the header ${name} is missing or repeated`);
}
async function keyOf(secret) {
    const raw = bytesOf(secret?.replace(/^whsec_/, '') ?? '');
    if (!raw || raw.length === 0)
        throw new TypeError('the webhook secret is missing or malformed: expected "whsec_" followed by base64');
    return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}
/** @returns undefined if the text is not base64 */
function bytesOf(base64) {
    const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(base64) ?? [];
    // The padding is left out, because `atob` rejects padding of the wrong length.
    if (digits === undefined || digits.length % 4 === 1)
        return undefined;
    return Uint8Array.from(atob(digits), (char) => char.charCodeAt(0));
}
const invalid = (why) => new GleanerError({ code: 'invalid-webhook', detail: `Invalid webhook delivery: ${why}.` });
