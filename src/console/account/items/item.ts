/**
 * One item on a page of its own, with all fields. A script shows the same in a panel beside the table.
 *
 * @module
 */
import { copyable, type Html, html } from '../../../html.ts'
import { existing, Problem } from '../../../http/problems.ts'
import type { Item } from '../../../runs/items/texts.ts'
import { count, outside } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { seenIn } from '../run/find.ts'
import { bytesOf, linkText } from './cell.ts'
import { fieldList } from './fields.ts'
import { clip } from './labels.ts'
import { zoneOf } from './list.ts'
import { nameOf } from './naming.ts'
import { noItem } from './no-item.ts'
import { notesOfItem } from './notes.ts'
import { itemsPage } from './read.ts'
import { mayHaveImages } from './shown.ts'
import { imagesOf } from './values.ts'
import { PAGE, queryOf, viewOf, viewOfItem } from './view.ts'

const LONGEST_TITLE = 80
/** Longer JSON is a download alone. */
const JSON_BYTES = 60_000

/** The run and the number that the path of a page names, with the item if there is one. @throws {Problem} 404 */
async function placeIn(visitor: AccountVisitor) {
  const run = (await seenIn(visitor)).state
  const { number = '' } = visitor.call.params
  if (!/^[1-9]\d{0,9}$/.test(number)) throw new Problem('not-found')
  const part = await itemsPage(visitor, run, Number(number) - 1, 1)
  return { run, number: Number(number), ...part }
}

/**
 * The item that the path of a page names, and its run.
 *
 * @throws {Problem} 404, also for an item that a run which started over no longer has
 */
export async function itemIn(visitor: AccountVisitor) {
  const place = await placeIn(visitor)
  return { ...place, item: existing(place.items[0]) }
}

/** The page of an item. */
export async function showItem(visitor: AccountVisitor): Promise<Response> {
  const { run, number, total, isFinal, items } = await placeIn(visitor)
  const [item] = items
  if (!item) return noItem(visitor, run, number, total)
  const path = `${visitor.own}/runs/${run.runId}`
  const task = visitor.deps.catalogue.get(run.taskKey)
  const mayHave = mayHaveImages(task?.source)
  const { images: isAsked, ...asked } = viewOf(visitor.url)
  const hasImages = isAsked && mayHave
  const view = viewOfItem({ ...asked, images: hasImages })
  const title = clip(nameOf(item) ?? `Item ${count(number)}`, LONGEST_TITLE)
  const step = (label: string, to: number, rel: string) =>
    to >= 1 && to <= total
      ? html`<a class="button quiet" rel="${rel}" href="${path}/items/${to}${queryOf(view)}">${label}</a>`
      : html`<span class="button quiet" aria-disabled="true">${label}</span>`
  const runTitle = await visitor.call.time.except(visitor.deps.titles.of(run))
  const images = hasImages ? imagesOf(item) : []
  const picture = (url: string): Html | false => {
    const n = task && visitor.deps.images.allows(task.source, url) ? images.indexOf(url) : -1
    return (
      n >= 0 &&
      html`${outside(url, html`<img class="picture" src="${path}/images/${number}/${n}" alt="${linkText(url)}" loading="lazy">`)} `
    )
  }
  const usual = { ...view, from: Math.floor((number - 1) / PAGE) * PAGE, before: [] }
  const table = view.before.length > 0 && view.from < number ? view : usual
  const body = html`<p class="items-steps">${step('Previous', number - 1, 'prev')}${step('Next', number + 1, 'next')}
<a href="${path}${queryOf(table)}#item-${number}">All items of the run</a></p>
<article id="item" data-json="${path}/items/${number}/json">
<p class="item-json">${mayHave && imagesOf(item).length > 0 && html`<a href="${path}/items/${number}${queryOf({ ...view, images: !hasImages })}">${hasImages ? 'Hide images' : 'Show images'}</a>`}<a href="${path}/items/${number}/json">Open as JSON</a></p>
${fieldList(item, { picture, ...(task && { notes: notesOfItem(task.outputSchema) }) })}
${zoneOf([{ number, item }], Object.keys(item))}
${json(item)}
</article>`
  return page(visitor, {
    title: `${title} · Item ${count(number)}`,
    heading: title,
    lead: html`Item ${count(number)} of ${count(total)}${!isFinal && ' so far'} · ${task?.declaration.title ?? run.taskKey}${runTitle !== null && html` · <bdi>${runTitle}</bdi>`}`,
    body,
  })
}

/** The item as JSON, whole. */
export async function itemJson(visitor: AccountVisitor): Promise<Response> {
  const { run, number, item } = await itemIn(visitor)
  const headers = {
    'content-type': 'application/json',
    'content-disposition': `inline; filename="${run.runId}-${number}.json"`,
  }
  return new Response(JSON.stringify(item, null, 2), { headers })
}

function json(item: Item): Html | false {
  const text = JSON.stringify(item, null, 2)
  const shown = text.length <= JSON_BYTES && copyable(text, 'The item as JSON')
  return shown && bytesOf(shown) <= JSON_BYTES && html`<details><summary>JSON</summary>${shown}</details>`
}
