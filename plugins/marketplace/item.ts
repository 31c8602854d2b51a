/**
 * Items for sale, as rows of a search or a wardrobe show them. Two shapes of a row are known, until and from September
 * 2026: the newer one has brand, size and condition only as lines to be shown (`item_box`), and addresses without a host.
 *
 * @module
 */
import {
  at,
  flagOrNull,
  idOrNull,
  integerOrNull,
  Link,
  linkOrNull,
  Nullable,
  numberOrNull,
  SourceChanged,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { linkOf } from './values.ts'

const fields = {
  id: Type.String(),
  title: Nullable(Type.String()),
  url: Link({ description: 'On the domain that was asked for.' }),
  price: Nullable(Type.Number()),
  currency: Nullable(Type.String({ description: 'Of all amounts: EUR, GBP and so on.' })),
  service_fee: Nullable(Type.Number({ description: 'Buyer protection.' })),
  total_price: Nullable(Type.Number({ description: 'Price and service fee.' })),
  brand: Nullable(Type.String()),
  size: Nullable(Type.String({ description: 'As the site writes it: "M / 38 / 10".' })),
  condition: Nullable(Type.String({ description: 'In the language of the site.' })),
  image_url: Nullable(Link()),
  image_urls: Type.Array(Link()),
  favourite_count: Nullable(Type.Integer()),
  view_count: Nullable(Type.Integer()),
  promoted: Nullable(Type.Boolean()),
  seller: Nullable(
    Type.Object({
      id: Type.String(),
      login: Nullable(Type.String()),
      profile_url: Nullable(Link()),
      business: Nullable(Type.Boolean()),
    }),
  ),
  photo_uploaded_at: Nullable(
    Time({ description: 'Of the first photo; the source does not say when the item was offered.' }),
  ),
}

export const Item = Type.Object(fields)

/** What only a wardrobe shows: things that are no longer for sale stay in it. */
export const WardrobeItem = Type.Object({
  ...fields,
  is_reserved: Nullable(Type.Boolean()),
  is_closed: Nullable(Type.Boolean()),
  is_hidden: Nullable(Type.Boolean()),
  closing_action: Nullable(Type.String({ description: 'How it was closed: sold, deleted.' })),
})

/**
 * A row of a search.
 *
 * @param origin of the site that was asked; addresses of items lie on it
 * @throws {SourceChanged} for what has no id
 */
export function itemOf(row: unknown, origin: string): Static<typeof Item> {
  const id = idOrNull(at(row, 'id'))
  if (id === null) throw new SourceChanged('an item has no id')
  const lines = linesOf(row)
  const photos = photosOf(row)
  const images = photos.map((photo) => linkOrNull(at(photo, 'url'))).filter((url) => url !== null)
  return {
    id,
    title: textOrNull(at(row, 'title')),
    url: linkOf(at(row, 'url'), origin) ?? linkOf(at(row, 'path'), origin) ?? `${origin}/items/${id}`,
    price: amountOf(at(row, 'price')),
    currency: textOrNull(at(row, 'price', 'currency_code')) ?? textOrNull(at(row, 'currency')),
    service_fee: amountOf(at(row, 'service_fee')),
    total_price: amountOf(at(row, 'total_item_price')),
    // Wardrobes name brand and size in other places, item pages too.
    brand:
      firstText(row, ['brand_title'], ['brand'], ['brand', 'title'], ['brand_dto', 'title']) ?? lines.brand,
    size: firstText(row, ['size_title'], ['size']) ?? lines.size,
    condition: textOrNull(at(row, 'status')) ?? lines.condition,
    image_url: linkOrNull(at(row, 'photo', 'url')) ?? images[0] ?? null,
    image_urls: images,
    favourite_count: integerOrNull(at(row, 'favourite_count')),
    view_count: integerOrNull(at(row, 'view_count')),
    promoted: flagOrNull(at(row, 'promoted')),
    seller: sellerOf(at(row, 'user'), origin),
    photo_uploaded_at: timeOf(at(photos[0], 'high_resolution', 'timestamp')),
  }
}

/**
 * A row of a wardrobe.
 *
 * @param owner the id of its member, who sells what names no other seller
 */
export function wardrobeItemOf(row: unknown, origin: string, owner: string): Static<typeof WardrobeItem> {
  const item = itemOf(row, origin)
  return {
    ...item,
    seller: item.seller ?? sellerOf({ id: owner }, origin),
    is_reserved: flagOrNull(at(row, 'is_reserved')),
    is_closed: flagOrNull(at(row, 'is_closed')),
    is_hidden: flagOrNull(at(row, 'is_hidden')),
    closing_action: textOrNull(at(row, 'item_closing_action')),
  }
}

/** Money is `{amount: "7.0", currency_code}`, and was a bare text beside a `currency`. */
const amountOf = (money: unknown): number | null => numberOrNull(at(money, 'amount') ?? money)

/** The first of several parts of a row that is a text. */
const firstText = (row: unknown, ...ways: readonly (readonly string[])[]): string | null =>
  ways.map((way) => textOrNull(at(row, ...way))).find((text) => text !== null) ?? null

/** All photos; rows that name one alone have it as `photo`. */
function photosOf(row: unknown): readonly unknown[] {
  const photos = at(row, 'photos')
  if (Array.isArray(photos) && photos.length > 0) return photos
  const photo = at(row, 'photo')
  return photo === undefined || photo === null ? [] : [photo]
}

function sellerOf(user: unknown, origin: string): Static<typeof Item>['seller'] {
  const id = idOrNull(at(user, 'id'))
  if (id === null) return null
  const login = textOrNull(at(user, 'login'))
  return {
    id,
    login,
    profile_url: linkOf(at(user, 'profile_url'), origin) ?? profileOf(origin, id, login),
    business: flagOrNull(at(user, 'business')),
  }
}

/** The address of a profile; the number alone counts in it. */
export const profileOf = (origin: string, id: string, login: string | null): string =>
  `${origin}/member/${encodeURIComponent(id)}${login === null ? '' : `-${encodeURIComponent(login)}`}`

const SEPARATOR = ' · '

/**
 * Brand, size and condition as the lines below a picture say them: the first is the brand, or the title where there is
 * none; the second `<size> · <condition>`, or the condition alone.
 */
function linesOf(row: unknown): Record<'brand' | 'size' | 'condition', string | null> {
  const first = textOrNull(at(row, 'item_box', 'first_line'))
  const parts = textOrNull(at(row, 'item_box', 'second_line'))?.split(SEPARATOR) ?? []
  return {
    brand: first === textOrNull(at(row, 'title')) ? null : first,
    size: textOrNull(parts.slice(0, -1).join(SEPARATOR)),
    condition: textOrNull(parts.at(-1)),
  }
}
