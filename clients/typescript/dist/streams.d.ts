import type { Call, Http } from './http.ts';
/**
 * Follows an event stream. It resumes after the last event whenever the connection ends, and is over when the service
 * says that nothing can follow.
 *
 * @param after resumes after this position
 */
export declare function follow<E>(http: Http, call: Call, after?: string): AsyncGenerator<E, void>;
/** Downloads a file. When the connection breaks, the rest is asked for. */
export declare function download(http: Http, call: Call): Promise<Response>;
