/**
 * What a reader sees of a page of items: the columns, the order and the filter of the address.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import type { AdmittedRun } from '../../../domain/run.ts'
import type { Source } from '../../../plugin.ts'
import type { ItemsPage } from '../../../runs/items/page.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { chosenColumns } from './chosen.ts'
import { bestColumns, fieldsOf } from './columns.ts'
import { itemsPage } from './read.ts'
import { matching, type Numbered, type Sort, sorted } from './sort.ts'
import { columnsIn, PAGE, sortIn, type View, viewOf } from './view.ts'

export type Shown = {
  readonly view: View
  /** undefined for a task that the service no longer has */
  readonly task: CatalogueTask | undefined
  /** whether the pictures of the source may be shown */
  readonly hasPictures: boolean
  /** that a reader may pick columns from */
  readonly fields: readonly string[]
  readonly columns: readonly string[]
  /** whether the reader picked the columns */
  readonly isPicked: boolean
  readonly sort: Sort | undefined
  /** those that the filter leaves, in the order of `sort` */
  readonly items: readonly Numbered[]
}

/** Whether the console may show images of a source: it says where they are, and they are the same for everybody. */
export const mayHaveImages = (source: Source | undefined): boolean =>
  source?.login === undefined && (source?.imageHosts ?? []).length > 0

/** @param part the items from the place that the address names */
export async function shownOf(visitor: AccountVisitor, run: AdmittedRun, part: ItemsPage): Promise<Shown> {
  const view = viewOf(visitor.url)
  const task = visitor.deps.catalogue.get(run.taskKey)
  // The same columns on every page.
  const first = part.from === 0 ? part : await itemsPage(visitor, run, 0, PAGE)
  const fields = fieldsOf([...first.items, ...part.items], task?.columns ?? [])
  const hasPictures = mayHaveImages(task?.source)
  const picked = [view.columns, chosenColumns(visitor.call.request, run.taskKey)]
    .map((values) => columnsIn(values, fields))
    .find((names) => names.length > 0)
  const columns = picked ?? bestColumns(first.items, fields, view.images && hasPictures)
  const sort = sortIn(view.sort, fields)
  const numbered = part.items.map((item, n) => ({ number: part.from + n + 1, item }))
  const matches = view.find === '' ? numbered : matching(numbered, view.find)
  const items = sort ? sorted(matches, sort) : matches
  return { view, task, hasPictures, fields, columns, isPicked: picked !== undefined, sort, items }
}
