/**
 * A bare Elysia without any backend: the upper bound of HTTP alone.
 *
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import { Elysia, t } from 'elysia'

const runs = new Map<string, object>()
const items = Array.from({ length: 10 }, (_, i) => ({
  id: String(i),
  title: `item ${i}`,
  url: `https://example.org/${i}`,
  price: i,
}))

const app = new Elysia()
  .onBeforeHandle(({ headers, status }) => {
    const key = headers.authorization
    if (!key || createHash('sha256').update(key).digest('hex').length !== 64) return status(401)
  })
  .post(
    '/v1/echo/search',
    ({ status }) => {
      const run = { run_id: randomUUID(), run_status: 'succeeded', result: { items } }
      runs.set(run.run_id, run)
      return status(202, run)
    },
    { body: t.Object({ query: t.String({ minLength: 1 }) }) },
  )
  .get('/v1/runs/:id', ({ params, status }) => runs.get(params.id) ?? status(404))
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(`listening at http://127.0.0.1:${app.server?.port}`)
