/** The headers of requests that are made as by a browser, as they arrive: their order, their case and their values. */
import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { RUNTIMES } from '../../../rigs/machines/runtime/runtimes.ts'
import { HEADS, startRawServer } from './measured.ts'

test.each(RUNTIMES)(
  '$name sends what Chromium sends, to the letter',
  async ({ command: [program, ...args] }) => {
    const server = await startRawServer()
    const words = [...args, join(import.meta.dirname, 'child.ts'), String(server.port)]
    const child = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'] })
    try {
      const [code] = await once(child, 'close')
      expect(code).toBe(0)
      expect(await server.all).toEqual(HEADS)
    } finally {
      server.close()
    }
  },
)
