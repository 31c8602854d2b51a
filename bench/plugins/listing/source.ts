/**
 * A source for the local listing site of the crawler benchmark: pages of 60 items, in the embedded state of each page
 * or rendered by script in a browser. SOURCE_LISTING_ORIGIN is the origin of the site.
 *
 * @module
 */
import {
  at,
  type Context,
  defineSource,
  defineTask,
  idOrNull,
  integerOrNull,
  Link,
  listAt,
  Nullable,
  numberOrNull,
  SourceChanged,
  Type,
  textOrNull,
} from 'gleaner/plugin'

const origin = 'https://listing.example'
/** Number of pages that are requested ahead. */
const AHEAD = 4

const input = Type.Object({
  from: Type.Optional(Type.Integer({ minimum: 0 })),
  pages: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000 })),
})
const Item = Type.Object({
  id: Type.String(),
  title: Nullable(Type.String()),
  url: Link(),
  price: Nullable(Type.Number()),
  currency: Nullable(Type.String()),
  brand: Nullable(Type.String()),
  size: Nullable(Type.String()),
  seller: Nullable(Type.String()),
  image: Nullable(Type.String()),
  description: Nullable(Type.String()),
  likes: Nullable(Type.Integer()),
})

function itemOf(item: unknown) {
  const id = idOrNull(at(item, 'id'))
  if (id === null) throw new SourceChanged('an item has no id')
  return {
    id,
    title: textOrNull(at(item, 'title')),
    url: `${origin}/items/${id}`,
    price: numberOrNull(at(item, 'price')),
    currency: textOrNull(at(item, 'currency')),
    brand: textOrNull(at(item, 'brand')),
    size: textOrNull(at(item, 'size')),
    seller: textOrNull(at(item, 'seller', 'login')),
    image: textOrNull(at(item, 'image')),
    description: textOrNull(at(item, 'description')),
    likes: integerOrNull(at(item, 'likes')),
  }
}

const MARK = 'id="state">'

function stateOf(html: string): unknown {
  const begin = html.indexOf(MARK)
  const end = html.indexOf('</script>', begin)
  if (begin < 0 || end < 0) throw new SourceChanged('a page has no state')
  return JSON.parse(html.slice(begin + MARK.length, end))
}

const pageOf = async (context: Context, page: number): Promise<unknown> =>
  stateOf(await (await context.fetch('/list', { query: { page } })).text())

const pages = defineTask({
  key: 'listing.pages',
  path: '/v1/listing/pages',
  title: 'Listing',
  description: 'Items of listing pages.',
  price: 1,
  input,
  item: Item,
  example: { pages: 2 },
  async *run(context, { from = 0, pages = 1 }) {
    const ahead: Promise<unknown>[] = []
    for (let next = 0, read = 0; read < pages; read++) {
      while (next < pages && ahead.length < AHEAD) {
        const page = pageOf(context, from + next++)
        // A failure is reported where the page is awaited.
        page.catch(() => undefined)
        ahead.push(page)
      }
      for (const item of listAt(await ahead.shift(), 'items')) yield itemOf(item)
    }
    return { next_cursor: null }
  },
})

const CARDS = `[...document.querySelectorAll('[data-testid=grid-item]')].map((card) => ({
  id: card.dataset.itemId,
  title: card.querySelector('[data-testid=title]').textContent,
  price: Number(card.querySelector('[data-testid=price]').textContent.slice(1)),
}))`

const rendered = defineTask({
  key: 'listing.rendered',
  path: '/v1/listing/rendered',
  title: 'Rendered listing',
  description: 'Items of listing pages as a browser has drawn them.',
  price: 1,
  input,
  item: Type.Object({ id: Type.String(), title: Type.String(), price: Type.Number() }),
  example: { pages: 2 },
  needs: { browser: true },
  async *run(context, { from = 0, pages = 1 }) {
    const page = await context.page()
    for (let n = from; n < from + pages; n++) {
      await page.goto('/render', { query: { page: n }, until: 'domcontentloaded' })
      if (!(await page.wait('[data-testid=grid-item]'))) throw new SourceChanged('a page has no items')
      for (const card of (await page.evaluate(CARDS)) as { id: string; title: string; price: number }[])
        yield card
    }
    return { next_cursor: null }
  },
})

export default defineSource({
  name: 'listing',
  title: 'Listing',
  origin,
  pace: { perSecond: 100_000, concurrent: 64 },
  tasks: [pages, rendered],
})
