import type { ApiCall, Http } from './http.ts';
/**
 * Follows an event stream. Resumes after the last event whenever the connection ends. Returns when the service responds
 * with 204: no more events can follow.
 *
 * @param after the position to start after
 */
export declare function follow<E>(http: Http, call: ApiCall, after?: string): AsyncGenerator<E, void>;
/** Downloads a file. When the connection breaks, requests the remaining bytes, or the file again. */
export declare function download(http: Http, call: ApiCall): Promise<Response>;
