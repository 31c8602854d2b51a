/**
 * Items for sale, read from the rows of a search or a wardrobe. Rows of a search have brand, size and condition only as
 * display lines (`item_box`); rows of a wardrobe have fields for them.
 *
 * @module
 */
import {
  at,
  entriesAt,
  field,
  idOrNull,
  Link,
  linkOrNull,
  Nullable,
  reader,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'

/**
 * The URL of a page on the requested site, whatever host the source wrote before its path.
 *
 * @param value an absolute URL or a path
 * @returns null when the value is neither
 */
export function pageOn(value: unknown, origin: string): string | null {
  const link = linkOrNull(value, origin)
  if (link === null) return null
  const { pathname, search } = new URL(link)
  return pathname === '/' ? null : `${origin}${pathname}${search}`
}

/** The URL of a profile. The site only uses the number in it. */
export function profileOf(user: unknown, origin: string): string {
  const login = textOrNull(at(user, 'login'))
  const id = encodeURIComponent(idOrNull(at(user, 'id')) ?? '')
  return `${origin}/member/${id}${login === null ? '' : `-${encodeURIComponent(login)}`}`
}

const Seller = Type.Object({
  id: field.required(field.id('id'), 'a seller has no id'),
  login: field.text('login'),
  profile_url: field.value(
    Nullable(Link()),
    (user, origin) => pageOn(at(user, 'profile_url'), origin) ?? profileOf(user, origin),
  ),
  business: field.flag('business'),
})
const sellerOf = reader(Seller)

/** Money is `{amount: "7.0", currency_code}`; in older rows it is a text beside a `currency`. */
const amount = (name: string, description?: string) => field.number([`${name}.amount`, name], description)

/** `lines` and `photos` are added to each row before it is read. */
const fields = {
  id: field.required(field.id('id'), 'an item has no id'),
  title: field.text('title'),
  url: field.value(
    Link({ description: 'On the requested domain.' }),
    (row, origin) =>
      pageOn(at(row, 'url'), origin) ??
      pageOn(at(row, 'path'), origin) ??
      `${origin}/items/${idOrNull(at(row, 'id'))}`,
  ),
  price: amount('price'),
  currency: field.text(['price.currency_code', 'currency'], 'Of all amounts: EUR, GBP and so on.'),
  service_fee: amount('service_fee', 'Buyer protection.'),
  total_price: amount('total_item_price', 'Price and service fee.'),
  // Wardrobes and item pages have brand and size in other places.
  brand: field.text(['brand_title', 'brand', 'brand.title', 'brand_dto.title', 'lines.brand']),
  size: field.text(['size_title', 'size', 'lines.size'], 'As the site writes it: "M / 38 / 10".'),
  condition: field.text(['status', 'lines.condition'], 'In the language of the site.'),
  image_url: field.value(
    Nullable(Link()),
    (row) =>
      pictureOf([at(row, 'photo'), ...entriesAt(row, 'photos')]) ?? linkOrNull(at(row, 'thumbnail_url')),
  ),
  image_urls: field.links('photos', 'url'),
  favourite_count: field.integer('favourite_count'),
  view_count: field.integer('view_count'),
  promoted: field.flag('promoted'),
  seller: field.value(Nullable(Seller), (row, origin) =>
    idOrNull(at(row, 'user', 'id')) === null ? null : sellerOf(at(row, 'user'), origin),
  ),
  photo_uploaded_at: field.time(
    'photos.0.high_resolution.timestamp',
    'Of the first photo, in a wardrobe; searches do not say it, and nothing says when the item was offered.',
  ),
}

export const Item = Type.Object(fields)

/** An item of a wardrobe, with the states of items that are no longer for sale, which only wardrobes list. */
export const WardrobeItem = Type.Object({
  ...fields,
  is_reserved: field.flag('is_reserved'),
  is_closed: field.flag('is_closed'),
  is_hidden: field.flag('is_hidden'),
  closing_action: field.text('item_closing_action', 'How it was closed: sold, deleted.'),
})

const read = { Item: reader(Item), WardrobeItem: reader(WardrobeItem) }

/**
 * Reads a row of a search.
 *
 * @param origin the origin of the requested site, for the URLs of items
 * @throws {SourceChanged} when the row has no id
 */
export const itemOf = (row: unknown, origin: string): Static<typeof Item> => read.Item(completed(row), origin)

/**
 * Reads a row of a wardrobe.
 *
 * @param owner the id of the wardrobe's member, who is the seller of rows that name no other
 */
export function wardrobeItemOf(row: unknown, origin: string, owner: string): Static<typeof WardrobeItem> {
  const item = read.WardrobeItem(completed(row), origin)
  return { ...item, seller: item.seller ?? sellerOf({ id: owner }, origin) }
}

/** A row with a list of photos, also if it has a single photo, and with the values of its display lines. */
function completed(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  const photos = at(row, 'photos')
  const isList = Array.isArray(photos) && photos.length > 0
  return { ...row, photos: isList ? photos : [at(row, 'photo')], lines: linesOf(row) }
}

const pictureOf = (photos: readonly unknown[]): string | null =>
  photos.map((photo) => linkOrNull(at(photo, 'url'))).find((url) => url !== null) ?? null

const SEPARATOR = ' · '

/**
 * Brand, size and condition from the two lines below a picture. The first line is the brand, or the title of an item
 * without a brand. The second line is `<size> · <condition>`, or only the condition.
 */
function linesOf(row: unknown) {
  const first = textOrNull(at(row, 'item_box', 'first_line'))
  const parts = textOrNull(at(row, 'item_box', 'second_line'))?.split(SEPARATOR) ?? []
  return {
    brand: first === textOrNull(at(row, 'title')) ? null : first,
    size: parts.slice(0, -1).join(SEPARATOR),
    condition: parts.at(-1),
  }
}
