/**
 * What a task returns: each field with a value of a recording, and what it means.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { sampleOf } from '../../../catalogue/sample.ts'
import { copyable, type Html, html, words } from '../../../html.ts'
import { clip, nestedLabel } from '../items/labels.ts'
import type { Shape } from './shape.ts'

type Fields = Readonly<Record<string, unknown>>
type Result = Shape & { readonly properties?: Readonly<Record<string, ItemShape>> }
type ItemShape = Shape & {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly anyOf?: readonly ItemShape[]
}

const LONGEST_VALUE = 80
/** Fields of a result that are about the run, or are shown beside it. */
const OF_RUNS: readonly string[] = ['items', 'next_cursor', 'partial']

export function sampleSection(task: CatalogueTask): Html {
  const sample = sampleOf(task) as (Fields & { readonly items?: readonly Fields[] }) | undefined
  const { properties = {} } = task.outputSchema as Result
  const item = fieldsOf(properties.items?.items as ItemShape | undefined)
  const beside = Object.entries(properties).filter(([name]) => !OF_RUNS.includes(name))
  const first = sample?.items?.[0]
  const rest = Object.fromEntries(Object.entries(sample ?? {}).filter(([name]) => !OF_RUNS.includes(name)))
  return html`<section class="sample"><h2>What you get</h2>
${item.length > 0 && html`<p class="hint">Each item has ${item.length === 1 ? 'this field' : `these ${item.length} fields`}, with a sample value:</p>${fieldTable('Fields of an item', item, first)}`}
${beside.length > 0 && html`<details${item.length === 0 && html` open`}><summary>${item.length === 0 ? 'The result' : 'Beside the items'}</summary>${fieldTable('Fields of the result', beside, rest)}</details>`}
${sample && html`<details><summary>Sample as JSON</summary>${copyable(JSON.stringify(first ?? rest, null, 2), 'A sample as JSON')}</details>`}
</section>`
}

/** The fields of an item; for items of several kinds, those of all kinds. */
function fieldsOf(item: ItemShape | undefined): (readonly [string, Shape])[] {
  if (!item) return []
  if (item.anyOf) return [...new Map(item.anyOf.flatMap(fieldsOf)).entries()]
  return Object.entries(item.properties ?? {})
}

function fieldTable(
  label: string,
  fields: readonly (readonly [string, Shape])[],
  sample: Fields | undefined,
): Html {
  const rows = fields.map(
    ([name, { description }]) =>
      html`<div><dt><code>${name}</code></dt><dd>${sample && sampleValue(sample[name])}${description !== undefined && html`<span class="hint sample-note">${words(description)}</span>`}</dd></div>`,
  )
  return html`<dl class="sample-fields" aria-label="${label}">${rows}</dl>`
}

function sampleValue(value: unknown): Html {
  if (value === null || value === undefined) return html`<span class="sample-value none">null</span>`
  if (value === '') return html`<span class="sample-value none">empty text</span>`
  const text = typeof value === 'object' ? nestedLabel(value) : clip(String(value), LONGEST_VALUE)
  return html`<bdi class="sample-value">${text}</bdi>`
}
