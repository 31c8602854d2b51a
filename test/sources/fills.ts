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

const documentedFill = ({ items, fields }: Evidence): DocumentedFill => ({
  items,
  fields: Object.fromEntries(
    fields.map(({ name, items: most, filled }) => [name, Math.round((1000 * filled) / most)]),
  ),
})
