/** The first key of an instance survives the death of the process that created it. */
import { afterEach, expect, test } from 'bun:test'
import { endAll } from '../../servers/processes.ts'
import { addressOf, client, folder, startServer } from '../../servers/server.ts'

afterEach(endAll)

const KEY = /gln_[0-9A-Za-z]+_[0-9A-Za-z]{6}/

test('a start prints the first key of an earlier one that was killed, until the key has been used', async () => {
  const data = folder()
  const env = { BOOTSTRAP_KEY: '' }
  const first = startServer(data.path, env)
  const [key] = await first.says(KEY)
  first.child.kill('SIGKILL')
  await first.ended

  const second = startServer(data.path, env)
  expect((await second.says(KEY))[0]).toBe(key)
  expect((await client(await addressOf(second), key)('/v1/account')).status).toBe(200)
  second.child.kill('SIGTERM')
  await second.ended

  const third = startServer(data.path, env)
  await third.says(/Documentation/)
  third.child.kill('SIGTERM')
  await third.ended
  expect(third.printed.out).not.toMatch(KEY)
  data.remove()
})
