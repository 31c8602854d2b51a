/**
 * Ids with a copy button.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'

/** An id, with a small copy button if scripts are enabled. @param what it is, for screen readers, such as `the id of the run` */
export const copyId = (id: string, what: string): Html =>
  html`<copy-id data-what="${what}"><code>${id}</code></copy-id>`
