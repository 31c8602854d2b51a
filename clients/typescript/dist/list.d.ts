import type { ApiCall, Http } from './http.ts';
/** All entries of a list. Each page is fetched when its first entry is requested. */
export declare function list<T>(http: Http, call: ApiCall, name: string): AsyncGenerator<T, void>;
