/**
 * The fields of an item, or of a result that is one object: names and values in full. Fields without a value are folded
 * below the others.
 *
 * @module
 */
import { type Html, html } from '../../../html.ts'
import { counted } from '../../components/parts.ts'
import { clip, labelOf } from './labels.ts'
import { type Notes, notesList } from './notes.ts'
import { Budget, ownerOf, type Picture, wholeValue } from './tree.ts'
import { kindOf } from './values.ts'

/** Bytes of HTML for all fields together. */
const FIELDS_BYTES = 90_000
const MOST_EMPTY = 200

export type FieldOptions = {
  /** shows a picture beside its address; default: addresses alone */
  readonly picture?: Picture
  /** bytes of HTML for all fields together */
  readonly bytes?: number
  /** A nested field with no more entries is open; see tree.ts for the default. */
  readonly openUpTo?: number
  /** what fields mean: a tooltip of each label, and a list in a fold */
  readonly notes?: Notes
}

export function fieldList(item: Readonly<Record<string, unknown>>, options: FieldOptions = {}): Html {
  const { picture = () => false, bytes = FIELDS_BYTES, openUpTo, notes = new Map() } = options
  const budget = new Budget(bytes)
  const owner = ownerOf(item)
  const all = Object.entries(item)
  const empty = all.filter(([name, value]) => kindOf(name, value) === 'none')
  const shown: Html[] = []
  const held = all.filter(([name, value]) => kindOf(name, value) !== 'none')
  for (const [name, value] of held) {
    if (budget.isSpent) break
    const head = budget.spend(
      html`<dt title="${tooltip(name, notes)}">${labelOf(name)}</dt><dd data-field="${name.length > 200 ? '' : name}">`,
    )
    shown.push(
      html`<div>${head}${wholeValue(name, value, owner, { budget, picture, ...(openUpTo !== undefined && { openUpTo }) })}</dd></div>`,
    )
  }
  const left = held.length - shown.length
  return html`<dl class="fields">${shown}</dl>
${left > 0 && html`<p class="hint">${counted(left, 'more field')}, which the downloads have.</p>`}
${empty.length > 0 && html`<details class="empty-fields"><summary>${counted(empty.length, 'field')} without a value</summary><p class="hint">${empty.slice(0, MOST_EMPTY).map(([name], n) => html`${n > 0 && ', '}${labelOf(name)}`)}${empty.length > MOST_EMPTY && ', …'}</p></details>`}
${notesList(
  all.map(([name]) => name),
  notes,
)}`
}

function tooltip(name: string, notes: Notes): string {
  const note = notes.get(name)
  return note === undefined ? clip(name, 200) : `${name}: ${note}`
}
