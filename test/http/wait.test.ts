/** Connections of waiting clients. */
import { expect, test } from 'bun:test'
import { startService } from './service.ts'

test('a connection is held open only while its client waits', async () => {
  const holds: string[] = []
  const hold = ({ url }: Request) => {
    const { pathname } = new URL(url)
    holds.push(`held ${pathname}`)
    return () => void holds.push(`let go ${pathname}`)
  }
  const service = await startService({ deps: () => ({ hold }) })
  try {
    const { key } = await service.openAccount()
    const kickoff = await service.post('/v1/sample/search', key, { query: 'x' })
    const path = `/v1/runs/${kickoff.headers.get('run-id')}`
    expect((await service.send(`${path}?wait=0`, { key })).status).toBe(200)
    expect(holds).toEqual([])
    const answer = await service.send(`${path}?wait=1`, { key })
    expect(answer.status).toBe(200)
    expect(holds).toEqual([`held ${path}`, `let go ${path}`])
  } finally {
    await service.close()
  }
})
