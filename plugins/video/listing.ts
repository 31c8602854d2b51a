/**
 * Reads the list of a channel's Shorts: from its tab or, if an age gate hides the channel, from the playlist of its
 * Shorts.
 *
 * @module
 */
import {
  at,
  BadInput,
  entriesAt,
  listAt,
  NotFound,
  Restricted,
  SourceChanged,
  type SourceError,
  textOrNull,
} from 'gleaner/plugin'
import { channelOf, gatedChannelOf } from './channel.ts'
import { type Chips, chipsOf } from './chips.ts'
import { type Client, SHORTS_TAB } from './client.ts'
import { alertOf } from './refusals.ts'
import { type Rows, readRows } from './rows.ts'
import type { Channel } from './short.ts'
import { wrappedText } from './texts.ts'

/** A list with its first page, latest first. */
export type Listing = { readonly channel: Channel; readonly chips: Chips; readonly first: Rows }

const NOTHING: Rows = { shorts: [], next: null }

/**
 * The list of a channel.
 *
 * @throws {SourceError} `not-found` for a channel that does not exist (any more), `restricted` for a channel behind an
 *   age gate whose playlist is not visible either
 */
export async function listingOf(client: Client, channelId: string): Promise<Listing> {
  const page = await client.shortsTab(channelId)
  const tabs = tabsOf(page)
  const gate = tabs.map(gateIn).find((found) => found !== undefined)
  if (gate !== undefined) return playlistOf(client, channelId, gate)
  const channel = channelOf(page, channelId)
  const tab = tabs.find(isShorts)
  if (tab === undefined) {
    // If no tab has a name, the form has changed. It could hide an age gate or another notice.
    if (!tabs.some((each) => textOrNull(at(each, 'title')) !== null))
      throw new SourceChanged('the tabs have no names')
    return { channel, chips: new Map(), first: NOTHING }
  }
  if (at(tab, 'selected') !== true)
    throw new SourceChanged('the channel has Shorts, but the source sent another tab')
  return { channel, ...gridOf(at(tab, 'content')) }
}

/** The tabs of a channel's page. The last one is often of another kind, for the search. */
function tabsOf(page: unknown): unknown[] {
  if (at(page, 'contents') === undefined) throw alertOf(page) ?? new SourceChanged('the page has no contents')
  return listAt(page, 'contents', 'twoColumnBrowseResultsRenderer', 'tabs').map(
    (tab) => at(tab, 'tabRenderer') ?? at(tab, 'expandableTabRenderer'),
  )
}

const gateIn = (tab: unknown): unknown =>
  at(tab, 'content', 'sectionListRenderer', 'contents', 0, 'channelAgeGateRenderer')

function isShorts(tab: unknown): boolean {
  const endpoint = at(tab, 'endpoint')
  const url = textOrNull(at(endpoint, 'commandMetadata', 'webCommandMetadata', 'url'))
  if (endpoint === undefined || endpoint === null) return at(tab, 'title') === 'Shorts'
  return at(endpoint, 'browseEndpoint', 'params') === SHORTS_TAB || url?.endsWith('/shorts') === true
}

function gridOf(content: unknown): Pick<Listing, 'chips' | 'first'> {
  const grid = at(content, 'richGridRenderer')
  return { chips: chipsOf(at(grid, 'header')), first: readRows(listAt(grid, 'contents')) }
}

/** The Shorts of a channel as a playlist, latest first. The source often shows the playlist of a gated channel. */
async function playlistOf(client: Client, channelId: string, gate: unknown): Promise<Listing> {
  const page = await client.browse(`VLUUSH${channelId.slice(2)}`).catch(withoutList)
  const rows = actionRows(page) ?? playlistRows(page)
  if (rows === undefined) throw new Restricted(wrappedText(at(gate, 'header')) ?? 'age gate')
  return { channel: gatedChannelOf(gate, page, channelId), chips: new Map(), first: readRows(rows) }
}

/** Converts the error for a missing playlist to undefined. Only the gate is then known. */
function withoutList(error: unknown): undefined {
  if (!isRefusal(error)) throw error
}

const isRefusal = (error: unknown): error is SourceError =>
  error instanceof NotFound || error instanceof BadInput

/** The rows of a playlist's page; undefined when the page has no list, or shows the gate again. */
function playlistRows(page: unknown): readonly unknown[] | undefined {
  if (at(page, 'contents') === undefined) return undefined
  const [tab] = tabsOf(page)
  if (gateIn(tab) !== undefined) return undefined
  const sections = listAt(tab, 'content', 'sectionListRenderer', 'contents')
  const rows = listAt(sections[0], 'itemSectionRenderer', 'contents')
  const videos = at(rows[0], 'playlistVideoListRenderer')
  return videos === undefined ? rows : listAt(videos, 'contents')
}

/**
 * The next page of a list, or its first page in another order.
 *
 * @throws {SourceChanged} for a response without rows
 */
export async function followingOf(client: Client, token: string): Promise<Rows> {
  const json = await client.continuation(token).catch((error: unknown) => {
    // The source itself gave the token, so its refusal is not the fault of the input.
    throw isRefusal(error) ? new SourceChanged(error.message) : error
  })
  const rows = actionRows(json)
  if (!rows) throw new SourceChanged('the response has no rows of the list')
  return readRows(rows)
}

/** The rows that a response adds to a page: it appends them or, for another order, replaces the rows of the page. */
function actionRows(json: unknown): readonly unknown[] | undefined {
  const actions = at(json, 'onResponseReceivedActions')
  for (const action of entriesAt(actions)) {
    const command =
      at(action, 'appendContinuationItemsAction') ?? at(action, 'reloadContinuationItemsCommand')
    const isHeader = at(command, 'slot') === 'RELOAD_CONTINUATION_SLOT_HEADER'
    const rows = at(command, 'continuationItems')
    if (!isHeader && Array.isArray(rows)) return rows
  }
  return undefined
}
