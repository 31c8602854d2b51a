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

/** Fields that are shown before the others are folded. */
const SHOWN = 14

export function sampleSection(task: CatalogueTask): Html {
  const sample = sampleOf(task) as (Fields & { readonly items?: readonly Fields[] }) | undefined
  const { properties = {} } = task.outputSchema as Result
  const first = sample?.items?.[0]
  const kinds = kindsOf(properties.items?.items)
  const [main = [], ...others] = kinds.toSorted((a, b) => fitting(b, first) - fitting(a, first))
  const beside = Object.entries(properties).filter(([name]) => !OF_RUNS.includes(name))
  const rest = Object.fromEntries(Object.entries(sample ?? {}).filter(([name]) => !OF_RUNS.includes(name)))
  const intro =
    kinds.length > 1
      ? html`Items are of ${kinds.length} kinds. This is one of them, with sample values:`
      : html`Each item has ${main.length === 1 ? 'this field' : `these ${main.length} fields`}, with a sample value:`
  return html`<section class="sample"><h2>What you get</h2>
${main.length > 0 && html`<p class="hint">${intro}</p>${fieldTable('Fields of an item', main, first)}`}
${others.map((kind) => html`<details><summary>Another kind of item</summary>${fieldTable('Fields of another kind of item', kind)}</details>`)}
${beside.length > 0 && html`<details${main.length === 0 && html` open`}><summary>${main.length === 0 ? 'The result' : 'Beside the items'}</summary>${fieldTable('Fields of the result', beside, rest)}</details>`}
${sample && html`<details><summary>Sample as JSON</summary>${copyable(JSON.stringify(first ?? rest, null, 2), 'A sample as JSON')}</details>`}
</section>`
}

type FieldShape = readonly [name: string, shape: Shape]

/** The fields of each kind of items; none for a task without items. */
function kindsOf(item: ItemShape | undefined): (readonly FieldShape[])[] {
  if (!item) return []
  if (item.anyOf) return item.anyOf.flatMap(kindsOf)
  const fields = Object.entries(item.properties ?? {})
  return fields.length > 0 ? [fields] : []
}

/** How many of its fields a sample has. */
const fitting = (fields: readonly FieldShape[], sample: Fields = {}): number =>
  fields.filter(([name]) => Object.hasOwn(sample, name)).length

/** @param sample without one, the fields have no values */
function fieldTable(label: string, fields: readonly FieldShape[], sample?: Fields): Html {
  const rows = fields.map(
    ([name, { description }]) =>
      html`<div><dt><code>${name}</code></dt><dd>${sample && sampleValue(sample[name])}${description !== undefined && html`<span class="hint sample-note">${words(description)}</span>`}</dd></div>`,
  )
  // A few more are shown rather than folded.
  const most = rows.length > SHOWN + 4 ? SHOWN : rows.length
  const list = (part: readonly Html[]) => html`<dl class="sample-fields" aria-label="${label}">${part}</dl>`
  return html`${list(rows.slice(0, most))}${rows.length > most && html`<details><summary>${rows.length - most} more fields</summary>${list(rows.slice(most))}</details>`}`
}

function sampleValue(value: unknown): Html {
  if (value === null || value === undefined) return html`<span class="sample-value none">null</span>`
  // Of a task without a recording, texts are not known.
  if (value === '…') return html`<span class="sample-value none">text</span>`
  if (value === '') return html`<span class="sample-value none">empty text</span>`
  const text = typeof value === 'object' ? nestedLabel(value) : clip(String(value), LONGEST_VALUE)
  return html`<bdi class="sample-value">${text}</bdi>`
}
