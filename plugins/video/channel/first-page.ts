/**
 * Reads the first page of a channel's Shorts: from the API or, after any refusal of it, from the page of the site.
 *
 * @module
 */
import { at, listAt, NotFound, routes, SourceChanged, textOrNull } from 'gleaner/plugin'
import type { Client } from '../site/client.ts'
import { alertOf } from '../site/refusals.ts'
import { channelIdOf, channelPathOf, type Identity } from './identify.ts'

/** Selects the Shorts tab of a channel: a protobuf message {2: "shorts", 110: ...}, the same for all channels. */
const SHORTS_TAB = 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D'

/** The first page of a channel's Shorts. */
export type FirstPage = {
  readonly channelId: string
  readonly json: unknown
  /** the tab with the Shorts; undefined when the channel has none, or is hidden */
  readonly tab: unknown
  /** the age gate that hides the channel; undefined when there is none */
  readonly gate: unknown
}

/**
 * The first page of the Shorts of the channel that a client names.
 *
 * @throws {SourceError} `not-found` for a channel that does not exist (any more), `bad-input` when the address is not
 *   that of a channel
 */
export function firstPageOf(client: Client, identity: Identity): Promise<FirstPage> {
  let path = channelPathOf(identity)
  const read = routes<void, FirstPage>(client.context, [
    {
      name: 'api',
      async read() {
        const id = await channelIdOf(client, path)
        path = `/channel/${id}`
        return pageOf(await client.browse(id, SHORTS_TAB), id)
      },
    },
    {
      name: 'page',
      async read() {
        const { data, channelId } = await client.page(`${path}/shorts`)
        const [, id = channelId] = /^\/channel\/(.*)/.exec(path) ?? []
        return pageOf(data, id)
      },
    },
  ])
  return read()
}

/** @throws {SourceError} for a page that is not the Shorts tab of a channel that has one */
function pageOf(json: unknown, channelId: string | null): FirstPage {
  const tabs = tabsOf(json)
  const isHome = tabs.some((tab) => at(tab, 'tabIdentifier') === 'FEwhat_to_watch')
  if (isHome && at(json, 'metadata', 'channelMetadataRenderer') === undefined)
    throw new NotFound('the site shows its home page instead of the channel')
  if (channelId === null) throw new SourceChanged('the page does not name its channel')
  const gate = tabs.map(gateIn).find((candidate) => candidate !== undefined)
  if (gate !== undefined) return { channelId, json, tab: undefined, gate }
  const tab = tabs.find(isShorts)
  // If no tab has a name, the form has changed. It could hide an age gate or another notice.
  if (tab === undefined && !tabs.some((each) => textOrNull(at(each, 'title')) !== null))
    throw new SourceChanged('the tabs have no names')
  if (tab !== undefined && at(tab, 'selected') !== true)
    throw new SourceChanged('the channel has Shorts, but the source sent another tab')
  return { channelId, json, tab, gate }
}

/** The tabs of a page. The last one is often of another kind, for the search. */
export function tabsOf(page: unknown): unknown[] {
  if (at(page, 'contents') === undefined) throw alertOf(page) ?? new SourceChanged('the page has no contents')
  return listAt(page, 'contents', 'twoColumnBrowseResultsRenderer', 'tabs').map(
    (tab) => at(tab, 'tabRenderer') ?? at(tab, 'expandableTabRenderer'),
  )
}

export const gateIn = (tab: unknown): unknown =>
  at(tab, 'content', 'sectionListRenderer', 'contents', 0, 'channelAgeGateRenderer')

function isShorts(tab: unknown): boolean {
  const endpoint = at(tab, 'endpoint')
  const url = textOrNull(at(endpoint, 'commandMetadata', 'webCommandMetadata', 'url'))
  if (endpoint === undefined || endpoint === null) return at(tab, 'title') === 'Shorts'
  return at(endpoint, 'browseEndpoint', 'params') === SHORTS_TAB || url?.endsWith('/shorts') === true
}
