/**
 * A problem with one field of an input.
 *
 * @module
 */

/**
 * A problem with one field. `pointer` is a JSON pointer such as `/url`. `code` is one of the codes below or one that
 * the task defines. `detail` is a phrase that follows the field's name: "must be a whole number from 1 to 500".
 *
 * Codes of the kit: `unknown-field`, `missing-field`, `wrong-type`, `out-of-range`, `not-allowed`, `bad-format`,
 * `too-short`, `too-long`, `bad-text`, `foreign-url`, `conflict`.
 *
 * @example
 * const issue: Issue = { pointer: '/page', code: 'conflict', detail: 'cannot be combined with cursor' }
 * issue.pointer // => '/page'
 */
export type Issue = { readonly pointer: string; readonly code: string; readonly detail: string }
