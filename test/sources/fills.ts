/**
 * `fill.json` of each plugin: how the items of its recordings are filled.
 *
 * @module
 */
import { join } from 'node:path'
import { PLUGINS } from '../../src/catalogue/catalogue.ts'
import type { DocumentedFill } from '../../src/catalogue/fill.ts'
import type { Source } from '../../src/plugin.ts'
import type { Evidence } from './evidence.ts'

/** The files by their paths, with the content that follows from the recordings; none for a source without items. */
export function fillFiles(
  sources: readonly Source[],
  evidence: readonly Evidence[],
): [path: string, content: string][] {
  return sources.flatMap(({ name, tasks }) => {
    const own = evidence.filter(({ task, items }) => items > 0 && tasks.includes(task))
    if (own.length === 0) return []
    const fills = Object.fromEntries(own.map((each) => [each.task.key, documentedFill(each)]))
    return [[join(PLUGINS, name, 'fill.json'), `${JSON.stringify(fills, null, 2)}\n`]]
  })
}

/**
 * The mean over the recordings, each counted once however many items it has. A field that one of them lacks in all items
 * depends on the route or on the site, so nothing is usual of it before runs show it.
 */
const documentedFill = ({ items, casesWithItems, fields }: Evidence): DocumentedFill => ({
  items,
  recordings: casesWithItems,
  fields: Object.fromEntries(
    fields.flatMap(({ name, shares }) =>
      shares.every((share) => share > 0)
        ? [[name, Math.round(shares.reduce((sum, share) => sum + share, 0) / shares.length)]]
        : [],
    ),
  ),
})
