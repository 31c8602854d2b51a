/**
 * Reads the list of a channel's Shorts: from its tab or, if an age gate hides the channel, from the playlist of its
 * Shorts.
 *
 * @module
 */
import { at, entriesAt, listAt, NotFound, Restricted, SourceChanged } from 'gleaner/plugin'
import { channelOf, gatedChannelOf } from '../channel/channel.ts'
import { type FirstPage, gateIn, tabsOf } from '../channel/first-page.ts'
import type { Channel, Sort } from '../short.ts'
import type { Client } from '../site/client.ts'
import { Refused } from '../site/refusals.ts'
import { wrappedText } from '../texts.ts'
import { type Chip, chipsOf } from './chips.ts'
import { type Rows, rowsOf } from './rows.ts'

/** A list with its first page. */
export type Listing = {
  readonly channel: Channel
  readonly chips: readonly Chip[]
  readonly first: Rows
  /** the order of the first page */
  readonly order: Sort
  /** whether an age gate hides the channel */
  readonly isGated: boolean
}

const NOTHING: Rows = { shorts: [], next: null, isCut: false }

/**
 * The list of a channel. Its first page may be in another order than the requested one.
 *
 * @throws {SourceError} `restricted` for a channel behind an age gate whose playlist is not visible either
 */
export async function listingOf(client: Client, page: FirstPage, sort: Sort): Promise<Listing> {
  if (page.gate !== undefined) return playlistOf(client, page, sort)
  const channel = channelOf(page.json, page.channelId)
  const content = at(page.tab, 'content')
  const base = { channel, chips: [], first: NOTHING, order: 'latest', isGated: false } as const
  if (page.tab === undefined || hasMessage(content)) return base
  const grid = at(content, 'richGridRenderer')
  const chips = chipsOf(at(grid, 'header'))
  const order = chips.find(({ isSelected }) => isSelected)?.sort ?? 'latest'
  return { ...base, chips, order, first: rowsOf(client.context, listAt(grid, 'contents')) }
}

/** Whether a tab shows a message instead of a list: "This channel doesn't have any content". */
const hasMessage = (content: unknown): boolean =>
  at(sectionIn(content), 'contents', 0, 'messageRenderer') !== undefined

const sectionIn = (content: unknown): unknown =>
  at(content, 'sectionListRenderer', 'contents', 0, 'itemSectionRenderer')

/** The source often shows the playlists of a gated channel's Shorts: the latest, and the most popular first. */
async function playlistOf(client: Client, { gate, channelId }: FirstPage, sort: Sort): Promise<Listing> {
  const about = { chips: [], isGated: true }
  const readPlaylist = async (name: string, order: Sort): Promise<Listing | undefined> => {
    try {
      const page = await client.browse(`VL${name}${channelId.slice(2)}`)
      const rows = addedRows(page) ?? playlistRows(page)
      const channel = gatedChannelOf(gate, page, channelId)
      return rows && { ...about, channel, order, first: rowsOf(client.context, rows) }
    } catch (error) {
      // The latest can be sorted here, if they are few.
      if (error instanceof NotFound || (order === 'popular' && error instanceof SourceChanged))
        return undefined
      throw error
    }
  }
  const popular = sort === 'popular' ? await readPlaylist('UUPS', 'popular') : undefined
  const list = popular ?? (await readPlaylist('UUSH', 'latest'))
  if (!list) throw new Restricted(wrappedText(at(gate, 'header')) ?? 'age gate')
  return list
}

/** The rows of a playlist's page; undefined when the page shows the gate again. @throws {NotFound} for an alert */
function playlistRows(page: unknown): readonly unknown[] | undefined {
  const [tab] = tabsOf(page)
  if (gateIn(tab) !== undefined) return undefined
  const content = at(tab, 'content')
  const rows = listAt(sectionIn(content), 'contents')
  const videos = at(rows[0], 'playlistVideoListRenderer')
  // The continuation may follow the section.
  const after = entriesAt(content, 'sectionListRenderer', 'contents').slice(1)
  return [...(videos === undefined ? rows : listAt(videos, 'contents')), ...after]
}

/**
 * The next page of a list, or its first page in another order.
 *
 * @throws {SourceChanged} for a response without rows
 */
export async function followingOf(client: Client, token: string): Promise<Rows> {
  // Without the right visitor data a response may lack the list. It brings this data for the second request.
  const rows = (await askedFor(client, token)) ?? (await askedFor(client, token))
  if (!rows) throw new SourceChanged('the response has no rows of the list')
  return rowsOf(client.context, rows)
}

async function askedFor(client: Client, token: string): Promise<readonly unknown[] | undefined> {
  const json = await client.continuation(token).catch((error: unknown) => {
    // The token is the source's or our own, so its refusal does not mean that the channel is missing.
    throw error instanceof NotFound ? new Refused(error.message) : error
  })
  return addedRows(json)
}

/** The rows that a response adds to a page: it appends them or, for another order, replaces the rows of the page. */
function addedRows(json: unknown): readonly unknown[] | undefined {
  const roots = ['onResponseReceivedActions', 'onResponseReceivedEndpoints']
  for (const action of roots.flatMap((root) => entriesAt(json, root))) {
    const command =
      at(action, 'appendContinuationItemsAction') ?? at(action, 'reloadContinuationItemsCommand')
    const isHeader = at(command, 'slot') === 'RELOAD_CONTINUATION_SLOT_HEADER'
    const rows = at(command, 'continuationItems')
    if (!isHeader && Array.isArray(rows)) return rows
  }
  const rows = at(json, 'continuationContents', 'richGridContinuation', 'contents')
  return Array.isArray(rows) ? rows : undefined
}
