import type { paths } from '../generated/api.d.ts';
import type { Abortable } from './run.ts';
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** The paths that support a method. */
export type PathOf<M extends Method> = {
    [P in keyof paths]: paths[P] extends {
        readonly [L in Lowercase<M>]: object;
    } ? P : never;
}[keyof paths];
type OperationOf<M extends Method, P extends PathOf<M>> = paths[P] extends {
    readonly [L in Lowercase<M>]: infer O;
} ? O : never;
type JsonOf<T> = T extends {
    readonly content: {
        readonly 'application/json': infer J;
    };
} ? J : undefined;
type BodyOf<O> = O extends {
    readonly requestBody: infer R;
} ? {
    readonly body: JsonOf<R>;
} : O extends {
    readonly requestBody?: infer R;
} ? [NonNullable<R>] extends [never] ? {
    readonly body?: Record<string, never>;
} : {
    readonly body?: JsonOf<NonNullable<R>>;
} : never;
/** The body of a POST. */
export type PostBody<P extends PathOf<'POST'>> = paths[P] extends {
    readonly post: {
        readonly requestBody?: infer R;
    };
} ? JsonOf<NonNullable<R>> : never;
/** The options of a call, including its `path` and `query` parameters and its `body`. */
export type RequestOptions<M extends Method, P extends PathOf<M>> = Abortable & {
    /** Makes a POST safe to retry, if the call supports it. */
    readonly idempotencyKey?: string | undefined;
    /**
     * Whether to retry a POST when it is unknown whether the last attempt took effect. Default: only with an
     * `idempotencyKey`.
     */
    readonly repeatable?: boolean;
} & (OperationOf<M, P> extends {
    readonly parameters: infer A;
} ? Pick<A, keyof A & ('path' | 'query')> : never) & BodyOf<OperationOf<M, P>>;
/** The response of a call: the JSON of a 2xx, or undefined. */
export type AnswerOf<M extends Method, P extends PathOf<M>> = OperationOf<M, P> extends {
    readonly responses: infer R;
} ? JsonOf<R[keyof R]> : never;
/** The options may be omitted if all of them are optional. */
export type Args<O> = Partial<O> extends O ? [options?: O] : [options: O];
export {};
