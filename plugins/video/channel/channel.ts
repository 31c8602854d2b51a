/**
 * Reads the channel of a page.
 *
 * @module
 */
import { at, field, reader, Type, textOrNull } from 'gleaner/plugin'
import { Channel } from '../short.ts'
import { metadataTexts, wrappedText } from '../texts.ts'

const METADATA = 'metadata.channelMetadataRenderer'
const HEADER = 'header.pageHeaderRenderer'
const TEXTS = `${HEADER}.content.pageHeaderViewModel.metadata.contentMetadataViewModel`

const ID = field.required(field.text('id'), 'a channel has no id')
/** The site's own URL of a channel. */
const ADDRESS = field.value(
  Channel.properties.url,
  (page) => `https://www.youtube.com/channel/${encodeURIComponent(String(at(page, 'id')))}`,
)

/** The first text of the header that matches `form`. */
const headerText = (form: RegExp) =>
  field.text(TEXTS, undefined, (value) => metadataTexts(value).find((text) => form.test(text)) ?? null)

const ofPage = reader(Channel, {
  channel_id: ID,
  title: field.text([`${METADATA}.title`, `${HEADER}.pageTitle`]),
  handle: field.text([`${METADATA}.vanityChannelUrl`, `${METADATA}.ownerUrls.0`], undefined, handleIn),
  url: ADDRESS,
  description: field.text(`${METADATA}.description`),
  avatar_url: field.link(`${METADATA}.avatar.thumbnails.0.url`),
  subscriber_count_text: headerText(/subscriber/i),
  video_count_text: headerText(/\bvideos?$/i),
})
const inHeader = reader(Type.Object({ handle: headerText(/^@/) }))

/**
 * The channel of a page.
 *
 * @param page the first page of a tab
 * @param requestedId the id of the requested channel
 */
export function channelOf(page: unknown, requestedId: string): Channel {
  const id = textOrNull(at(page, 'metadata', 'channelMetadataRenderer', 'externalId')) ?? requestedId
  const channel = ofPage({ ...(page as object), id })
  return { ...channel, handle: channel.handle ?? inHeader(page).handle }
}

const ofGate = reader(Channel, {
  channel_id: ID,
  title: field.text(['gate.channelTitle', 'header.ownerText'], undefined, wrappedText),
  handle: field.text('header.ownerEndpoint.browseEndpoint.canonicalBaseUrl', undefined, handleIn),
  url: ADDRESS,
  avatar_url: field.link('gate.avatar.thumbnails.0.url'),
})

/** The channel behind an age gate. Only the gate and the header of its playlist describe it. */
export const gatedChannelOf = (gate: unknown, playlist: unknown, id: string): Channel =>
  ofGate({ gate, header: at(playlist, 'header', 'playlistHeaderRenderer'), id })

/** The `@name` at the end of a URL, decoded; null when there is none. */
function handleIn(address: unknown): string | null {
  const [, handle] = /\/(@[^/?#]+)$/.exec(textOrNull(address) ?? '') ?? []
  if (handle === undefined) return null
  try {
    return textOrNull(decodeURIComponent(handle))
  } catch {
    return handle
  }
}
