/** A server whose log has a damaged page stops, and says what to do. */
import { afterEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { endAll } from '../../servers/processes.ts'
import { addressOf, client, folder, KEY, startServer } from '../../servers/server.ts'

afterEach(endAll)

test('a damaged page of the log ends the server with code 1 and a sentence that names the backup', async () => {
  const data = folder()
  const first = startServer(data.path)
  const call = client(await addressOf(first), KEY)
  await Promise.all(Array.from({ length: 20 }, () => call('/v1/storm/quick', {})))
  first.child.kill('SIGTERM')
  await first.ended
  const path = join(data.path, 'log.db')
  const db = new DatabaseSync(path)
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get() as {
    rootpage: number
  }
  db.close()
  writeFileSync(path, readFileSync(path).fill(0xff, (rootpage - 1) * 4096, rootpage * 4096))

  const server = startServer(data.path)
  expect((await server.ended).code).toBe(1)
  expect(server.printed.err).toContain('Restore DATA_DIR from your backup')
  data.remove()
})
