/**
 * A slow site: `/list.json` answers ten items after a time. `/seen` tells how many requests were under way at once and
 * when the first one arrived, since it was last asked.
 *
 *   bun bench/site.ts [milliseconds]
 *
 * @module
 */

/** @property firstAt milliseconds since 1970, with fractions; null: no request arrived */
export type Seen = { readonly most: number; readonly firstAt: number | null }

const latencyMs = Number(process.argv[2] ?? 200)
const items = Array.from({ length: 10 }, (_, i) => ({
  id: `i${i}`,
  title: `Thing ${i}`,
  price: i + 0.5,
  description: 'x'.repeat(600),
}))
const body = JSON.stringify({ items })
let open = 0
let seen: Seen = { most: 0, firstAt: null }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 255,
  async fetch(request) {
    if (new URL(request.url).pathname === '/seen') {
      const answer = Response.json(seen)
      seen = { most: 0, firstAt: null }
      return answer
    }
    open++
    const firstAt = seen.firstAt ?? performance.timeOrigin + performance.now()
    seen = { most: Math.max(seen.most, open), firstAt }
    await Bun.sleep(latencyMs)
    open--
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  },
})
console.log(`listening at http://127.0.0.1:${server.port}`)
