/**
 * The result of one check of the doctor.
 *
 * @module
 */

/** `warn`: limits the server; `fail`: must be fixed. */
export type Finding = {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly words: string
}

export const ok = (what: string, words: string): Finding => ({ level: 'ok', what, words })
export const warn = (what: string, words: string): Finding => ({ level: 'warn', what, words })
export const fail = (what: string, words: string): Finding => ({ level: 'fail', what, words })
