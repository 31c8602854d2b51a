/**
 * A profile of large videos whose bytes are generated on request.
 *
 * @module
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

const CHUNK = new Uint8Array(64 * 1024).map((_, i) => i * 31)

export type Site = { readonly origin: string; close(): void }

/** @param sizes of the videos, in bytes, one for each post; one of Infinity never ends */
export async function startSite(sizes: readonly number[]): Promise<Site> {
  const server: Server = createServer((request, response) => {
    const index = Number(/(\d+)\.mp4/.exec(request.url ?? '')?.[1] ?? -1)
    if (index < 0) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(profileOf(sizes.length)))
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

export const profileOf = (posts: number) => ({
  data: {
    user: {
      id: '7',
      username: 'robin',
      is_private: false,
      edge_owner_to_timeline_media: {
        count: posts,
        page_info: { has_next_page: false, end_cursor: null },
        edges: Array.from({ length: posts }, (_, i) => ({
          node: {
            __typename: 'GraphVideo',
            id: String(1000 + i),
            shortcode: `video${i}`,
            is_video: true,
            video_url: `https://scontent.cdninstagram.com/v/${i}.mp4`,
            taken_at_timestamp: 1_600_000_000 - i,
          },
        })),
      },
    },
  },
  status: 'ok',
})
