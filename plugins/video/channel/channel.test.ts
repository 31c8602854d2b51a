import { describe, expect, test } from 'bun:test'
import { CHANNEL } from '../fixtures/sample.ts'
import { channelOf, gatedChannelOf } from './channel.ts'

describe('a channel', () => {
  test('with the newer header has its title, handle and counts from it', () => {
    const part = (content: string) => ({ text: { content } })
    const metadataRows = [
      { metadataParts: [part('@PaperBoat')] },
      { metadataParts: [part('12K subscribers'), part('34 videos')] },
    ]
    const pageHeaderViewModel = { metadata: { contentMetadataViewModel: { metadataRows } } }
    const header = { pageHeaderRenderer: { pageTitle: 'Paper Boat', content: { pageHeaderViewModel } } }
    expect(channelOf({ header }, CHANNEL)).toMatchObject({
      channel_id: CHANNEL,
      title: 'Paper Boat',
      handle: '@PaperBoat',
      subscriber_count_text: '12K subscribers',
      video_count_text: '34 videos',
    })
  })

  test('has its handle from the owner URL, decoded if possible', () => {
    const handle = (url: string) =>
      channelOf({ metadata: { channelMetadataRenderer: { ownerUrls: [url] } } }, CHANNEL).handle
    expect(handle('http://www.youtube.com/@Caf%C3%A9')).toBe('@Café')
    expect(handle('http://www.youtube.com/@Caf%')).toBe('@Caf%')
    expect(handle('http://www.youtube.com/c/cafe')).toBeNull()
  })

  test('behind an age gate has its title from the header of its playlist', () => {
    const header = { playlistHeaderRenderer: { ownerText: { runs: [{ text: 'Paper Boat' }] } } }
    expect(gatedChannelOf({}, { header }, CHANNEL)).toMatchObject({ title: 'Paper Boat', handle: null })
  })
})
