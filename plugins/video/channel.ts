/**
 * What a page of the source tells of its channel.
 *
 * @module
 */
import { at, linkOrNull, textOrNull } from 'gleaner/plugin'
import { metadataTexts } from './rows.ts'
import type { Channel } from './short.ts'
import { wrappedText } from './texts.ts'

/**
 * The channel of a page, of all the years' forms.
 *
 * @param page the first page of a tab, or of a playlist
 * @param id the channel that was asked for
 */
export function channelOf(page: unknown, id: string): Channel {
  const metadata = at(page, 'metadata', 'channelMetadataRenderer')
  const header = at(page, 'header', 'c4TabbedHeaderRenderer')
  const newer = at(page, 'header', 'pageHeaderRenderer', 'content', 'pageHeaderViewModel')
  const texts = metadataTexts(at(newer, 'metadata', 'contentMetadataViewModel'))
  const channel_id = textOrNull(at(metadata, 'externalId')) ?? id
  return {
    channel_id,
    title:
      textOrNull(at(metadata, 'title')) ??
      textOrNull(at(header, 'title')) ??
      textOrNull(at(page, 'header', 'pageHeaderRenderer', 'pageTitle')),
    handle:
      handleIn(at(metadata, 'vanityChannelUrl')) ??
      handleIn(at(metadata, 'ownerUrls', 0)) ??
      wrappedText(at(header, 'channelHandleText')) ??
      texts.find((text) => text.startsWith('@')) ??
      null,
    url: addressOf(channel_id),
    description: textOrNull(at(metadata, 'description')),
    avatar_url: linkOrNull(at(metadata, 'avatar', 'thumbnails', 0, 'url')),
    subscriber_count_text:
      wrappedText(at(header, 'subscriberCountText')) ??
      texts.find((text) => /subscriber/i.test(text)) ??
      null,
    video_count_text:
      wrappedText(at(header, 'videosCountText')) ?? texts.find((text) => /\bvideos?$/i.test(text)) ?? null,
  }
}

/** The channel behind an age gate, of which only the gate and the header of its playlist tell. */
export function gatedChannelOf(gate: unknown, playlist: unknown, id: string): Channel {
  const header = at(playlist, 'header', 'playlistHeaderRenderer')
  const owner = at(header, 'ownerEndpoint', 'browseEndpoint', 'canonicalBaseUrl')
  return {
    channel_id: id,
    title: textOrNull(at(gate, 'channelTitle')) ?? wrappedText(at(header, 'ownerText')),
    handle: handleIn(owner),
    url: addressOf(id),
    description: null,
    avatar_url: linkOrNull(at(gate, 'avatar', 'thumbnails', 0, 'url')),
    subscriber_count_text: null,
    video_count_text: null,
  }
}

/** The site's own address of a channel. */
const addressOf = (id: string): string => `https://www.youtube.com/channel/${encodeURIComponent(id)}`

/** `@name` at the end of an address, decoded. */
function handleIn(address: unknown): string | null {
  const [, handle] = /\/(@[^/?#]+)$/.exec(textOrNull(address) ?? '') ?? []
  if (handle === undefined) return null
  try {
    return textOrNull(decodeURIComponent(handle))
  } catch {
    return handle
  }
}
