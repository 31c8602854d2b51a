/**
 * The list of items in the catalogue page. The page's scripts push pieces of one stream, which holds the list as JSON.
 *
 * @module
 */
import {
  at,
  Blocked,
  entriesAt,
  integerOrNull,
  jsonAfter,
  jsonIn,
  listAt,
  type Reply,
  SourceChanged,
} from 'gleaner/plugin'
import { type ListPage, listPageOf, type Position } from '../listing.ts'
import { blockOf } from '../visitor/answer.ts'
import { PER_PAGE } from './filters.ts'

const PUSH = 'self.__next_f.push('
const ITEMS = '"items":{"items":'
const PAGINATION = '"pagination":'

/**
 * The list of a catalogue page, with its rows in the form of the service. Entries that are no products are promotions.
 *
 * @throws {Blocked} for a challenge
 * @throws {SourceChanged} for any other page without the list, and for a list without products
 */
export function catalogPageOf(
  reply: Pick<Reply, 'headers'>,
  html: string,
  position: Position,
): ListPage<unknown> {
  const stream = streamIn(html)
  const start = stream.indexOf(`${ITEMS}[`)
  if (start < 0) {
    const block = blockOf(reply, html)
    throw block === undefined ? new SourceChanged('the page has no list of items') : new Blocked(block)
  }
  const list = stream.slice(start)
  const entries = listAt({ items: jsonAfter(list, ITEMS) }, 'items')
  const products = entries.map((entry) => at(entry, 'productItem')).filter((product) => product !== undefined)
  if (entries.length > 0 && products.length === 0) throw new SourceChanged('the list has no products')
  const pagination = list.includes(`${PAGINATION}{`) ? jsonAfter(list, PAGINATION) : undefined
  const count = (name: string, other: string) =>
    integerOrNull(at(pagination, name)) ?? integerOrNull(at(pagination, other))
  const json = {
    items: products.map(rowOf),
    pagination: {
      total_entries: count('total_entries', 'totalEntries'),
      total_pages: count('total_pages', 'totalPages'),
    },
  }
  return { ...listPageOf(json, 'items', position), isShort: entries.length < PER_PAGE }
}

/** The stream: its pieces are cut anywhere, also within a text. */
function streamIn(html: string): string {
  const pieces = html.split('<script').map((script) => {
    const content = script.slice(script.indexOf('>') + 1, script.indexOf('</script'))
    if (!content.startsWith(PUSH)) return ''
    const pushed = jsonIn(content.slice(PUSH.length, content.lastIndexOf(')')))
    const piece = at(pushed, 0) === 1 ? at(pushed, 1) : undefined
    return typeof piece === 'string' ? piece : ''
  })
  return pieces.join('')
}

/** A product as a row of the service. */
function rowOf(product: unknown): unknown {
  const value = (...path: readonly string[]) => decode(at(product, ...path))
  const money = (name: string) => ({
    amount: value(name, 'amount'),
    currency_code: value(name, 'currencyCode'),
  })
  return {
    id: value('id'),
    title: value('title'),
    url: value('url'),
    price: money('price'),
    service_fee: money('serviceFee'),
    total_item_price: money('totalItemPrice'),
    item_box: { first_line: value('itemBox', 'firstLine'), second_line: value('itemBox', 'secondLine') },
    photos: entriesAt(product, 'photos').map((photo) => ({ url: decode(at(photo, 'url')) })),
    thumbnail_url: value('thumbnailUrl') ?? decode(entriesAt(product, 'thumbnailUrls')[0]),
    favourite_count: value('favouriteCount'),
    promoted: value('isPromoted'),
    user: {
      id: value('user', 'id') ?? value('ownerId'),
      login: value('user', 'login'),
      profile_url: value('user', 'profileUrl'),
      // The page names businesses only.
      business: value('user', 'isBusiness') ?? false,
    },
  }
}

/**
 * A value of the stream: `$undefined` and other references (`$15:props`) are null, and a text that begins with `$` has
 * a second one before it.
 */
function decode(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  return value.startsWith('$$') ? value.slice(1) : null
}
