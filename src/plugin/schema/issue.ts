/**
 * What is wrong with one field of an input.
 *
 * @module
 */

/**
 * What is wrong with one field: `pointer` is a JSON pointer like `/url`, `code` one of the slugs below or a task's
 * own, `detail` a phrase that goes on after the field's name: "must be a whole number from 1 to 500".
 *
 * Codes of the kit: `unknown-field`, `missing-field`, `wrong-type`, `out-of-range`, `not-allowed`, `bad-format`,
 * `too-short`, `too-long`, `bad-text`, `foreign-url`, `conflict`.
 *
 * @example
 * const issue: Issue = { pointer: '/page', code: 'conflict', detail: 'cannot be combined with cursor' }
 * issue.pointer // => '/page'
 */
export type Issue = { readonly pointer: string; readonly code: string; readonly detail: string }
