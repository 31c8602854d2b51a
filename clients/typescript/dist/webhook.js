import { GleanerError } from "./errors.js";
const encoder = new TextEncoder();
/**
 * Checks that a delivery comes from the service (Standard Webhooks 1.0), and reads it.
 *
 * @param payload the body as it came: text or bytes, not an object that was parsed
 * @param headers those of the request
 * @param secret `whsec_…`, or several while secrets are rotated
 * @param options.toleranceS how old, or how far ahead, a delivery may be, in seconds; 300 by default
 * @returns the event
 * @throws {GleanerError} `invalid-webhook`: answer such a request with 400
 * @throws {TypeError} when a secret is not one
 */
export async function verifyWebhook(payload, headers, secret, { toleranceS = 300 } = {}) {
    const keys = await Promise.all((Array.isArray(secret) ? secret : [secret]).map(keyOf));
    const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
    const ageS = /^\d{1,12}$/.test(timestamp) ? Date.now() / 1000 - Number(timestamp) : Number.NaN;
    if (!(Math.abs(ageS) <= toleranceS))
        throw invalid(`webhook-timestamp is not within ${toleranceS} s of now`);
    const body = typeof payload === 'string' ? encoder.encode(payload) : new Uint8Array(payload);
    const signed = new Uint8Array([...encoder.encode(`${id}.${timestamp}.`), ...body]);
    const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [bytesOf(one.slice(3))] : []));
    const checks = given.flatMap((signature) => keys.map((key) => signature && crypto.subtle.verify('HMAC', key, signature, signed)));
    if (!(await Promise.all(checks)).includes(true))
        throw invalid('webhook-signature does not fit the payload');
    return JSON.parse(new TextDecoder().decode(body));
}
function headerOf(headers, name) {
    const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
    const [, value] = entries.find(([key]) => key.toLowerCase() === name) ?? [];
    if (typeof value === 'string')
        return value;
    throw invalid(`there is no header ${name}, or more than one`);
}
async function keyOf(secret) {
    const raw = bytesOf(secret?.replace(/^whsec_/, '') ?? '');
    if (!raw || raw.length === 0)
        throw new TypeError('the secret of a webhook is missing, or not "whsec_" and base64');
    return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}
/** @returns undefined for what is not base64 */
function bytesOf(base64) {
    const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(base64) ?? [];
    // Without its padding, of which "atob" refuses the wrong number.
    if (digits === undefined || digits.length % 4 === 1)
        return undefined;
    return Uint8Array.from(atob(digits), (char) => char.charCodeAt(0));
}
const invalid = (why) => new GleanerError({ code: 'invalid-webhook', detail: `This is no delivery of the service: ${why}.` });
