/**
 * The site's addresses, and which of a page's answers are those of its list.
 *
 * @module
 */

export const ORIGIN = 'https://x.com'

/** The tabs of a search: `f` of their address, and how the answers' requests name them. */
export const TABS = {
  top: { f: undefined, products: ['Top'] },
  latest: { f: 'live', products: ['Latest'] },
  people: { f: 'user', products: ['People'] },
  media: { f: 'media', products: ['Media', 'Photos', 'Videos'] },
  lists: { f: 'list', products: ['Lists'] },
} as const
export type Tab = keyof typeof TABS

/** The home timelines: their place among the tabs, from 1, and the operation that reads them. */
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

/** Requests of one of the site's GraphQL operations, whatever id its query has: that changes every few weeks. */
export const requestsOf = (operation: string): RegExp =>
  new RegExp(`/graphql/[^/?#]+/${operation}(?:[/?#]|$)`)

/** The page of a post. @param name of its author; null where it is not known: the site finds the post without it */
export const postUrl = (name: string | null, id: string): string => `${ORIGIN}/${name ?? 'i'}/status/${id}`
