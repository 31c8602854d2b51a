import type { Call, Http } from './http.ts';
/** Every entry of a list, page by page as they are asked for. */
export declare function list<T>(http: Http, call: Call, name: string): AsyncGenerator<T, void>;
