/** A person signs in through the browser host of each runtime. */
import { afterAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../../src/plugin/testing.ts'
import { endAll, start } from '../../servers/processes.ts'
import { ROOT } from '../../servers/server.ts'
import { RUNTIMES } from './runtimes.ts'

afterAll(endAll)

describe.skipIf(!hasBrowser)('a person', () => {
  test.each(RUNTIMES.map((runtime) => [runtime.name, runtime.command] as const))(
    'signs in on %s',
    async (_, [program, ...args]) => {
      const env = { CHROMIUM_PATH: process.env.CHROMIUM_PATH ?? '' }
      const person = start(program, [...args, 'rigs/machines/runtime/person.ts'], { cwd: ROOT, env })
      expect(await person.ended).toEqual({ code: 0, signal: null })
      expect(JSON.parse(person.printed.out)).toEqual({
        jpeg: [0xff, 0xd8],
        cookies: ['session'],
        validUntil: null,
      })
    },
    60_000,
  )
})
