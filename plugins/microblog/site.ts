/**
 * The site's URLs, and patterns that match the requests of its lists.
 *
 * @module
 */

export const ORIGIN = 'https://x.com'

/** The tabs of a search: the parameter `f` of their URLs, and their names in requests. */
export const TABS = {
  top: { f: undefined, products: ['Top'] },
  latest: { f: 'live', products: ['Latest'] },
  people: { f: 'user', products: ['People'] },
  media: { f: 'media', products: ['Media', 'Photos', 'Videos'] },
  lists: { f: 'list', products: ['Lists'] },
} as const
export type Tab = keyof typeof TABS

/** The home timelines: the position of their tabs, from 1, and the operation that reads them. */
export const TIMELINES = {
  for_you: { place: 1, operation: 'HomeTimeline' },
  following: { place: 2, operation: 'HomeLatestTimeline' },
} as const
export type TimelineType = keyof typeof TIMELINES

/** Path and query of a search. */
export function searchPath(query: string, tab: Tab): string {
  const { f } = TABS[tab]
  return `/search?q=${encodeURIComponent(query)}&src=typed_query${f === undefined ? '' : `&f=${f}`}`
}

/** Matches requests of a GraphQL operation with any query id, because the ids change every few weeks. */
export const requestsOf = (operation: string): RegExp =>
  new RegExp(`/graphql/[^/?#]+/${operation}(?:[/?#]|$)`)

/** The URL of a post. @param name the author's name, or null if unknown: the site finds the post without it */
export const postUrl = (name: string | null, id: string): string => `${ORIGIN}/${name ?? 'i'}/status/${id}`
