/**
 * What one check of the doctor found.
 *
 * @module
 */

/** `warn` is what limits the server, `fail` what must be fixed. */
export type Finding = {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly words: string
}

export const ok = (what: string, words: string): Finding => ({ level: 'ok', what, words })
export const warn = (what: string, words: string): Finding => ({ level: 'warn', what, words })
export const fail = (what: string, words: string): Finding => ({ level: 'fail', what, words })
