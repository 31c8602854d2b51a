/**
 * A profile of large videos whose bytes are generated on request.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { list, page, part, posts, record, user, whole } from '../../../plugins/photo/fixtures/sample.ts'

const CHUNK = new Uint8Array(64 * 1024).map((_, i) => i * 31)

export type Site = { readonly origin: string; close(): void }

/** @param sizes of the videos, in bytes, one for each post; one of Infinity never ends */
export async function startSite(sizes: readonly number[]): Promise<Site> {
  const server: Server = createServer((request, response) => {
    const index = videoOf(request)
    if (index < 0) {
      answer(request, response, sizes.length)
      return
    }
    response.setHeader('content-type', 'video/mp4')
    Readable.from(bytesOf(sizes[index] ?? 0))
      // One of the tests disconnects during a transfer.
      .on('error', () => response.destroy())
      .pipe(response)
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function* bytesOf(size: number): Generator<Uint8Array> {
  for (let left = size; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length))
}

/** The video that a request asks for; -1 for another request. */
export const videoOf = ({ url = '' }: IncomingMessage): number => Number(/(\d+)\.mp4/.exec(url)?.[1] ?? -1)

/** Answers a visitor's request for the profile, or for one of its posts. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  count: number,
): Promise<void> {
  const form = new URLSearchParams(await text(request))
  const { media_id } = JSON.parse(form.get('variables') ?? '{}')
  const shown = media_id === undefined ? profilePage(count) : post(media_id - 1000)
  response.setHeader('content-type', shown.type)
  response.end(shown.body)
}

function profilePage(count: number) {
  const parts = Array.from({ length: count }, (_, i) => part(i, { code: `video${i}`, media_type: 2 }))
  return { type: 'text/html', body: page('profile', [posts(list(parts)), user()]).body as string }
}

function post(i: number) {
  const video_versions = [{ type: 101, url: `https://scontent.cdninstagram.com/v/${i}.mp4` }]
  const more = { code: `video${i}`, media_type: 2, taken_at: 1_600_000_000 - i, image_versions2: null }
  // Without a preview, it has no cover.
  const shown = whole(i, { ...more, display_uri: null, video_versions })
  const body = { data: { xig_polaris_media: record(i, shown, { code: `video${i}` }) } }
  return { type: 'text/javascript', body: JSON.stringify(body) }
}
