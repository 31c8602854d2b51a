/**
 * A bare Bun process that reads pages of the slow site and nothing else: the upper bound of real work. `/?count=100` has
 * it read so many pages, and answers how many of them failed.
 *
 *   bun bench/reader.ts <origin of the site> <requests at once>
 *
 * @module
 */
const [site, atOnce] = process.argv.slice(2)

async function read(n: number): Promise<boolean> {
  const reply = await fetch(`${site}/list.json?q=thing+${n}`)
  const { items } = (await reply.json()) as { items: unknown[] }
  return items.length === 10
}

async function readAll(count: number): Promise<number> {
  let [next, failed] = [0, 0]
  const loop = async () => {
    while (next < count) if (!(await read(next++).catch(() => false))) failed++
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, loop))
  return failed
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 255,
  fetch: async ({ url }) => new Response(`${await readAll(Number(new URL(url).searchParams.get('count')))}`),
})
console.log(`listening at http://127.0.0.1:${server.port}`)
