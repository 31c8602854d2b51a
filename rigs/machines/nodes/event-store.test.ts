import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary.ts'
import { startByCommand } from './event-store.ts'

const folder = temporaryFolder()
const script = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}
const failureOf = (command: string, folder = '/a-folder') =>
  startByCommand(command, folder, 2).then(
    () => 'it serves',
    (error: Error) => error.message,
  )

test('startByCommand fails at once, with the output, when the server ends or cannot be started', async () => {
  const failure = await failureOf(script('ends', 'echo "an unknown option" >&2; exit 7'))
  expect(failure).toContain('ended with 7')
  expect(failure).toContain('an unknown option')
  expect(await failureOf(join(folder, 'missing'))).toContain("can't be started")
})

test('startByCommand passes folder and port, and none of the EVENTSTORE_ variables of the tests', async () => {
  process.env.EVENTSTORE_TEST_OF_NODES = 'x'
  try {
    const failure = await failureOf(script('prints', 'env; echo "$1 $2"; exit 1'))
    expect(failure).toContain('/a-folder 2')
    expect(failure).toContain('PATH=')
    expect(failure).not.toContain('EVENTSTORE_TEST_OF_NODES')
  } finally {
    delete process.env.EVENTSTORE_TEST_OF_NODES
  }
})
