/**
 * What a search finds.
 *
 * @module
 */
import type { Icon } from '../../components/icon.ts'

/** One finding. */
export type Hit = {
  readonly label: string
  /** beside the label */
  readonly detail: string
  /** with the prefix of PUBLIC_URL */
  readonly path: string
  /** that the search is compared with */
  readonly texts: readonly string[]
  /** default: that of its group */
  readonly icon?: Icon
  /** whether it acts at once, by a form */
  readonly isPost?: boolean
}
export type Group = { readonly title: string; readonly icon: Icon; readonly hits: readonly Hit[] }
