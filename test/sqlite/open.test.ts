import { expect, test } from 'bun:test'
import { startChild } from '../../rigs/support/child.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'

const folder = temporaryFolder()

test('several processes can open a new file at the same time, while one of them switches it to WAL', async () => {
  const script = new URL('./opening.ts', import.meta.url)
  // Without a retry about one in a thousand fails.
  const children = Array.from({ length: 4 }, () => startChild(script, [folder, '500']))
  for (const child of children) expect((await child.lines.next()).value).toBe('ready')
  for (const child of children) child.process.stdin?.end('go\n')
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
}, 60_000)
